"""Whether a tool that may be used once has its effect each time, as the amounts in replies or the score show."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from grpo_env_sdk.checking.evidence.golds import NEARLY, as_good_as_gold, less_than_gold, play_answers, reward_of
from grpo_env_sdk.checking.evidence.playing.tool_parameters import description_of, tool_named
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.prompts.input_echo import without_echo
from grpo_env_sdk.checking.evidence.prompts.said_once import said_once
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS, Act, Turns, cut_off, last_acts, looking_tools
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode

TASTED, FEWEST_TIMES, MOST_TIMES, MOSTLY = 4, 3, 4, 0.75
"""Rows that are tried first, how often a tool is used, and on how much of the rows each use has to count."""
_AMOUNT = regex(r"(?<![\w:#/.-])(-?\d+(?:,\d{3})*(?:\.\d+)?)(?![\w:/]|[.,-]\d)")
"""A number that is no time, date, part of a name or id."""


@dataclass(frozen=True, slots=True)
class Used:
    """Episodes of gold with its use of a tool once, twice and so on, and the amounts that go on changing."""

    act: Act
    episodes: Sequence[Episode]
    amounts: Sequence[float]
    said: str
    """The reply in which they are after the last use; nothing where it is the score."""


def effects_that_add_up(subject: Subject) -> Iterator[Finding]:
    """The finding that each use of a tool counts, of which it is said that it may be used once."""
    for name, acts in last_acts(subject).items():
        known = [act for act in acts if _once(subject, act)] if name not in looking_tools(subject) else []
        if len(known) < FEWEST_ROWS:
            continue
        found = [one for act in known[:TASTED] if (one := _used(subject, act))]
        if len(found) < MOSTLY * TASTED:
            continue
        found += [one for act in known[TASTED:] if (one := _used(subject, act))]
        if len(found) >= max(FEWEST_ROWS, MOSTLY * len(known)):
            yield _finding(subject, found, len(known))
            return


def _once(subject: Subject, act: Act) -> str:
    """The sentence by which a tool may be used once, if gold uses it once."""
    if sum(name == act.name for name, _ in act.gold.calls) != 1:
        return ""
    tool = tool_named(subject.tools_of(act.gold.row), act.name)
    return said_once(prompt_text(subject, act.gold.row), act.name, description_of(tool) if tool else "")


def _used(subject: Subject, act: Act) -> Used | None:
    """What more uses of the tool change, where gold with them is as good as gold."""
    times = min(MOST_TIMES, 1 + subject.traits.max_turns - len(act.gold.turns))
    if times < FEWEST_TIMES:
        return None
    answers = [(act.gold.row, _repeated(act, more)) for more in range(times)]
    played = play_answers(subject, answers)
    if len(played) < times or any(one.error or cut_off(one) or not as_good_as_gold(subject, one) for one in played):
        return None
    rewards = [reward_of(one) for one in played]
    if all(after > before + NEARLY for before, after in pairwise(rewards)):
        return Used(act, played, rewards, "")
    place = len([call for turn in act.before for call in turn.get("tool_calls") or ()])
    for at in range(place, len(played[0].tool_calls)):
        replies = [one.tool_calls[at + more] for more, one in enumerate(played) if at + more < len(one.tool_calls)]
        if len(replies) == times and (amounts := _amounts(replies)):
            return Used(act, played, amounts, str(replies[-1]["content"]))
    return None


def _repeated(act: Act, more: int) -> Turns:
    """Gold with so many more uses right after its own."""
    place = len(act.before) + 1
    return [*act.gold.turns[:place], *(act.again() for _ in range(more)), *act.gold.turns[place:]]


def _amounts(replies: Sequence[Mapping[str, Any]]) -> list[float]:
    """The first number that goes on falling or rising from reply to reply, which have the same words; or nothing.

    One that changes by one each time may count the calls.
    """
    texts = [without_echo(str(one["content"]), one["arguments"]) for one in replies]
    if any(one["error"] for one in replies) or len({_AMOUNT.sub("#", text) for text in texts}) > 1:
        return []
    numbers = [[float(one.replace(",", "")) for one in _AMOUNT.findall(text)] for text in texts]
    for series in zip(*numbers, strict=False):
        steps = [after - before for before, after in pairwise(series)]
        counts = all(abs(abs(step) - 1) < NEARLY for step in steps)
        if not counts and (all(step > NEARLY for step in steps) or all(step < -NEARLY for step in steps)):
            return list(series)
    return []


def _finding(subject: Subject, found: Sequence[Used], of: int) -> Finding:
    first = found[0]
    last = first.episodes[-1]
    where = f"it goes on to change an amount in the replies: {_listed(first)}, {quoted(first.said)}"
    return Finding(
        f"Using {first.act.name} {len(first.episodes)} times scores as much as gold on {len(found)} of {of} rows, and "
        f"each time {where if first.said else f'it earns more: {_listed(first)}'}, although it may be used once: "
        f"{quoted(_once(subject, first.act), 120)}.",
        f"Let {first.act.name} refuse a second use, or have no effect, or say that it may be used again.",
        first.act.gold.row, own_turns(last.completion), last.reward, less_than_gold(subject, last),
    )  # fmt: skip


def _listed(used: Used) -> str:
    return ", ".join(f"{one:.6g}" for one in used.amounts)
