"""Rows with prompts from your own data: CSV, JSON lines, Parquet, a hub dataset, or rows in memory."""

import csv
import json
import os
import sys
import warnings
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grpo_env_sdk.data.asked_prompts import asked_messages, asked_prompt, parted_answers
from grpo_env_sdk.data.csv_columns import csv_options
from grpo_env_sdk.data.plain_table import plain_table
from grpo_env_sdk.data.quiet_reading import quiet_reading
from grpo_env_sdk.errors import DatasetError, GrpoEnvWarning, did_you_mean
from grpo_env_sdk.isolation.calls.tracebacks import called_at, one_line
from grpo_env_sdk.plain_text import counted

if TYPE_CHECKING:
    from datasets import Dataset

_SEPARATORS = {".csv": ",", ".tsv": "\t"}
_READERS: dict[str, Callable[[Any, str], Any]] = {
    ".csv": lambda dataset, path: dataset.from_csv(path, **csv_options(path, ",")),
    ".tsv": lambda dataset, path: dataset.from_csv(path, **csv_options(path, "\t")),
    ".json": lambda dataset, path: dataset.from_json(path),
    ".jsonl": lambda dataset, path: dataset.from_json(path),
    ".parquet": lambda dataset, path: dataset.from_parquet(path),
}
_NO_ROWS = "corresponds to no data"
"""What `datasets` says of a file with columns alone."""
_OPEN_QUOTE = "EOF inside string"
"""What pandas says of a file that ends within a quoted value."""


def load_prompts(
    source: str | os.PathLike[str] | Iterable[Any],
    *,
    question: str = "question",
    answer: str | None = "answer",
    system: str | None = None,
    split: str = "train",
    subset: str | None = None,
) -> "Dataset":
    """Rows with a `prompt` of chat messages, an `answer`, and every other column of the source.

    `source` is a file, rows in memory (dicts, or a DataFrame), or the name of a hub dataset; `subset` and `split` apply
    to the last. A question is text, or a list of messages, which is the prompt; without answers, the assistant's last
    message is the answer.
    """
    rows = _read(source, split, subset)
    if not len(rows):
        raise DatasetError("The data has no rows.", "Give at least one row.")
    _check_column(question, rows.column_names)
    values = rows[:]  # as lists: a column of a Dataset reads one value after another
    asked, answers = asked_messages(values[question], question), None
    if answer in (None, "answer") and "answer" not in rows.column_names:
        asked, answers = parted_answers(asked, question)
    if answer and answers is None:
        _check_column(answer, rows.column_names)
        answers = values[answer]
    columns = {name: values[name] for name in rows.column_names if name not in (question, answer)}
    if answers is not None:
        columns["answer"] = answers
        _note_missing(answer or "answer", answers)
    return _table({**columns, "prompt": [asked_prompt(one, system, question, row) for row, one in enumerate(asked)]})


def _check_column(column: str, names: list[str]) -> None:
    if column not in names:
        raise DatasetError(
            f"The data has no column {column!r}, only {', '.join(names)}.",
            _other_separator(names)
            or did_you_mean(column, names)
            or "Name your columns with question=... and answer=..., or answer=None if there are no answers.",
        )


def _note_missing(name: str, answers: list[Any]) -> None:
    """Warn of rows without an answer, which scorers would get as None."""
    missing = [
        row for row, answer in enumerate(answers) if answer is None or (isinstance(answer, str) and not answer.strip())
    ]
    if not missing:
        return
    told = f"{counted(len(missing), 'row')} of {len(answers)} {'has' if len(missing) == 1 else 'have'} no {name!r}"
    hint = "Fill it in or leave these rows out; if it is meant, pass answer=None and use the column as it is."
    warnings.warn(f"{told}, the first is row {missing[0]}. {hint}", GrpoEnvWarning, stacklevel=3)


def _read(source: Any, split: str, subset: str | None) -> "Dataset":
    from datasets import Dataset, load_dataset

    if isinstance(source, Dataset):
        return source
    if _is_frame(source):
        return _in_memory(source.astype(object).where(source.notna(), None).to_dict("records"))
    if not isinstance(source, str | os.PathLike):
        return _in_memory(list(source))
    path = Path(source)
    is_file = path.suffix.lower() in _READERS
    if is_file and not path.is_file():
        where, beside = called_at(), f"Path(__file__).parent / {str(source)!r}"
        hint = f"The working directory is {os.getcwd()}; for a file beside the module, write {beside}."
        what = f"There is no file {str(path)!r}{where and f' ({where})'}."
        raise DatasetError(what, "Check its name." if path.is_absolute() else hint)
    if not is_file and path.is_file():
        raise DatasetError(f"{str(path)!r} is no file of a known kind.", f"Files end in {', '.join(_READERS)}.")
    if is_file:
        return _read_file(path)
    try:
        return load_dataset(str(source), subset, split=split)
    except Exception as exc:
        told = one_line(exc).rstrip(".")
        raise DatasetError(
            f"{str(source)!r} is not a file, and no hub dataset of that name could be loaded: {told}.",
            f"Files end in {', '.join(_READERS)}.",
        ) from exc


