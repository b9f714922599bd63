"""Partial credit grows towards gold: the more of an answer is wrong, the less it is worth."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.corruption import Corruption
from grpo_env_sdk.checking.evidence.golds import NEARLY, golds, own_turns, tried
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding, Item
from grpo_env_sdk.evaluation.stats import Mean, mean_of
from grpo_env_sdk.report.exhibits import Plot
from grpo_env_sdk.types import Episode, Message

MOST_ROWS = {"quick": 8, "default": 20, "thorough": 80}
STEPS = 4
MATTERS = 0.05
"""A rise towards what is wrong that is less than this part of the gold's worth is let pass."""


@dataclass(frozen=True, slots=True)
class Rung:
    """One gold course with so many of its pieces spoilt."""

    row: int
    wrong: float
    turns: list[Message]


@check("G509", needs=("gold",), severity="warning", share=2)
def partial_credit_grows_towards_gold(subject: Subject) -> Iterator[Item]:
    """The more of a gold answer is spoilt, the less it is worth."""
    climbed = _climbed(subject)
    if len(climbed) < 2:
        return
    levels = sorted({level for rewards in climbed.values() for level in rewards})
    means = {level: _mean({row: seen[level][1] for row, seen in climbed.items() if level in seen}) for level in levels}
    bands = [(level, mean.low, mean.high) for level, mean in means.items() if mean.low is not None and mean.high]
    yield Plot(
        "Partial credit", {"spoilt gold": [(level, mean.mean or 0.0) for level, mean in means.items()]},
        "share of the answer that is wrong", "mean reward",
        {"spoilt gold": bands},
    )  # fmt: skip
    worth = max(abs(mean.mean or 0.0) for mean in means.values())
    for less in levels:
        for more in (level for level in levels if level > less):
            rise = {row: seen[more][1] - seen[less][1] for row, seen in climbed.items() if {less, more} <= set(seen)}
            gain = _mean(rise)
            if gain.low is not None and gain.low > MATTERS * worth + NEARLY and len(rise) >= 4:
                yield _rising(climbed, rise, less, more)
                return


def _climbed(subject: Subject) -> dict[int, dict[float, tuple[Episode, float]]]:
    """For each row, what its gold is worth at each level of spoiling."""
    known = list(golds(subject).values())
    spoiler = Corruption([gold.turns for gold in known])
    rungs = []
    for gold in known[: MOST_ROWS[subject.effort]]:
        pieces = spoiler.pieces(gold.turns)
        subject.random.shuffle(pieces)
        for step in range(STEPS + 1) if len(pieces) > 1 else (0, STEPS):
            wrong = pieces[: round(len(pieces) * step / STEPS)]
            rungs.append(Rung(gold.row, step / STEPS, spoiler.spoilt(gold.turns, wrong, subject.random)))
    found: dict[int, dict[float, tuple[Episode, float]]] = defaultdict(dict)
    for rung, episode in zip(rungs, tried(subject, [(rung.row, rung.turns) for rung in rungs]), strict=False):
        if episode.reward is not None:
            found[rung.row][rung.wrong] = (episode, episode.reward)
    return found


def _mean(values: dict[int, float]) -> Mean:
    return mean_of({row: [value] for row, value in values.items()})


def _rising(
    climbed: dict[int, dict[float, tuple[Episode, float]]], rise: dict[int, float], less: float, more: float
) -> Finding:
    """The row in which being more wrong pays most."""
    row = max(rise, key=lambda row: rise[row])
    (_, before), (worse, after) = climbed[row][less], climbed[row][more]
    named = "gold itself" if not less else f"an answer that is {less:.0%} wrong"
    return Finding(
        f"An answer that is {more:.0%} wrong is worth more than {named}: {after:g} and {before:g} in row {row}, and "
        f"{_mean(rise)} more on the mean of {len(rise)} rows.",
        "Let the score grow with what is right, so that each step towards the answer pays.",
        row=row, input=own_turns(worse.completion), output=after, expected=f"at most {before:g}",
    )  # fmt: skip
