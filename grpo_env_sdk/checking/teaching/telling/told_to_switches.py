"""Whether an optional argument that gold leaves out makes a tool show what gold works out from other replies."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from grpo_env_sdk.checking.evidence.author_code.gold_code import reads_replies
from grpo_env_sdk.checking.evidence.golds import Gold, golds, less_than_gold, play_answers, won_of
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of, properties_of, required_of
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.prompts.tool_names import may_only_look
from grpo_env_sdk.checking.evidence.quoted_answers import quoted, reward_with_parts
from grpo_env_sdk.checking.evidence.secret_words import secrets, words_of
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS, as_good_on_most
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.data.messages import call_message
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode, Message, canonical_json

TASTED, MOST_ROWS, MOST_VALUES, MOSTLY, DIFFERENT = 4, 10, 5, 0.75, 3
_WORKS_OUT = regex(
    r"total|sum|average|mean|count|calculat|comput|convert|result|summar|score|evaluat|solv|answer|format|unit", re.I
)
"""What a tool or an argument says whose purpose it is to work something out."""


@dataclass(frozen=True, slots=True)
class Switch:
    """A tool with a value for an optional argument that no gold sets."""

    tool: dict[str, Any]
    key: str
    value: Any

    def call(self, gold: Gold, is_set: bool = True) -> Message | None:
        """The call in a row, with what else it needs from gold's own; None where gold has no such call."""
        given = gold.first_given(name_of(self.tool)) or {}
        if not set(required_of(self.tool)) <= set(given):
            return None
        return call_message(name_of(self.tool), **given, **({self.key: self.value} if is_set else {}))


def told_to_switches(subject: Subject) -> Iterator[Finding]:
    """The finding that a tool shows it once an optional argument is set, and what gold does next then scores."""
    hidden = {row: words - _given(subject, golds(subject)[row]) for row, words in secrets(subject).items()}
    known = [(golds(subject)[row], words) for row, words in hidden.items() if words]
    if len(known) < FEWEST_ROWS or not reads_replies(subject.loaded.env):
        return  # gold may know it from elsewhere, and tools have to show it
    for switch in _switches(subject):
        told = _told(subject, known[:TASTED], switch)
        if len(told) < MOSTLY * TASTED:
            continue
        rows = known[:MOST_ROWS]
        told = _told(subject, rows, switch)
        if len(told) < max(FEWEST_ROWS, MOSTLY * len(rows)) or len({word for _, word, _ in told}) < DIFFERENT:
            continue
        played = play_answers(subject, [(gold.row, again) for gold, _, again in told])
        if as_good_on_most(subject, played, len(rows)):
            won = won_of(subject, played)[0]
            yield _finding(subject, switch, won, {gold.row: word for gold, word, _ in told}, len(rows))
            return


def _given(subject: Subject, gold: Gold) -> set[str]:
    """The words of the prompt and of the row's columns, from which gold may have them without working them out."""
    return words_of(f"{prompt_text(subject, gold.row)} {canonical_json(subject.row(gold.row))}")


def _switches(subject: Subject) -> Iterator[Switch]:
    """The other values of each optional boolean or enum of tools that only look, where no gold sets it."""
    used = {(name, key) for gold in golds(subject).values() for name, given in gold.calls for key in given}
    told = prompt_text(subject, next(iter(golds(subject))))
    for tool in subject.tools if not subject.traits.tools_of_rows else ():
        for key, schema in properties_of(tool).items() if may_only_look(tool) else ():
            named = key.casefold() in words_of(told) or key.replace("_", " ").casefold() in told.casefold()
            said = f"{name_of(tool)} {key} {schema.get('description') or ''}"
            if key in required_of(tool) or (name_of(tool), key) in used or named or _WORKS_OUT.search(said):
                continue
            values = [True, False] if schema.get("type") == "boolean" else schema.get("enum") or []
            others = [one for one in values if one is not None and one != schema.get("default")]
            yield from (Switch(tool, key, value) for value in others[:MOST_VALUES])


def _told(
    subject: Subject, known: Sequence[tuple[Gold, set[str]]], switch: Switch
) -> list[tuple[Gold, str, list[Message]]]:
    """By row, the word that the call shows only when it is set, and that call with what gold does from the word on."""
    found = []
    for gold, words in known:
        place = _first_use(gold, words)
        calls = [switch.call(gold), switch.call(gold, is_set=False)]
        if not place or None in calls:
            continue
        played = play_answers(subject, [(gold.row, [call, ""]) for call in calls if call])
        shown, usual = ([_shown(one) for one in played] + [set(), set()])[:2]
        others = [one for other, one in known if other is not gold and not one & words]
        elsewhere = sum(bool(one & shown) for one in others)
        if (told := words & shown - usual) and 3 * elsewhere <= len(others):
            again = [call for call in calls[:1] if call]
            found.append((gold, min(told, key=lambda word: (-len(word), word)), [*again, *gold.turns[place:]]))
    return found


def _first_use(gold: Gold, words: set[str]) -> int:
    """The place of gold's first turn that has one of these words; 0 where it looks nothing up before."""
    return next((place for place, turn in enumerate(gold.turns) if words & words_of(canonical_json(turn))), 0)


def _shown(episode: Episode) -> set[str]:
    """The words of the reply to the first call, if it was carried out."""
    call = next(iter(episode.tool_calls), None)
    return set() if call is None or call["error"] else words_of(str(call["content"]))


def _finding(subject: Subject, switch: Switch, won: Episode, told: dict[int, str], of: int) -> Finding:
    reply, word = str(won.tool_calls[0]["content"]), told[won.row_index]
    where = max(0, reply.casefold().find(word) - 60)
    return Finding(
        f"{name_of(switch.tool)} with {switch.key}={switch.value!r}, which gold never sets, shows what gold works out "
        f"from other replies, on {len(told)} of {of} rows: {quoted(word)} in "
        f"{quoted(reply[where : where + 60 + len(word) + 20], 120)}, and gold from there on scores {won.reward:g}.",
        "Show nothing there that has to be worked out, or say that it may be looked up.",
        won.row_index, own_turns(won.completion), reward_with_parts(won), less_than_gold(subject, won),
        severity="warning",
    )  # fmt: skip
