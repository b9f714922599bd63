"""Values of an enum that a tool refuses in its own words, whatever else it is given, where others are carried out."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from grpo_env_sdk.checking.evidence.attempts.answers import STAND_INS
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.prompts.input_echo import without_echo
from grpo_env_sdk.checking.evidence.prompts.tool_names import only_looks
from grpo_env_sdk.checking.evidence.secret_words import says
from grpo_env_sdk.checking.evidence.stand_ins.found_episodes import found_episodes
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.calls import REFUSED, TriedCall
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.data.messages import call_message
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Message, Row, canonical_json

FEWEST_ROWS, MOST_ROWS, MOST_READ = 6, 12, 200
"""On how many rows a value is refused, on how many it is tried, and in how many rows it is looked for."""
_REFUSES = regex(
    r"error|invalid|wrong|denied|refus|unknown|fail|sorry|sold out|unavailable|"
    r"\b(?:no|not|none|nothing|cannot|can't|unable|never|without|closed|full)\b",
    re.IGNORECASE,
)


def carried_out_in_no_row(
    subject: Subject,
    tool: dict[str, Any],
    bases: Sequence[TriedCall],
    parameter: str,
    value: Any,
    others: Sequence[Any],
) -> Finding | None:
    """The finding that a value that rows ask for is refused on every row, also after each of the others."""
    if not isinstance(value, str) or only_looks(tool) or any(_is_done(base, parameter, value) for base in bases):
        return None
    done = [
        base for base in bases if not _refuses(base, parameter) and base.outcome["arguments"].get(parameter) != value
    ]
    done += _of_stand_ins(subject, name_of(tool), parameter) if len(done) < FEWEST_ROWS else []
    if len(done) < FEWEST_ROWS:
        return None
    rows = {row: subject.row(row) for row in subject.sample(MOST_READ)}
    asking = _asking(rows, value)
    if len(asking) < 2 or len(asking) == len(rows):
        return None
    tried: list[TriedCall] = []
    for base in done[:MOST_ROWS]:
        plain = _called(subject, base, parameter, [base.outcome["arguments"].get(parameter)])
        if plain is None or _refuses(plain, parameter):
            continue
        again = [_called(subject, base, parameter, [*before, value]) for before in ([], *([one] for one in others))]
        refused = [one for one in again if one and _refuses(one, parameter) and _form(one) != _form(plain)]
        if len(refused) < len(again):
            return None
        tried.append(refused[0])
    usual = Counter(map(_form, tried)).most_common(1)
    if len(tried) < FEWEST_ROWS or 2 * usual[0][1] <= len(tried):
        return None
    changing = [one for one in subject.tools if not only_looks(one)]
    last = tried[-1]
    return Finding(
        f"{last.name} lists {parameter}={value!r} in its schema, and refuses it on all {len(tried)} rows tried, also "
        f"after each other value: {last.content[:80]!r}. The same calls with {joined_values(others)} are carried out, "
        f"and rows ask for {value!r}.",
        f"Let the tool know {value!r} by the word of the schema, or take it out of the enum.",
        last.episode.row_index, {**last.call["arguments"]}, last.content, "a result",
        severity="error" if len(changing) == 1 else "warning",
    )  # fmt: skip


def joined_values(values: Sequence[Any]) -> str:
    """Values as a message lists them."""
    return " or ".join(repr(value) for value in values[:3])


def _is_done(base: TriedCall, parameter: str, value: Any) -> bool:
    return base.outcome["arguments"].get(parameter) == value and not _refuses(base, parameter)


def _refuses(call: TriedCall, parameter: str) -> bool:
    """Whether a reply refuses, in other words than the value itself."""
    own = {parameter: call.outcome["arguments"].get(parameter)}
    return call.error is not None or bool(_REFUSES.search(without_echo(call.content, own)))


def _form(call: TriedCall) -> str:
    """A reply without what it was given, and without numbers."""
    return re.sub(r"\d+", "", without_echo(call.content, call.outcome["arguments"]))


def _asking(rows: Mapping[int, Row], value: str) -> list[int]:
    """The rows that have a value in a column of their own; if none has, in the prompt."""
    own = {row: {name: one for name, one in columns.items() if name != "prompt"} for row, columns in rows.items()}
    return [row for row in own if _has(own[row], value)] or [row for row in rows if _has(rows[row], value)]


def _has(columns: Mapping[str, Any], value: str) -> bool:
    return says(canonical_json(columns).replace("_", " "), value.replace("_", " "))


def _of_stand_ins(subject: Subject, name: str, parameter: str) -> Iterator[TriedCall]:
    """Calls of the best episodes that were found where there is no gold."""
    if subject.gold_source is None:
        for episode in subject.once(STAND_INS, lambda: found_episodes(subject)).values():
            for place, call in enumerate(episode.tool_calls):
                if call["name"] == name and parameter in call["arguments"]:
                    yield TriedCall(episode, False, place)


def _called(subject: Subject, base: TriedCall, parameter: str, values: Sequence[Any]) -> TriedCall | None:
    """The last of some calls with these values; after what gold does before, or alone; None where it does not run."""
    before = _before(base) if base.by_gold else []
    calls = [call_message(base.name, **{**base.outcome["arguments"], parameter: value}) for value in values]
    if len(before) + len(calls) >= subject.traits.max_turns:
        calls = [_as_one(calls)]
    episode = subject.answer(base.episode.row_index, [*before, *calls, ""])
    made = episode.tool_calls
    place = (base.place if base.by_gold else 0) + len(values) - 1
    return TriedCall(episode, False, place) if len(made) > place and made[place]["error"] not in REFUSED else None


def _as_one(calls: Sequence[Message]) -> Message:
    """Calls in one message."""
    return {**calls[0], "tool_calls": [call for message in calls for call in message["tool_calls"]]}


def _before(base: TriedCall) -> list[Message]:
    """The turns of an episode before one of its calls."""
    made = 0
    for place, turn in enumerate(turns := own_turns(base.episode.completion)):
        made += len(turn.get("tool_calls") or [])
        if made > base.place:
            return turns[:place]
    return turns
