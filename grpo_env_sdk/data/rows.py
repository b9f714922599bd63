"""The rows of an environment: built once, checked, and split into `train` and `test` by content."""

import hashlib
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from grpo_env_sdk.data.built_table import build_fault, built_table
from grpo_env_sdk.data.messages import clean_prompt
from grpo_env_sdk.data.plain_table import PlainTable, read_quickly
from grpo_env_sdk.errors import ContractError, DatasetError, UsageError, did_you_mean
from grpo_env_sdk.isolation.author_code.arguments import takes
from grpo_env_sdk.isolation.calls.deadline import by_user
from grpo_env_sdk.isolation.calls.tracebacks import describe_error, one_line
from grpo_env_sdk.isolation.values.json_values import short_repr
from grpo_env_sdk.plain_text import counted
from grpo_env_sdk.types import Row, canonical_json, row_hash

if TYPE_CHECKING:
    from datasets import Dataset

Split = Literal["train", "test", "all"]
SPLITS: tuple[Split, ...] = ("train", "test", "all")
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

    def __repr__(self) -> str:
        return f"<{counted(len(self), 'row')}: {', '.join(self.columns)}>"

    def __len__(self) -> int:
        return len(self.indices)

    def __getitem__(self, position: Any) -> Any:
        if isinstance(position, slice):
            return Rows(self.table, self.indices[position], self.offset)
        return self.row(self.indices[position])

    def only(self, indices: Iterable[int]) -> "Rows":
        """Those of them with these indices in the whole dataset, each once and in this order."""
        chosen = list(dict.fromkeys(indices))
        check_among(chosen, set(self.indices))
        return Rows(self.table, chosen, self.offset)

    def __iter__(self) -> Iterator[Row]:
        return (self.row(index) for index in self.indices)

    def row(self, index: int) -> Row:
        """The row at `index` of the whole dataset."""
        place = index - self.offset
        if not 0 <= place < len(self.table):
            last = self.offset + len(self.table) - 1
            raise DatasetError(f"There is no row {index}.", f"The dataset has rows {self.offset} to {last}.")
        row = _row_at(self.table, place)
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


def check_among(indices: Iterable[int], here: Collection[int]) -> None:
    """Raise where some of the indices are not among those of the rows that are here."""
    if missing := list(dict.fromkeys(index for index in indices if index not in here)):
        shown = ", ".join(map(str, missing[:3])) + ("" if len(missing) <= 3 else f" and {len(missing) - 3} more")
        raise UsageError(f"Not among these {counted(len(here), 'row')}: {shown}.", "The split 'all' has every row.")


def _row_at(table: "Dataset | PlainTable", place: int) -> Row:
    """A row of a table; that of a dataset with a transform runs code of its author."""
    try:
        return dict(table[place])
    except BaseException as exc:
        of_author = isinstance(table, getattr(sys.modules.get("datasets"), "Dataset", ()))
        if by_user(exc) or not of_author:
            raise
        what = f"Row {place} cannot be read: {describe_error(exc)}."
        raise DatasetError(what, "Fix the transform of the dataset.") from exc


def build_rows(env: Any, tokenizer: Any = None, split: Split = "all") -> Rows:
    """The environment's rows of one split, checked."""
    check_split(split)
    if splits_itself(env):
        return _own_split(env, tokenizer, split)
    dataset = read_quickly(built_table(env, tokenizer))
    return part_of(Rows(dataset, range(len(dataset))), split)


def splits_itself(env: Any) -> bool:
    """Whether `build_dataset` takes a `split`; otherwise about a tenth of its rows is held out."""
    return takes(env.build_dataset, "split")


def part_of(whole: Rows, split: Split) -> Rows:
    """The rows of a dataset that belong to a split."""
    check_split(split)
    if split == "all":
        return whole
    held_out = _held_out(whole.table)
    return Rows(whole.table, [i for i, out in enumerate(held_out) if out == (split == "test")])


def given_row(options: Mapping[str, Any] | None) -> Row | None:
    """The row in the `options` of a reset, or None if one is to be drawn."""
    if not options:
        return None
    if not isinstance(options, Mapping) or "prompt" not in options:
        raise ContractError(
            f"reset(options=...) takes a dataset row, but this one has no prompt: {short_repr(options)}.",
            "Leave options out to draw a row.",
        )
    return {**options, "prompt": clean_prompt(options["prompt"])}


def check_split(split: Any) -> None:
    """Raise where there is no such split."""
    if split not in SPLITS:
        hint = did_you_mean(str(split), SPLITS) or f"There are {', '.join(SPLITS)}."
        raise UsageError(f"No split named {split!r:.80}.", hint)


def _own_split(env: Any, tokenizer: Any, split: Split) -> Rows:
    """Rows of an environment whose `build_dataset` takes `split`; `all` is train, then test."""
    train = _build_part(env, tokenizer, "train")
    if split == "train":
        return Rows(read_quickly(train), range(len(train)))
    test = _build_part(env, tokenizer, "test")
    if split == "test":
        return Rows(read_quickly(test), range(len(train), len(train) + len(test)), offset=len(train))
    return joined(train, test, partial(build_fault, env))


def joined(
    train: "Dataset | PlainTable", test: "Dataset | PlainTable", fault: Callable[[str, str], DatasetError]
) -> Rows:
    """All rows of an environment that splits them itself; `fault` makes the error of what it did wrong, and a hint."""
    table = train.joined(test) if isinstance(train, PlainTable) and isinstance(test, PlainTable) else None
    if table is None:
        table = read_quickly(_concatenated(train, test, fault))
    return Rows(table, range(len(table)), of_train=len(train))


def _concatenated(
    train: "Dataset | PlainTable", test: "Dataset | PlainTable", fault: Callable[[str, str], DatasetError]
) -> "Dataset":
    from datasets import concatenate_datasets

    try:
        return concatenate_datasets([part.dataset if isinstance(part, PlainTable) else part for part in (train, test)])
    except Exception as exc:  # of what Arrow cannot put into one table
        hint = "Give both the same columns, of the same types."
        raise fault(f"returned splits whose columns differ: {one_line(exc)}", hint) from exc


def _build_part(env: Any, tokenizer: Any, split: str) -> "Dataset | PlainTable":
    """One split, with `case_idx` counted within it, as the environment sees only this split."""
    built = built_table(env, tokenizer, split=split)
    if "case_idx" in built.column_names:
        return built
    if isinstance(built, PlainTable):
        return built.numbered()
    return built.add_column("case_idx", list(range(len(built))))


def _held_out(dataset: "Dataset | PlainTable") -> list[bool]:
    """Which rows are `test`: about a tenth, chosen by content; at least one if there are two, never all."""
    hashes = [row_hash(_row_at(dataset, place)) for place in range(len(dataset))]
    distinct = sorted(set(hashes))
    if len(distinct) == 1:  # one row, or copies of it
        return [index == 0 and len(hashes) > 1 for index in range(len(hashes))]
    chosen = {value for value in distinct if value % HELD_OUT_SHARE == 0} or {distinct[0]}
    if len(chosen) == len(distinct):
        chosen.remove(distinct[-1])
    return [value in chosen for value in hashes]
