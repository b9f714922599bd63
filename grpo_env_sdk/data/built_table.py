"""What `build_dataset` returned, as a checked table."""

import contextlib
import inspect
import re
import sys
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from grpo_env_sdk.data.images import column_images, with_images, with_parts
from grpo_env_sdk.data.messages import ROLES, clean_prompt, prompt_messages
from grpo_env_sdk.data.mixed_columns import as_written, dataset_with_json
from grpo_env_sdk.data.plain_table import PlainTable, plain_table
from grpo_env_sdk.data.quiet_reading import without_bars
from grpo_env_sdk.data.readable_rows import UnreadableError, readable, row_dicts
from grpo_env_sdk.errors import DatasetError, GrpoEnvError, did_you_mean
from grpo_env_sdk.isolation.calls.async_calls import discard
from grpo_env_sdk.isolation.calls.deadline import by_user
from grpo_env_sdk.isolation.calls.tracebacks import defined_at, describe_error, name_of, one_line
from grpo_env_sdk.isolation.values.error_text import error_text
from grpo_env_sdk.isolation.values.json_values import short_repr

if TYPE_CHECKING:
    from datasets import Dataset


_BY_SPLIT = "all: def build_dataset(self, tokenizer, split='train')."


def built_table(env: Any, tokenizer: Any, **split: str) -> "Dataset | PlainTable":
    """The result of `build_dataset` as a checked table."""
    try:
        with without_bars():
            dataset = _as_dataset(env, env.build_dataset(tokenizer, **split))
        if not len(dataset):
            raise _no_rows(env, tokenizer, **split)
        _check(env, dataset)
    except UnreadableError as exc:
        raise build_fault(env, str(exc), "Give rows of plain data, or a datasets.Dataset.") from exc
    except GrpoEnvError:
        raise
    except BaseException as exc:
        if by_user(exc):
            raise
        raise _raised(env, tokenizer, exc) from exc
    return dataset


def _as_dataset(env: Any, built: Any) -> "Dataset | PlainTable":
    if isinstance(built, getattr(sys.modules.get("datasets"), "Dataset", ())):
        return built  # there is none before the module is imported
    if built is None or isinstance(built, str | bytes | Mapping) or not isinstance(built, Iterable):
        hint = _hint_for(built)
        discard(built)
        raise build_fault(env, f"returned {'nothing' if built is None else type(built).__name__}", hint)
    rows = row_dicts(built)
    wrong = next((i for i, row in enumerate(rows) if not isinstance(row, Mapping)), None)
    if wrong is not None:
        of_frame = " Of a DataFrame: .to_dict('records')." * hasattr(built, "to_dict")
        hint = f"Each row is a dict with a `prompt`.{of_frame}"
        raise build_fault(env, f"gave {short_repr(rows[wrong]):.80} as row {wrong}", hint)
    names = list(dict.fromkeys(name for row in rows for name in row))
    prompts = [row.get("prompt") for row in rows]
    if "prompt" in names:
        _check_one_kind(env, prompts)  # before Arrow, whose error would be hard to read
    table = plain_table(rows)
    return table if table is not None else _dataset_of(env, {name: [row.get(name) for row in rows] for name in names})


def _hint_for(built: Any) -> str:
    """What `build_dataset` should return in place of something that has no rows."""
    if type(built) is dict and ("prompt" in built or all(_is_column(values) for values in built.values())):
        return "Return a list of rows, each a dict with a `prompt`, or Dataset.from_dict(...) of datasets for columns."
    if isinstance(built, Mapping):
        return f"Return one split of it, or {_BY_SPLIT}"
    plain = "Remove `async`. " * (inspect.iscoroutine(built) or inspect.isasyncgen(built))
    return f"{plain}Return a datasets.Dataset, a list of dicts, or a generator of dicts."


def _is_column(values: Any) -> bool:
    return type(values) is list and not any(isinstance(value, Mapping) for value in values[:1])


def _dataset_of(env: Any, columns: dict[str, list[Any]]) -> "Dataset":
    from datasets import Dataset

    columns = {name: readable(name, values) for name, values in columns.items()}
    if "prompt" in columns:
        columns["prompt"] = with_parts(columns["prompt"])
    try:
        return Dataset.from_dict(columns)
    except BaseException as exc:  # a value may act when Arrow asks it for its text or its items
        if by_user(exc):
            raise
        return _with_json(env, columns, exc)


def _with_json(env: Any, columns: dict[str, list[Any]], exc: BaseException) -> "Dataset":
    """The table, with what Arrow rejects kept as JSON; an error names a column that is none, and its first bad row."""
    refused = {name: why for name, values in columns.items() if (why := _refusal(name, values))}
    written = {name: kept for name in refused if name != "prompt" and (kept := as_written(columns[name]))}
    if refused and len(written) == len(refused):
        return dataset_with_json({**columns, **written}, written)
    for name, why in refused.items():
        if name not in written:
            values = columns[name]
            row = bisect_left(range(len(values)), True, key=lambda last: bool(_refusal(name, values[: last + 1])))
            raise build_fault(env, *_misfit(name, values, row, why)) from exc
    raise build_fault(env, f"gave rows that do not fit a table: {one_line(exc)}", "Give rows of plain data.") from exc


