"""Whether each value counts that a prompt names, or that a tool lists to be chosen by what the prompt asks for."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.command_words import words_beside, words_of_commands
from grpo_env_sdk.checking.evidence.attempts.slots import TEXT, Slot, are_told, slots_of, with_values
from grpo_env_sdk.checking.evidence.golds import play_answers, play_compared, won_of
from grpo_env_sdk.checking.evidence.playing.tool_parameters import schema_of
from grpo_env_sdk.checking.evidence.playing.turns import calls_in, own_turns
from grpo_env_sdk.checking.evidence.prompts.input_echo import FOR_READERS
from grpo_env_sdk.checking.evidence.secret_words import says
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text, results_of_gold
from grpo_env_sdk.checking.evidence.subject import Completion, Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import (
    as_good_on_most,
    carried_out_at,
    looking_tools,
    paid,
    seldom_won,
)
from grpo_env_sdk.checking.evidence.tool_use.calls import known_values
from grpo_env_sdk.checking.evidence.tool_use.listed_beside import listed_beside
from grpo_env_sdk.checking.evidence.tool_use.listing_calls import replies_to_looks
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.acts.parts_of_values import without_a_part
from grpo_env_sdk.checking.teaching.forms.form import NEGATED
from grpo_env_sdk.data.messages import assistant_message
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode

FEWEST_ROWS, TASTED, OTHERS, MOST_CHARS = 6, 3, 3, 40
"""On how many rows it is shown, and tried first; how many other values are tried on each, and how long one may be."""
_FREE = regex(
    r"\b(?:any|whichever|whatever|either|free choice|your choice|does not matter|doesn't matter|no matter)\b",
    re.IGNORECASE,
)
"""What prompts say where several values are right."""
_CHOOSES = regex(
    r"\b(?:for|with|under|below|above|over|at least|at most|within|near(?:est)?|closest|that (?:fits?|has|is|holds?)|"
    r"which (?:fits?|has|is|holds?)|most|least|\w{3,}est|right|correct|suitable|enough|large|big)\b",
    re.IGNORECASE,
)
"""What they say where one is to be chosen."""
_AN_EXAMPLE = regex(
    r"\b(?:any|whichever|such as|for (?:example|instance)|e\.g|preferably|if possible|or (?:another|similar))\b",
    re.IGNORECASE,
)
"""What a sentence says around a value that is one of several right ones, unless it says no."""
_SENTENCE_END = regex(r"[;!?\n]|(?<!e\.g)\.\s")
_NUMBERED = regex(
    r"(?:^|_)(?:id|no|nr|num|number|account|room|seat|ticket|order|bed|table|slot|shelf|gate|key|code|ref|locker|bay)(?:_|$)"
)
"""The names of numbers that name something, and are no amount."""
_NONSENSE = "lorem"
_TEXT_OF_ONE = regex(r"body|text|content|subject|title|query|pattern|format|language|locale", re.IGNORECASE)


@check("G665", kinds=("tools", "multi-turn"), needs=("gold",), share=2)
def each_value_that_is_asked_for_counts(subject: Subject) -> Iterator[Finding]:
    """Gold with other values in place of one that the prompt names, or has chosen, or of a part of one, scores less."""
    for slots in [*_of_calls(subject), *words_of_commands(subject)]:
        asked = _asked(subject, slots)
        if len(asked) < FEWEST_ROWS or len({slot.value for slot in asked}) < 2:
            continue
        if not _won_with_each(subject, asked[:TASTED]) or not (won := _won_with_each(subject, asked)):
            continue
        rows = {one.row_index: one for one in won}
        if as_good_on_most(subject, list(rows.values()), len(asked)) and not _act_is_free(subject, asked):
            yield _finding(subject, asked, list(rows.values()))
            return
    yield from without_a_part(subject, _of_calls(subject))


def _of_calls(subject: Subject) -> list[list[Slot]]:
    """The arguments of calls that do something, without those that are there to be read."""
    looking = looking_tools(subject)
    return [
        slots for (act, parameter), slots in slots_of(subject).items()
        if act != TEXT and act not in looking
        and not FOR_READERS.search(f"{act} {parameter}") and not _TEXT_OF_ONE.search(parameter)
    ]  # fmt: skip


def _finding(subject: Subject, asked: Sequence[Slot], won: Sequence[Episode]) -> Finding:
    one = asked[0]
    named = are_told(subject, asked) and not _others_are_named(subject, asked)
    looked = [other for slot in asked for other in _in_looks(subject, slot)]
    which = "another value that a tool lists" if looked else "any other value"
    why = "which the prompt names" if named else "which is chosen by what the prompt asks for"
    found = paid(
        subject, won, len(asked),
        f"Gold with {which} as {one.name if one.act == TEXT else repr(one.name)} of {one.act}, {why},",
        f"Compare {one.name!r} with what the row asks for, too, and not only the other arguments.",
    )  # fmt: skip
    return found if named else replace(found, severity="warning")


def _asked(subject: Subject, slots: Sequence[Slot]) -> list[Slot]:
    """Those with a short text that only their prompt names, or that is listed where the prompt says what to choose."""
    texts = [slot for slot in slots if _is_a_name(slot) and 0 < len(str(slot.value)) <= MOST_CHARS]
    named = are_told(subject, texts)
    if named and not _others_are_named(subject, texts):
        return [slot for slot in texts if not _is_an_example(subject, slot)]
    return [
        slot for slot in texts
        if (named or slot.value in _listed(subject, slot))
        and _CHOOSES.search(prompt := prompt_text(subject, slot.gold.row))
        and not _FREE.search(prompt)
    ]  # fmt: skip


def _is_a_name(slot: Slot) -> bool:
    """Whether it is a text, or a number that is the name of something."""
    return isinstance(slot.value, str) or (type(slot.value) is int and bool(_NUMBERED.search(slot.name)))


def _is_an_example(subject: Subject, slot: Slot) -> bool:
    """Whether the sentence that names the value says that others will do."""
    sentences = _SENTENCE_END.split(prompt_text(subject, slot.gold.row))
    own = [one for one in sentences if says(one, str(slot.value))]
    return any(_AN_EXAMPLE.search(one) and not re.search(NEGATED, one, re.IGNORECASE) for one in own)


def _others_are_named(subject: Subject, slots: Sequence[Slot]) -> bool:
    """Whether prompts name the other values too, so that they may say what these are, and not what is wanted."""
    return any(
        says(prompt_text(subject, slot.gold.row), str(other)) for slot in slots for other in _others(subject, slot)
    )


def _listed(subject: Subject, slot: Slot) -> list[str]:
    """The values that replies list together with that of gold, and those of the schema, if it is one of them."""
    replies = results_of_gold(subject, slot.gold.row)
    beside = list(listed_beside(slot.value, replies))
    listed = schema_of(subject.tools, slot.act, slot.name).get("enum") or ()
    of_schema = [value for value in listed if isinstance(value, str)]
    return [slot.value, *beside] if beside else of_schema


def _in_looks(subject: Subject, slot: Slot) -> list[Any]:
    """The values that looks list together with that of gold, where gold's own replies list none."""
    if slot.act == TEXT or len(_listed(subject, slot)) > 1:
        return []
    shown = replies_to_looks(subject, slot.gold.row)
    as_keys = listed_beside(str(slot.value), shown) if isinstance(slot.value, int) else ()
    keys = [int(key) for key in as_keys if key.isdecimal()]
    return _unlike_gold(slot, [*listed_beside(slot.value, shown), *keys])


