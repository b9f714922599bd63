"""Rows with prompts from your own data: CSV, JSON lines, Parquet, a hub dataset, or rows in memory."""

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grpo_env_sdk.errors import DatasetError, did_you_mean
from grpo_env_sdk.isolation.tracebacks import one_line

if TYPE_CHECKING:
    from datasets import Dataset

_READERS: dict[str, Callable[[Any, str], Any]] = {
    ".csv": lambda dataset, path: dataset.from_csv(path),
    ".tsv": lambda dataset, path: dataset.from_csv(path, sep="\t"),
    ".json": lambda dataset, path: dataset.from_json(path),
    ".jsonl": lambda dataset, path: dataset.from_json(path),
    ".parquet": lambda dataset, path: dataset.from_parquet(path),
}


def load_prompts(
    source: str | os.PathLike[str] | Iterable[Mapping[str, Any]],
    *,
    question: str = "question",
    answer: str | None = "answer",
    system: str | None = None,
    split: str = "train",
    subset: str | None = None,
) -> "Dataset":
    """Rows with a `prompt` of chat messages, an `answer`, and every other column of the source.

    `source` is a file, rows in memory, or the name of a hub dataset; `subset` and `split` apply to the last.
    """
    from datasets import Dataset

    rows = _read(source, split, subset)
    if not len(rows):
        raise DatasetError("The data has no rows.", "Give at least one row.")
    for column in filter(None, (question, answer)):
        if column not in rows.column_names:
            hint = did_you_mean(column, rows.column_names)
            raise DatasetError(
                f"The data has no column {column!r}, only {', '.join(rows.column_names)}.",
                hint or "Name your columns with question=... and answer=..., or answer=None if there are no answers.",
            )
    opening = [{"role": "system", "content": system}] if system else []
    asked = ["" if text is None else str(text) for text in rows[question]]
    prompts = [[*opening, {"role": "user", "content": text}] for text in asked]
    columns = {name: rows[name] for name in rows.column_names if name not in (question, answer)}
    if answer:
        columns["answer"] = rows[answer]
    return Dataset.from_dict({**columns, "prompt": prompts})


def _read(source: Any, split: str, subset: str | None) -> "Dataset":
    from datasets import Dataset, load_dataset

    if isinstance(source, Dataset):
        return source
    if not isinstance(source, str | os.PathLike):
        return _in_memory(list(source))
    path = Path(source)
    is_file = path.suffix.lower() in _READERS
    if is_file and not path.is_file():
        raise DatasetError(f"There is no file {str(path)!r}.", f"The working directory is {os.getcwd()}.")
    try:
        return (
            _READERS[path.suffix.lower()](Dataset, str(path))
            if is_file
            else load_dataset(str(source), subset, split=split)
        )
    except Exception as exc:
        problem = "could not be read" if is_file else "is not a file, and no hub dataset of that name could be loaded"
        raise DatasetError(
            f"{str(source)!r} {problem}: {one_line(exc)}", f"Files end in {', '.join(_READERS)}."
        ) from exc


def _in_memory(rows: list[Any]) -> "Dataset":
    from datasets import Dataset

    wrong = next((i for i, row in enumerate(rows) if not isinstance(row, Mapping)), None)
    if wrong is not None:
        raise DatasetError(f"Row {wrong} of the data is {rows[wrong]!r:.80}, not a dict.", "Each row must be a dict.")
    names = dict.fromkeys(name for row in rows for name in row)
    try:
        return Dataset.from_dict({name: [row.get(name) for row in rows] for name in names})
    except Exception as exc:
        what = f"The data does not fit a table: {one_line(exc)}"
        raise DatasetError(what, "Give each column values of one type.") from exc
