"""The rows of an environment: built once, checked, and split into `train` and `test` by content."""

import hashlib
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from grpo_env_sdk.data.images import column_images, with_decoded_images, with_images, with_parts
from grpo_env_sdk.data.plain_table import PlainTable, plain_table, read_quickly
from grpo_env_sdk.errors import ContractError, DatasetError, GrpoEnvError, did_you_mean
from grpo_env_sdk.isolation.arguments import takes
from grpo_env_sdk.isolation.error_text import error_text
from grpo_env_sdk.isolation.tracebacks import defined_at, describe_error, name_of, one_line
from grpo_env_sdk.types import Message, Row, canonical_json, row_hash, without_none

if TYPE_CHECKING:
    from datasets import Dataset

Split = Literal["train", "test", "all"]
SPLITS: tuple[Split, ...] = ("train", "test", "all")
ROLES = ("system", "developer", "user", "assistant", "tool")
HELD_OUT_SHARE = 10
"""One row in ten is held out, unless the environment splits its rows itself."""


class Rows(Sequence[Row]):
    """Some rows of a dataset; each is a dict with `case_idx`, its index in the whole dataset."""

    def __init__(
        self, dataset: "Dataset | PlainTable", indices: Sequence[int], offset: int = 0, of_train: int | None = None
    ) -> None:
        self.table = dataset
        self.indices = indices
        self.offset = offset
        self.of_train = of_train
        """How many rows of both splits are `train`, where the environment splits its rows itself."""

    def __len__(self) -> int:
        return len(self.indices)

    def __getitem__(self, position: Any) -> Any:
        if isinstance(position, slice):
            return Rows(self.table, self.indices[position], self.offset)
        return self.row(self.indices[position])

    def __iter__(self) -> Iterator[Row]:
        return (self.row(index) for index in self.indices)

    def row(self, index: int) -> Row:
        """The row at `index` of the whole dataset."""
        place = index - self.offset
        if not 0 <= place < len(self.table):
            last = self.offset + len(self.table) - 1
            raise DatasetError(f"There is no row {index}.", f"The dataset has rows {self.offset} to {last}.")
        row = dict(self.table[place])
        row["prompt"] = clean_prompt(row["prompt"])
        row.setdefault("case_idx", index)
        return row

    @property
    def dataset(self) -> "Dataset":
        """The whole dataset, of which these are some rows."""
        return self.table.dataset if isinstance(self.table, PlainTable) else self.table

    @property
    def columns(self) -> list[str]:
        """The names that a scorer or reward may ask for, `case_idx` included."""
        names = list(self.table.column_names)
        return names if "case_idx" in names else [*names, "case_idx"]

    @property
    def chat(self) -> bool:
        """Whether prompts are lists of messages, not text."""
        return not isinstance(self.table[0]["prompt"], str)

    def fingerprint(self) -> str:
        """A hash of the content of all rows, equal in every process."""
        digest = hashlib.blake2b(digest_size=16)
        for row in self:
            digest.update(canonical_json(row).encode("utf-8", "surrogatepass"))
        return digest.hexdigest()


def build_rows(env: Any, tokenizer: Any = None, split: Split = "all") -> Rows:
    """The environment's rows of one split, checked."""
    _check_split(split)
    if splits_itself(env):
        return _own_split(env, tokenizer, split)
    dataset = read_quickly(_build(env, tokenizer))
    return part_of(Rows(dataset, range(len(dataset))), split)


def splits_itself(env: Any) -> bool:
    """Whether `build_dataset` takes a `split`; otherwise a tenth of its rows is held out."""
    return takes(env.build_dataset, "split")


def part_of(whole: Rows, split: Split) -> Rows:
    """The rows of a dataset that belong to a split."""
    _check_split(split)
    if split == "all":
        return whole
    held_out = _held_out(whole.table)
    return Rows(whole.table, [i for i, out in enumerate(held_out) if out == (split == "test")])


