"""Whether partial credit grows towards gold: the more of an answer is wrong, the lower its score."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.corruption import Corruption
from grpo_env_sdk.checking.evidence.golds import NEARLY, golds, play_answers
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding, Item
from grpo_env_sdk.evaluation.stats import Mean, mean_of
from grpo_env_sdk.report.exhibits import Plot
from grpo_env_sdk.types import Episode, Message

MOST_ROWS = {"quick": 8, "default": 20, "thorough": 80}
STEPS = 4
MATTERS = 0.05
"""A smaller rise of the score towards wrong answers, as a part of gold's reward, is ignored."""


@dataclass(frozen=True, slots=True)
class Rung:
    """One gold answer with so much of it corrupted."""

    row: int
    wrong: float
    turns: list[Message]


@check("G509", needs=("gold",), severity="warning", share=2)
def partial_credit_grows_towards_gold(subject: Subject) -> Iterator[Item]:
    """The more of a gold answer is wrong, the lower its score."""
    scores = _scores_by_level(subject)
    if len(scores) < 2:
        return
    levels = sorted({level for rewards in scores.values() for level in rewards})
    means = {level: _mean({row: seen[level][1] for row, seen in scores.items() if level in seen}) for level in levels}
    bands = [(level, mean.low, mean.high) for level, mean in means.items() if mean.low is not None and mean.high]
    yield Plot(
        "Partial credit", {"corrupted gold": [(level, mean.mean or 0.0) for level, mean in means.items()]},
        "share of the answer that is wrong", "mean reward",
        {"corrupted gold": bands},
    )  # fmt: skip
    largest = max(abs(mean.mean or 0.0) for mean in means.values())
    for less in levels:
        for more in (level for level in levels if level > less):
            rise = {row: seen[more][1] - seen[less][1] for row, seen in scores.items() if {less, more} <= set(seen)}
            gain = _mean(rise)
            if gain.low is not None and gain.low > MATTERS * largest + NEARLY and len(rise) >= 4:
                yield _rising(scores, rise, less, more)
                return


def _scores_by_level(subject: Subject) -> dict[int, dict[float, tuple[Episode, float]]]:
    """The episode and score of each row's gold at each level of corruption."""
    known = list(golds(subject).values())
    corruption = Corruption([gold.turns for gold in known])
    rungs = []
    for gold in known[: MOST_ROWS[subject.effort]]:
        pieces = corruption.pieces(gold.turns)
        subject.random.shuffle(pieces)
        for step in range(STEPS + 1) if len(pieces) > 1 else (0, STEPS):
            wrong = pieces[: round(len(pieces) * step / STEPS)]
            rungs.append(Rung(gold.row, step / STEPS, corruption.corrupted(gold.turns, wrong, subject.random)))
    found: dict[int, dict[float, tuple[Episode, float]]] = defaultdict(dict)
    for rung, episode in zip(rungs, play_answers(subject, [(rung.row, rung.turns) for rung in rungs]), strict=False):
        if episode.reward is not None:
            found[rung.row][rung.wrong] = (episode, episode.reward)
    return found


def _mean(values: dict[int, float]) -> Mean:
    return mean_of({row: [value] for row, value in values.items()}, exact=True)


def _rising(
    scores: dict[int, dict[float, tuple[Episode, float]]], rise: dict[int, float], less: float, more: float
) -> Finding:
    """The finding, with the row in which a more wrong answer gains most."""
    row = max(rise, key=lambda row: rise[row])
    (_, before), (worse, after) = scores[row][less], scores[row][more]
    named = "gold itself" if not less else f"an answer that is {less:.0%} wrong"
    return Finding(
        f"An answer that is {more:.0%} wrong scores more than {named}: {after:g} instead of {before:g} in row {row}, "
        f"and {_mean(rise)} more on average over {len(rise)} rows.",
        "Let the score grow with each right part of the answer.",
        row=row, input=own_turns(worse.completion), output=after, expected=f"at most {before:g}",
    )  # fmt: skip
