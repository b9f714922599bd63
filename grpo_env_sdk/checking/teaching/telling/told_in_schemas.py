"""Whether the schemas of a row's tools tell what gold says: as a default, in a description, as the first of an enum."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import islice
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import Gold
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of, properties_of
from grpo_env_sdk.checking.evidence.prompts.broken_form import sentences_of
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS, some_golds
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.types import canonical_json

MOSTLY, NEARLY_ALL, DIFFERENT, FEWEST_OTHERS = 0.75, 0.9, 3, 2
"""On what share of the rows, with how many different values, and beside how many others, schemas tell gold's value."""


@dataclass(frozen=True, slots=True)
class Place:
    """A value of gold, and the values that the schema of its row allows."""

    row: int
    value: Any
    allowed: list[Any]

    @property
    def is_sorted(self) -> bool:
        """Whether the allowed values are in the order of their texts."""
        return self.allowed == sorted(self.allowed, key=str)


@check("G534", needs=("tools", "gold"))
def schemas_do_not_tell_the_answer(subject: Subject) -> Iterator[Finding]:
    """The tools of different rows do not differ by what gold says in each."""
    if not subject.traits.tools_of_rows:
        return
    known = some_golds(subject)
    told: dict[str, dict[int, str]] = defaultdict(dict)
    values = {gold.row: _values(gold) for gold in known}
    every = {value for of_row in values.values() for value in of_row}
    for gold in known:
        schemas = canonical_json(subject.tools_of(gold.row)).casefold()
        prompt = prompt_text(subject, gold.row).casefold()
        named = [value for value in values[gold.row] if value in schemas]
        rest = reduce(lambda text, value: text.replace(value, "\0"), sorted(named, key=len, reverse=True), schemas)
        for value in named:
            if _is_left_open(value, prompt, every - set(named)):
                told[rest].setdefault(gold.row, values[gold.row][value])
    of_rows: dict[int, str] = max(told.values(), key=len, default={})
    if len(of_rows) >= max(FEWEST_ROWS, MOSTLY * len(known)) and len(set(of_rows.values())) >= DIFFERENT:
        row, value = next(iter(of_rows.items()))
        yield Finding(
            f"The schemas of the tools tell what gold says, on {len(of_rows)} of {len(known)} rows: they differ from "
            f"row to row by it alone, such as {quoted(value)} in row {row}, which the prompt does not have"
            f"{', or only among others' if value in prompt_text(subject, row) else ''}.",
            "Describe the tools in the same way on all rows: look for defaults, examples and descriptions with values.",
            row, subject.tools_of(row), value, "schemas without it",
        )  # fmt: skip
        return
    yield from islice(_in_one_place(subject, known), 1)


def _in_one_place(subject: Subject, known: Sequence[Gold]) -> Iterator[Finding]:
    """The findings that gold's value is the first, or the last, of the values that each row's schema allows."""
    places: dict[tuple[str, str], list[Place]] = defaultdict(list)
    for gold in known:
        enums = {
            (name_of(tool), name): schema.get("enum")
            for tool in subject.tools_of(gold.row)
            for name, schema in properties_of(tool).items()
        }
        for tool, given in gold.calls:
            for name, value in given.items():
                allowed = enums.get((tool, name))
                if isinstance(allowed, list) and len(allowed) >= DIFFERENT and value in allowed:
                    places[tool, name].append(Place(gold.row, value, allowed))
    for (tool, name), found in places.items():
        differ = min(len({str(one.value) for one in found}), len({str(one.allowed) for one in found}))
        for word, end in (("first", 0), ("last", -1)):
            at_end = [one for one in found if one.allowed[end] == one.value and not one.is_sorted]
            if len(found) >= FEWEST_ROWS and differ >= DIFFERENT and len(at_end) >= NEARLY_ALL * len(found):
                one = at_end[0]
                yield Finding(
                    f"The value that gold gives to {name!r} of {tool} is the {word} of those that its schema allows, "
                    f"on {len(at_end)} of {len(found)} rows: {quoted(one.value)} in row {one.row}.",
                    "Sort the values that a row allows, or shuffle them with a seed of the row.",
                    one.row, one.allowed, one.value, "any place of the list",
                )  # fmt: skip


def _values(gold: Gold) -> dict[str, str]:
    """The values of gold's calls and its last text, by themselves in small letters."""
    values = [value for _, given in gold.calls for value in given.values()]
    texts = [str(value) for value in [*values, gold.text] if isinstance(value, str | int | float)]
    return {text.casefold(): text for text in texts if 1 < len(text) <= 60}


def _is_left_open(value: str, prompt: str, others: Collection[str]) -> bool:
    """Whether a prompt does not have a value, or only in a sentence or list that has several of other rows too."""
    if value not in prompt:
        return True
    lines = {line.strip(" \t-*.,;") for line in prompt.splitlines()}
    places = [[one for one in others if one in text] for text in sentences_of(prompt) if value in text]
    listed = [one for one in others if one in lines] if value in lines else []
    return all(len(one) >= FEWEST_OTHERS for one in places) or len(listed) >= FEWEST_OTHERS