def _others(subject: Subject, slot: Slot) -> list[Any]:
    """Other values than those of gold: listed ones, then those of other rows."""
    if looked := _in_looks(subject, slot):
        return looked
    of_rows = words_beside(subject, slot) if slot.act == TEXT else known_values(subject).get((slot.act, slot.name), ())
    return _unlike_gold(slot, [*_listed(subject, slot), *(of_rows if isinstance(slot.value, str) else ())])


def _unlike_gold(slot: Slot, values: Iterable[Any]) -> list[Any]:
    of_gold = [slot.value, *(value for _, given in slot.gold.calls for value in given.values())]
    of_type = [one for one in values if type(one) is type(slot.value)]
    return [one for one in dict.fromkeys(of_type) if one not in of_gold][:OTHERS]


def _won_with_each(subject: Subject, slots: Sequence[Slot]) -> list[Episode]:
    """The episodes with each of the other values, all of which the tool accepts, or most of those that looks list.

    Empty where one of them loses.
    """
    tried = [(slot, other) for slot in slots for other in _others(subject, slot)]
    answers: list[tuple[int, Completion]] = [(slot.gold.row, with_values([slot], [other])) for slot, other in tried]
    played = play_answers(subject, answers)
    accepted = [one for (slot, _), one in zip(tried, played, strict=False) if _accepts(subject, slot, one)]
    looked = all(_in_looks(subject, slot) for slot in slots)
    enough = 2 * len(accepted) >= len(tried) if looked else len(accepted) == len(tried)
    return accepted if enough and len(won_of(subject, accepted)) == len(accepted) else []


def _accepts(subject: Subject, slot: Slot, episode: Episode) -> bool:
    if slot.act == TEXT:
        return not episode.error and len(own_turns(episode.completion)) == len(slot.gold.turns)
    place = calls_in(slot.gold.turns[: slot.turn])
    place += slot.place if isinstance(slot.place, int) else 0
    return carried_out_at(subject, episode, place)


def _act_is_free(subject: Subject, slots: Sequence[Slot]) -> bool:
    """Whether gold without these acts is as good, or with nonsense in messages: then nobody reads them as acts."""
    answers: list[tuple[int, Completion]] = [
        (slot.gold.row, with_values([slot], [_NONSENSE])) for slot in slots if slot.act == TEXT
    ]
    for slot in slots:
        turns = slot.gold.turns
        kept = [*turns[: slot.turn], *turns[slot.turn + 1 :]]
        answers.append((slot.gold.row, kept or [assistant_message("Done.")]))
    return not seldom_won(subject, play_compared(subject, answers))