def _is_frame(source: Any) -> bool:
    return isinstance(source, getattr(sys.modules.get("pandas"), "DataFrame", ()))


def _read_file(path: Path) -> "Dataset":
    from datasets import Dataset

    kind = path.suffix.lower()
    if kind != ".parquet":
        _check_text(path)
    try:
        with quiet_reading():
            return _READERS[kind](Dataset, str(path))
    except DatasetError:
        raise
    except Exception as exc:
        if kind == ".jsonl":
            _check_lines(path)
        told = one_line(exc.__cause__ or exc).rstrip(".")
        if _OPEN_QUOTE in told:
            line = _last_row(path, _SEPARATORS[kind])
            hint = "Close it, and write a quote within a value twice."
            raise DatasetError(f"{path}:{line}: a quote begins in this row, and nothing closes it.", hint) from exc
        if _NO_ROWS in told:
            raise DatasetError(f"{str(path)!r} has no rows.", "Give at least one row.") from exc
        raise DatasetError(
            f"{str(path)!r} could not be read: {told}.",
            "Give each column values of one type, and each row the same columns.",
        ) from exc


def _check_text(path: Path) -> None:
    """Raise where a file is empty, or with the line where it is not UTF-8, which readers say without the file."""
    is_empty = True
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            is_empty = is_empty and not line.strip()
            try:
                line.decode("utf-8")
            except UnicodeDecodeError as exc:
                raise DatasetError(f"{path}:{number} is not UTF-8.", "Save the file as UTF-8.") from exc
    if is_empty:
        raise DatasetError(f"{str(path)!r} is empty.", "Give at least one row.")


def _last_row(path: Path, separator: str) -> int:
    """The line where the last row begins, or one that is too long for `csv`: what an open quote swallows is one row."""
    begins, after = 1, 1
    with path.open(encoding="utf-8-sig", newline="") as file:
        table = csv.reader(file, delimiter=separator)
        try:
            for _ in table:
                begins, after = after, table.line_num + 1
        except csv.Error:
            return after
    return begins


def _check_lines(path: Path) -> None:
    """Raise with the line that is not JSON, if that is why JSON lines could not be read."""
    with path.open(encoding="utf-8-sig") as file:
        for number, line in enumerate(file, 1):
            try:
                _ = json.loads(line) if line.strip() else None
            except (ValueError, RecursionError) as exc:
                raise DatasetError(f"{path}:{number} is not JSON: {exc}.", "Write one JSON object per line.") from exc


def _other_separator(names: list[str]) -> str:
    """The hint that a CSV has another separator, where all names are in one."""
    mark = next((mark for mark in ";\t|" if mark in names[0]), None) if len(names) == 1 else None
    return (
        f"The separator seems to be {mark!r}: save the file with commas, or read it yourself and give the rows."
        if mark
        else ""
    )


def _in_memory(rows: list[Any]) -> "Dataset":
    wrong = next((i for i, row in enumerate(rows) if not isinstance(row, Mapping)), None)
    if wrong is not None:
        raise DatasetError(f"Row {wrong} of the data is {rows[wrong]!r:.80}, not a dict.", "Each row must be a dict.")
    names = dict.fromkeys(name for row in rows for name in row)
    return _table({name: [row.get(name) for row in rows] for name in names})


def _table(columns: Mapping[str, list[Any]]) -> "Dataset":
    from datasets import Dataset

    try:
        return Dataset.from_dict(dict(columns))
    except Exception as exc:
        rows = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
        table = plain_table(rows)
        if table is not None:
            return table.dataset
        raise DatasetError(
            f"The data does not fit a table: {_mixed(columns) or one_line(exc)}", "Give each column values of one type."
        ) from exc


def _mixed(columns: Mapping[str, list[Any]]) -> str:
    """The first column with values of several types, and a row of each."""
    for name, values in columns.items():
        first: dict[str, int] = {}
        for row, value in enumerate(values):
            if value is not None:
                first.setdefault(type(value).__name__, row)
        if len(first) > 1:
            return f"column {name!r} has " + " and ".join(f"{kind} (row {row})" for kind, row in first.items()) + "."
    return ""