def _misfit(name: str, values: list[Any], row: int, why: BaseException) -> tuple[str, str]:
    """What is wrong with a column, whose first bad row is `row`, and what to do."""
    if isinstance(why, UnicodeEncodeError):
        what = f"gave text that is not Unicode in row {row}, column {name!r}: {one_line(why)}"
        return what, "Half a surrogate pair is no character: decode the text with errors='replace'."
    first = next((place for place, value in enumerate(values[:row]) if value is not None), row)
    kinds = [type(values[place]).__name__ for place in (first, row)]
    told = f"{kinds[0]} (row {first}) and {kinds[1]}" if kinds[0] != kinds[1] else one_line(why)
    what = f"gave rows whose column {name!r} does not fit one type: {told} (row {row})"
    return what, "Give the column values of one type, or as JSON text."


def _refusal(name: str, values: list[Any]) -> BaseException | None:
    """What Arrow, or a value that it asked, raises for a column; None where it takes it."""
    from datasets import Dataset

    try:
        Dataset.from_dict({name: values})
    except BaseException as exc:
        if by_user(exc):
            raise
        return exc
    return None


def _no_rows(env: Any, tokenizer: Any, split: str = "") -> DatasetError:
    """The error of a table without rows; that of one split says how many the other one has."""
    if not split:
        return build_fault(env, "returned no rows", "Return at least one row with a `prompt`.")
    other, counted = {"train": "test", "test": "train"}[split], ""
    with contextlib.suppress(Exception):
        counted = f", and {len(_as_dataset(env, env.build_dataset(tokenizer, split=other)))} for {other!r}"
    hint = "Each split, 'train' and 'test' by name, needs at least one row with a `prompt`."
    return build_fault(env, f"returned no rows for the split {split!r}{counted}", hint)


def _check(env: Any, dataset: "Dataset | PlainTable") -> None:
    if "prompt" not in dataset.column_names:
        names = ", ".join(dataset.column_names)
        near = did_you_mean("prompt", dataset.column_names).removeprefix("Did you mean ").rstrip("?")
        hint = (
            f"Rename {near} to 'prompt'."
            if near
            else "Add it, as load_prompts(rows, question=...) does: text, or messages."
        )
        raise build_fault(env, f"returned no `prompt` column, only {names}", hint)
    prompts = dataset["prompt"]
    _check_one_kind(env, prompts)
    if getattr(env, "raw_prompts", None) is True and not isinstance(prompts[0], str):
        what = "gives prompts of chat messages, but raw_prompts = True says that they are rendered text"
        raise build_fault(env, what, "Give text, or remove raw_prompts.")
    for index, prompt in enumerate(prompts):
        problem = _prompt_problem(prompt)
        if problem:
            raise build_fault(env, f"row {index}: {problem}", "Each prompt is text or a list of chat messages.")
    first = {**dataset[0], "prompt": clean_prompt(prompts[0])}
    with_images(prompt_messages(first["prompt"]), column_images(first))  # raises where they do not fit together


_KINDS: dict[type, str] = {str: "text", list: "chat messages", tuple: "chat messages"}


def _check_one_kind(env: Any, prompts: Iterable[Any]) -> None:
    kinds: dict[str, int] = {}
    for index, prompt in enumerate(prompts):
        if prompt is not None:
            kinds.setdefault(_KINDS.get(type(prompt), type(prompt).__name__), index)
    if len(kinds) > 1:
        found = " and ".join(f"{kind} (row {index})" for kind, index in kinds.items())
        raise build_fault(env, f"mixes two kinds of prompts: {found}", "Use one kind for all rows.")


def _prompt_problem(prompt: Any) -> str:
    if isinstance(prompt, str):
        return "" if prompt.strip() else "the prompt is empty"
    if prompt is None:
        return "it has no prompt"
    if not isinstance(prompt, list):
        return f"the prompt is {short_repr(prompt):.80}"
    if not prompt:
        return "the prompt is an empty list"
    for message in prompt:
        if not isinstance(message, Mapping) or not isinstance(message.get("role"), str):
            return f"the message {message!r:.80} has no role"
        if message["role"] not in ROLES:
            return f"the role {message['role']!r} is not one of {', '.join(ROLES)}"
        if not (message.get("content") or message.get("tool_calls")):
            has = "is empty" if "content" in message else f"has no content, only {', '.join(message)}"
            return f"the {message['role']} message {has}"
    return ""


def _raised(env: Any, tokenizer: Any, exc: BaseException) -> DatasetError:
    if tokenizer is None and isinstance(exc, AttributeError | TypeError) and "NoneType" in error_text(exc):
        return build_fault(
            env,
            f"seems to need a tokenizer, but got None: {describe_error(exc)}",
            "Name one (--tokenizer MODEL), or build prompts as chat messages, which need no tokenizer.",
        )
    return build_fault(env, f"raised {describe_error(exc)}", "Fix it there, then run this again.")


def build_fault(env: Any, what: str, hint: str) -> DatasetError:
    """An error of `build_dataset` that says where it is defined, unless the text has a place already."""
    place = "" if re.search(r"\(\S+:\d+\)\Z", what) else defined_at(env.build_dataset)
    return DatasetError(f"{name_of(env)}.build_dataset {what}{place and f' ({place})'}.", hint)