def prompt_messages(prompt: str | Sequence[Message]) -> list[Message]:
    """A prompt as chat messages; text becomes one user message."""
    if isinstance(prompt, str):
        return [{"role": "user", "content": prompt}]
    return [dict(message) for message in prompt]


def clean_prompt(prompt: Any) -> Any:
    """A chat prompt as the author wrote it, without the keys that Arrow adds with None."""
    if isinstance(prompt, str):
        return prompt
    return [with_decoded_images(without_none(message)) for message in prompt]


def given_row(options: Mapping[str, Any] | None) -> Row | None:
    """The row in the `options` of a reset, or None if one is to be drawn."""
    if not options:
        return None
    if "prompt" not in options:
        raise ContractError(
            f"reset(options=...) takes a dataset row, but this one has no prompt: {', '.join(options)}.",
            "Leave options out to draw a row.",
        )
    return {**options, "prompt": clean_prompt(options["prompt"])}


def _check_split(split: str) -> None:
    if split not in SPLITS:
        hint = did_you_mean(split, SPLITS) or f"There are {', '.join(SPLITS)}."
        raise DatasetError(f"No split named {split!r}.", hint)


def _own_split(env: Any, tokenizer: Any, split: Split) -> Rows:
    """Rows of an environment whose `build_dataset` takes `split`; `all` is train, then test."""
    train = _build_part(env, tokenizer, "train")
    if split == "train":
        return Rows(read_quickly(train), range(len(train)))
    test = _build_part(env, tokenizer, "test")
    if split == "test":
        return Rows(read_quickly(test), range(len(train), len(train) + len(test)), offset=len(train))
    return joined(train, test, partial(_fault, env))


def joined(train: "Dataset", test: "Dataset", fault: Callable[[str, str], DatasetError]) -> Rows:
    """All rows of an environment that splits them itself; `fault` makes the error of what it did wrong, and a hint."""
    from datasets import concatenate_datasets

    try:
        dataset = concatenate_datasets([train, test])
    except Exception as exc:  # of what Arrow cannot put into one table
        hint = "Give both the same columns, of the same types."
        raise fault(f"returned splits whose columns differ: {one_line(exc)}", hint) from exc
    return Rows(read_quickly(dataset), range(len(dataset)), of_train=len(train))


def _build_part(env: Any, tokenizer: Any, split: str) -> "Dataset":
    """One split, with `case_idx` counted within it, as the environment sees only this split."""
    built = _build(env, tokenizer, split=split)
    dataset = built.dataset if isinstance(built, PlainTable) else built
    if "case_idx" in dataset.column_names:
        return dataset
    return dataset.add_column("case_idx", list(range(len(dataset))))


def _held_out(dataset: "Dataset | PlainTable") -> list[bool]:
    """Which rows are `test`: about a tenth, chosen by content; at least one if there are two, never all."""
    hashes = [row_hash(row) for row in dataset]
    distinct = sorted(set(hashes))
    if len(distinct) == 1:  # one row, or copies of it
        return [index == 0 and len(hashes) > 1 for index in range(len(hashes))]
    chosen = {value for value in distinct if value % HELD_OUT_SHARE == 0} or {distinct[0]}
    if len(chosen) == len(distinct):
        chosen.remove(distinct[-1])
    return [value in chosen for value in hashes]


def _build(env: Any, tokenizer: Any, **split: str) -> "Dataset | PlainTable":
    """The result of `build_dataset` as a checked table."""
    try:
        built = env.build_dataset(tokenizer, **split)
        dataset = _as_dataset(env, built)
    except GrpoEnvError:
        raise
    except (Exception, SystemExit) as exc:
        raise _raised(env, tokenizer, exc) from exc
    _check(env, dataset)
    return dataset


