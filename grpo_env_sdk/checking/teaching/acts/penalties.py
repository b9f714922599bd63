"""Whether penalties lower the score, and nothing that gold avoids pays."""

import re
from collections.abc import Iterator, Sequence
from copy import deepcopy

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import NEARLY, Gold, episodes_seen, golds, play_scored, reward_of, was_scored
from grpo_env_sdk.checking.evidence.playing.turns import functions_of, own_turns
from grpo_env_sdk.checking.evidence.quoted_answers import answer_shown, reward_with_parts
from grpo_env_sdk.checking.evidence.subject import Completion, Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS, Turns
from grpo_env_sdk.checking.findings.finding import Finding, Severity
from grpo_env_sdk.checking.teaching.amounts.help_that_pays import help_that_costs_pays
from grpo_env_sdk.checking.teaching.lazy_answers.idling import EMPTY, FILLING
from grpo_env_sdk.checking.teaching.lazy_answers.punished_words import punished_words_pay
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.rewards.rubric import Rubric
from grpo_env_sdk.rewards.score_rule import RewardPart
from grpo_env_sdk.types import Episode

MOST_ROWS, MOST_VALUES, FACTOR, MUCH_MORE = 8, 3, 1000, 0.01
"""On how many rows, and with how many values of each parameter; what numbers are multiplied by; what is more."""
_FAULT = regex(
    r"penal|overload|violat|exceed|excess|mistake|damage|waste|offen[cs]e|breach|overrun|overspen|collision|toxic|rude|"
    r"too_(?:many|much|long|late)",
    re.IGNORECASE,
)
"""What names of rewards for faults say."""


@check("G597")
def penalties_lower_the_score(subject: Subject) -> Iterator[Finding]:
    """A penalty lowers the score, and words and help that cost something and calls that are all alike earn nothing."""
    yield from list(_of_parts(subject)) or help_that_costs_pays(subject)


def _of_parts(subject: Subject) -> Iterator[Finding]:
    """The findings that parts of the score pay for faults, or calls that are all alike, or words that cost."""
    parts = [part for part in Rubric.of(subject.loaded.env).parts if part.weight]
    known = list(golds(subject).values())[:MOST_ROWS]
    if not known and all(part.weight > 0 for part in parts):
        return
    rows = [gold.row for gold in known] or subject.sample(MOST_ROWS)
    tried: list[tuple[int, Completion]] = [(gold.row, turns) for gold in known for turns in _all_alike(gold)]
    if any(map(_may_be_penalty, parts)):
        tried += [(row, text) for row in rows for text in (EMPTY | FILLING).values()]
    played = play_scored(subject, tried)
    inverted = [found for part in parts if (found := _paid_for_a_fault(subject, part, played))]
    yield from inverted or list(_above_gold(subject, played)) or punished_words_pay(subject)


def _may_be_penalty(part: RewardPart) -> bool:
    return part.weight < 0 or _FAULT.search(part.name) is not None


def _all_alike(gold: Gold) -> Iterator[Turns]:
    """Gold with one value of a parameter in all calls of a tool that it calls with several, or far larger numbers."""
    values: dict[tuple[str, str], list[object]] = {}
    for name, given in gold.calls:
        for key, value in given.items():
            values.setdefault((name, key), []).append(value)
    for (name, key), known in values.items():
        several = list({repr(value): value for value in known}.values())
        if len(several) > 1:
            yield from (_with(gold, name, key, value) for value in several[:MOST_VALUES])
        if all(type(value) in (int, float) for value in known):
            yield _with(gold, name, key, max(known, key=float) * FACTOR)  # type: ignore[arg-type,operator]


def _with(gold: Gold, name: str, key: str, value: object) -> Turns:
    turns = deepcopy(gold.turns)
    for call in functions_of(turns):
        if call["name"] == name and isinstance(call["arguments"], dict) and key in call["arguments"]:
            call["arguments"][key] = value
    return turns


def _paid_for_a_fault(subject: Subject, part: RewardPart, played: Sequence[Episode]) -> Finding | None:
    """The finding that a reward adds to the score where it should take something away."""
    seen = {id(one): one for one in [*played, *episodes_seen(subject)] if was_scored(one)}
    of_part = {key: part.weight * (one.rewards.get(part.name) or 0.0) for key, one in seen.items()}
    most = max(of_part, key=lambda key: (of_part[key] > NEARLY, reward_of(seen[key])), default=None)
    paid = None if most is None or of_part[most] <= NEARLY else seen[most]
    if part.weight < 0:
        never_lowers = part.range[0] < -NEARLY and part.range[1] <= NEARLY
        if not never_lowers and paid is None:
            return None
        return _inverted(subject, part, paid, "error" if never_lowers or part.range[0] >= 0 else "warning")
    of_gold = [part.weight * (one.rewards.get(part.name) or 0.0) for one in seen.values() if _is_gold(subject, one)]
    if paid is None or not _FAULT.search(part.name) or not of_gold or max(of_gold) > NEARLY:
        return None
    return _inverted(subject, part, paid, "error" if _more(subject, paid) else "warning")


def _inverted(subject: Subject, part: RewardPart, paid: Episode | None, severity: Severity) -> Finding:
    low, high = part.range
    shown = ""
    if paid is not None:
        gold = golds(subject).get(paid.row_index)
        turns = own_turns(paid.completion)
        shown = f": {answer_shown(turns)} has {paid.rewards[part.name]:g} of it and scores {paid.reward:g}" + (
            f", gold {gold.reward:g}" if gold else ""
        )
    what = f"values from {low:g} to {high:g}" if part.weight < 0 else "gold has none of it"
    return Finding(
        f"The reward {part.name!r} has the weight {part.weight:g} and {what}, so what it is to punish pays{shown}.",
        "Let a penalty return 0 or more and give it a negative weight, or return 0 or less with a positive weight.",
        paid.row_index if paid else None, own_turns(paid.completion) if paid else None,
        reward_with_parts(paid) if paid else None, "a lower score for the fault", severity,
    )  # fmt: skip


def _above_gold(subject: Subject, played: Sequence[Episode]) -> Iterator[Finding]:
    """The finding that calls which are all alike earn more than gold."""
    above = [one for one in played if _more(subject, one)]
    rows = {one.row_index for one in above}
    if len(rows) < FEWEST_ROWS or 2 * len(rows) < len({one.row_index for one in played}):
        return
    best = max(above, key=reward_of)
    gold, top = golds(subject)[best.row_index].reward, subject.traits.reward_range[1]
    yield Finding(
        f"Gold with one value in all its calls earns more than gold on {len(rows)} rows: "
        f"{answer_shown(own_turns(best.completion))} earns {best.reward:g}, gold {gold:g}.",
        "Look for a penalty with the wrong sign, or for something that pays without a limit; "
        "or let solve(row) give the best answer.",
        best.row_index, own_turns(best.completion), reward_with_parts(best), f"at most {gold:g}",
        "error" if reward_of(best) > top + NEARLY else "warning",
    )  # fmt: skip


def _is_gold(subject: Subject, episode: Episode) -> bool:
    gold = golds(subject).get(episode.row_index)
    return gold is not None and own_turns(episode.completion) == gold.turns


def _more(subject: Subject, episode: Episode) -> bool:
    gold = golds(subject).get(episode.row_index)
    return gold is not None and reward_of(episode) > gold.reward * (1 + MUCH_MORE) + NEARLY
