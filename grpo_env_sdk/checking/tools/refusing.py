"""Whether every value that a schema lists can be used."""

import re
from collections.abc import Iterator
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of, properties_of
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.calls import REFUSED, TriedCall, by_tool, calls_made
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.tools.mattering import changed
from grpo_env_sdk.checking.tools.never_done import carried_out_in_no_row
from grpo_env_sdk.late_patterns import regex

FEWEST_CALLS = {"quick": 3, "default": 4, "thorough": 8}
MOST_VALUES = 12
_REFUSES = (
    r"\b(?:unknown|invalid|unsupported|unrecogni[sz]ed|no|no such)(?: \w+)?:? \W?{0}\b",
    r"\b{0}\W? is (?:unknown|unsupported|invalid|not (?:a )?(?:valid|supported|known|recogni[sz]ed|implemented))\b",
    r"\b(?:must be|expected) one of\b.*\b{0}\b|\b{0}\b.*\b(?:must be|expected) one of\b",
)
"""How a reply says that a tool does not know a value, and not that it cannot be used now."""
_UNNAMED = regex(
    r"\b(?:unknown|unsupported|unrecogni[sz]ed|no such|not (?:supported|recogni[sz]ed|implemented|known))\b",
    re.IGNORECASE,
)
"""How it says so without the value; then every call has to get the same reply."""


@check("T422", needs=("calls",), severity="warning", share=2)
def every_listed_value_is_accepted(subject: Subject) -> Iterator[Finding]:
    """No value of an enum is refused in every call that works with another value."""
    answered = by_tool(call for call in calls_made(subject) if call.error is None)
    for tool in subject.tools:
        bases = _one_a_row(answered.get(name_of(tool), []))[: 3 * FEWEST_CALLS[subject.effort]]
        for parameter, schema in properties_of(tool).items():
            values = schema.get("enum")
            for value in values[:MOST_VALUES] if isinstance(values, list) and len(values) > 1 else ():
                others = [other for other in values[:MOST_VALUES] if other != value]
                finding = _finding_if_refused(subject, bases, parameter, value) or carried_out_in_no_row(
                    subject, tool, answered.get(name_of(tool), []), parameter, value, others
                )
                if finding:
                    yield finding
                    break


def _finding_if_refused(subject: Subject, bases: list[TriedCall], parameter: str, value: Any) -> Finding | None:
    """The finding that calls that work fail once they have this value, with a message that names it."""
    with_it = [base for base in bases if base.outcome["arguments"].get(parameter) == value]
    fewest = FEWEST_CALLS[subject.effort]
    if any(not _says_unknown(base.content, value) for base in with_it):
        return None
    bases = [base for base in bases if base not in with_it][:fewest]
    if len(bases) < min(fewest, len(subject.rows)):
        return None
    replies: set[str] = set()
    for base in bases:
        if not subject.time_left:
            return None
        episode = subject.answer(base.episode.row_index, changed(base, parameter, value))
        calls = episode.tool_calls
        if len(calls) <= base.place or calls[base.place]["error"] in REFUSED:
            return None
        reply = str(calls[base.place]["content"])
        replies.add(reply)
        named = _says_unknown(reply, value)
        if not named and (not _UNNAMED.search(reply) or len(replies) > 1 or _UNNAMED.search(base.content)):
            return None
        if _says_unknown(base.content, base.outcome["arguments"].get(parameter)):
            return None
    return Finding(
        f"{bases[0].name} lists {parameter}={value!r} in its schema, and refuses it whatever else it is given: "
        f"{len(bases)} calls that work with another value fail with it.",
        f"Accept {value!r}, or take it out of the enum.",
        bases[0].episode.row_index, {**bases[0].call["arguments"], parameter: value}, reply, "a result",
        severity="error" if _is_wanted(subject, value) else None,
    )  # fmt: skip


def _is_wanted(subject: Subject, value: Any) -> bool:
    """Whether a row has this value in a column of its own: it may not be won without."""
    rows = (subject.row(row) for row in subject.chosen)
    return isinstance(value, str) and any(value in [row[name] for name in row if name != "prompt"] for row in rows)


def _says_unknown(reply: str, value: Any) -> bool:
    return any(re.search(pattern.format(re.escape(str(value))), reply, re.IGNORECASE) for pattern in _REFUSES)


def _one_a_row(calls: list[TriedCall]) -> list[TriedCall]:
    """Calls of different rows, those of gold first."""
    found: dict[int, TriedCall] = {}
    for call in sorted(calls, key=lambda call: not call.by_gold):
        found.setdefault(call.episode.row_index, call)
    return list(found.values())