def _as_dataset(env: Any, built: Any) -> "Dataset | PlainTable":
    if isinstance(built, getattr(sys.modules.get("datasets"), "Dataset", ())):
        return built  # there is none before the module is imported
    if built is None or isinstance(built, str | bytes | Mapping) or not isinstance(built, Iterable):
        hint = "Return one split of it." if isinstance(built, Mapping) else ""
        raise _fault(
            env,
            f"returned {'nothing' if built is None else type(built).__name__}",
            hint or "Return a datasets.Dataset, a list of dicts, or a generator of dicts.",
        )
    rows = list(built)
    wrong = next((i for i, row in enumerate(rows) if not isinstance(row, Mapping)), None)
    if wrong is not None:
        raise _fault(env, f"gave {rows[wrong]!r:.80} as row {wrong}", "Each row is a dict with a `prompt`.")
    names = list(dict.fromkeys(name for row in rows for name in row))
    prompts = [row.get("prompt") for row in rows]
    if "prompt" in names:
        _check_one_kind(env, prompts)  # before Arrow, whose error would be hard to read
    table = plain_table(rows)
    return table if table is not None else _dataset_of(env, {name: [row.get(name) for row in rows] for name in names})


def _dataset_of(env: Any, columns: dict[str, list[Any]]) -> "Dataset":
    from datasets import Dataset

    if "prompt" in columns:
        columns["prompt"] = with_parts(columns["prompt"])
    try:
        return Dataset.from_dict(columns)
    except Exception as exc:
        raise _unfit(env, columns, exc) from exc


def _unfit(env: Any, columns: dict[str, list[Any]], exc: Exception) -> DatasetError:
    """An error that names the column that Arrow rejects."""
    from datasets import Dataset

    for name, values in columns.items():
        try:
            Dataset.from_dict({name: values})
        except Exception as refused:
            what = f"gave rows whose column {name!r} does not fit one type: {one_line(refused)}"
            return _fault(env, what, "Give the column values of one type, or as JSON text.")
    return _fault(env, f"gave rows that do not fit a table: {one_line(exc)}", "Give rows of plain data.")


def _check(env: Any, dataset: "Dataset | PlainTable") -> None:
    if len(dataset) == 0:
        raise _fault(env, "returned no rows", "Return at least one row with a `prompt`.")
    if "prompt" not in dataset.column_names:
        names = ", ".join(dataset.column_names)
        near = did_you_mean("prompt", dataset.column_names).removeprefix("Did you mean ").rstrip("?")
        hint = f"Rename {near} to 'prompt'." if near else "Add it: text, or a list of chat messages."
        raise _fault(env, f"returned no `prompt` column, only {names}", hint)
    prompts = dataset["prompt"]
    _check_one_kind(env, prompts)
    if getattr(env, "raw_prompts", None) is True and not isinstance(prompts[0], str):
        what = "gives prompts of chat messages, but raw_prompts = True says that they are rendered text"
        raise _fault(env, what, "Give text, or remove raw_prompts.")
    for index, prompt in enumerate(prompts):
        problem = _prompt_problem(prompt)
        if problem:
            raise _fault(env, f"row {index}: {problem}", "Each prompt is text or a list of chat messages.")
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
        raise _fault(env, f"mixes two kinds of prompts: {found}", "Use one kind for all rows.")


def _prompt_problem(prompt: Any) -> str:
    if isinstance(prompt, str):
        return "" if prompt.strip() else "the prompt is empty"
    if not isinstance(prompt, list):
        return f"the prompt is {prompt!r:.80}"
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
        return _fault(
            env,
            f"seems to need a tokenizer, but got None: {describe_error(exc)}",
            "Name one (--tokenizer MODEL), or build prompts as chat messages, which need no tokenizer.",
        )
    return _fault(env, f"raised {describe_error(exc)}", "Fix it there, then run this again.")


def _fault(env: Any, what: str, hint: str) -> DatasetError:
    place = "" if re.search(r"\(\S+:\d+\)\Z", what) else defined_at(env.build_dataset)
    return DatasetError(f"{name_of(env)}.build_dataset {what}{place and f' ({place})'}.", hint)
