"""Whether each part of a text counts that a call takes: of a path, a code, a moment, an address or a name."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grpo_env_sdk.checking.evidence.attempts.slots import Slot, with_values
from grpo_env_sdk.checking.evidence.golds import play_answers, play_compared, won_of
from grpo_env_sdk.checking.evidence.playing.turns import calls_in
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text, replies_to_gold
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import as_good_on_most, carried_out_at, paid, seldom_won
from grpo_env_sdk.checking.evidence.tool_use.calls import known_values
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode

FEWEST_ROWS, TASTED, OTHERS, MOST_PARTS, MOST_CHARS = 6, 3, 3, 9, 80
"""On how many rows it is shown, and tried first; how many other values are tried, and how long a value may be."""
_PART = regex(r"\d+|[^\W\d_]+")
_ADDRESS = regex(r"<[^<>@\s]+@[^<>@\s]+>")
_FREE = regex(
    r"\b(?:any|whichever|whatever|either|your choice|choose|(?:does not|doesn't|no) matter|about|around|approx\w*|"
    r"roughly|or so|flexible|preferabl[ye]|if possible|or (?:later|earlier|so|similar)|at (?:least|most|the latest)|"
    r"within|between|earliest|next free|available)\b",
    re.IGNORECASE,
)
"""What prompts say where several values are right."""
_BESIDE = regex(
    r"(?:mr|mrs|ms|miss|dr|prof|https?|www|(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?)",
    re.IGNORECASE,
)
"""Parts that say nothing that the rest does not: titles, schemes, and the days of dates."""


@dataclass(frozen=True, slots=True)
class _Part:
    """One part of a value of gold, and other values of it that other calls of gold have in the same place."""

    slot: Slot
    span: tuple[int, int]
    others: tuple[str, ...]

    @property
    def value(self) -> str:
        """The part."""
        return str(self.slot.value)[slice(*self.span)]

    def with_other(self, other: str) -> str:
        """The whole value with another part."""
        return f"{self.slot.value[: self.span[0]]}{other}{self.slot.value[self.span[1] :]}"


def without_a_part(subject: Subject, groups: Sequence[Sequence[Slot]]) -> Iterator[Finding]:
    """The finding that gold with another part in a value of a call is gold, while with another value it is not."""
    for slots in groups:
        for place in range(MOST_PARTS):
            parts = [part for slot in slots if (part := _part(subject, slot, place))]
            if len(parts) < FEWEST_ROWS or not _won_with_each(subject, parts[:TASTED]):
                continue
            rows = {one.row_index: one for one in _won_with_each(subject, parts)}
            if as_good_on_most(subject, list(rows.values()), len(parts)) and _whole_counts(subject, slots):
                part = next(one for one in parts if one.slot.gold.row == next(iter(rows)))
                yield paid(
                    subject, list(rows.values()), len(parts),
                    f"Gold with {quoted(part.with_other(part.others[0]))} for {quoted(part.slot.value)} as "
                    f"{part.slot.name!r} of {part.slot.act},",
                    f"Compare the whole of {part.slot.name!r}: {quoted(part.value)} is not looked at.",
                )  # fmt: skip
                return


def _part(subject: Subject, slot: Slot, place: int) -> _Part | None:
    """The part at this place of a value of the usual form, if it was told, and nothing else of its form was."""
    known = [one for one in known_values(subject).get((slot.act, slot.name), ()) if isinstance(one, str)]
    forms = Counter(_form(one) for one in known)
    parts = list(_PART.finditer(slot.value)) if isinstance(slot.value, str) and len(slot.value) <= MOST_CHARS else []
    if not place < len(parts) or not 1 < len(parts) <= MOST_PARTS or _form(slot.value) != forms.most_common(1)[0][0]:
        return None
    own, prompt = parts[place], prompt_text(subject, slot.gold.row)
    shown = "\n".join([prompt, *replies_to_gold(subject, slot.gold.row)])
    address = _ADDRESS.search(slot.value)
    if (
        _FREE.search(prompt)
        or not _says(shown, own[0])
        or (address and not address.start() < own.start() < address.end())
    ):
        return None
    values = [list(_PART.finditer(one))[place][0] for one in known if _form(one) == _form(slot.value)]
    others = tuple(one for one in dict.fromkeys(values) if not _says(f"{own[0]}\n{shown}", one))
    part = _Part(slot, own.span(), others[:OTHERS])
    return part if part.others and not _others_shown(part, shown) else None


def _form(text: str) -> str:
    """What is between the parts of a text."""
    return _PART.sub("a", text)


def _says(text: str, part: str) -> bool:
    """Whether a text has a part, as a number or a word of its own."""
    if part.isdecimal():
        return re.search(rf"(?<!\d)0*{int(part)}(?!\d)", text) is not None
    return re.search(rf"(?<![^\W\d_]){re.escape(part)}(?![^\W\d_])", text, re.IGNORECASE) is not None


def _others_shown(part: _Part, shown: str) -> bool:
    """Whether other values that differ in this part alone were shown too, so that one of several was chosen."""
    before, after = (re.escape(one) for one in (part.slot.value[: part.span[0]], part.slot.value[part.span[1] :]))
    found = re.findall(rf"(?<![\w/]){before}({_PART.pattern}){after}(?![\w/])", shown)
    return any(one != part.value for one in found)


def _won_with_each(subject: Subject, parts: Sequence[_Part]) -> list[Episode]:
    """The episodes with each of the other parts, all of which the tool takes; empty where one of them loses."""
    tried = [(part.slot, part.with_other(other)) for part in parts for other in part.others]
    played = play_answers(subject, [(slot.gold.row, with_values([slot], [other])) for slot, other in tried])
    taken = [one for (slot, _), one in zip(tried, played, strict=False) if _is_taken(subject, slot, one)]
    return taken if len(won_of(subject, taken)) == len(tried) else []


def _is_taken(subject: Subject, slot: Slot, episode: Episode) -> bool:
    place = calls_in(slot.gold.turns[: slot.turn]) + (slot.place if isinstance(slot.place, int) else 0)
    return carried_out_at(subject, episode, place)


def _whole_counts(subject: Subject, slots: Sequence[Slot]) -> bool:
    """Whether gold with the value of another row scores less on most rows."""
    values = list(dict.fromkeys(slot.value for slot in slots))
    others = [(slot, values[values.index(slot.value) - 1]) for slot in slots]
    tried = [(slot.gold.row, with_values([slot], [other])) for slot, other in others if other != slot.value]
    return bool(tried) and seldom_won(subject, play_compared(subject, [(row, [*turns]) for row, turns in tried]))
