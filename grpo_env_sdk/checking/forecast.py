"""The forecast of the learning signal: how many groups have different rewards, and which rows never do."""

import inspect
import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from statistics import fmean, median
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.corruption import Corruption
from grpo_env_sdk.checking.evidence.attempts.skill_samples import SKILLS, Rewards, sampled
from grpo_env_sdk.checking.evidence.golds import NEARLY, episodes_seen, golds, play_answers
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import MORE_TIME, Finding, Item, Undecided
from grpo_env_sdk.evaluation.stats import mean_spread, share_without
from grpo_env_sdk.report.exhibits import Plot, Table

GROUP = 8
SIZES = (4, 8, 16, 32)
EARLY, HALF, USEFUL = 0.1, 0.5, 0.75
"""The part of gold's reward that a model earns at first, and the skills at which there should be a signal."""
SEVERAL = 4
FEWEST_ROWS = 3
"""One row may be too hard for anybody: it says nothing about the others."""
MOST_DOUBTFUL = 20
NARROW = 0.2
MANY, NEARLY_ALL = 0.65, 0.9


@check("F601", needs=("gold",), severity="info", share=4)
def groups_differ_within(subject: Subject) -> Iterator[Item]:
    """In most groups the answers of a model with a little skill do not all score the same."""
    rewards = sampled(subject)
    skills = [skill for skill in SKILLS if rewards.get(skill)]
    if not skills:
        return
    if len(rewards[skills[0]]) < min(FEWEST_ROWS, len(golds(subject))):
        yield Undecided("There was time for too few rows.", MORE_TIME, flags="--timeout 600")
        return
    yield _plot_shares(rewards, skills)
    yield _plot_spread(rewards, skills)
    yield _table(subject, rewards, skills)
    empty = {skill: share_without(list(rewards[skill].values()), GROUP) for skill in skills}
    if min(empty[skill] for skill in skills if skill <= USEFUL) >= NEARLY_ALL:
        yield _all_equal(subject, rewards, empty)
    elif _where(subject, rewards, EARLY, GROUP) >= MANY:
        yield _sparse_at_first(subject, rewards)
    elif _is_binary(rewards) and _pieces(subject) >= SEVERAL and empty.get(HALF, 0.0) >= MANY:
        yield _no_part_pays(subject, rewards, empty[HALF])


@check("F602", needs=("gold",), severity="warning", share=2)
def every_row_can_teach(subject: Subject) -> Iterator[Item]:
    """In every row some answer scores less than gold."""
    known = golds(subject)
    play_answers(subject, [(row, "") for row in known])
    doubtful = _without_difference(subject, list(known))
    idle: list[Any] = ["I don't know.", "lorem ipsum dolor sit amet", "0", *(gold.turns for gold in known.values())]
    play_answers(subject, [(row, answer) for row in doubtful[:MOST_DOUBTFUL] for answer in idle[:8]])
    flat = _without_difference(subject, doubtful[:MOST_DOUBTFUL], least=6)
    if not flat or len(flat) == len(known):
        return
    first = known[flat[0]]
    yield Finding(
        f"{len(flat)} of {len(known)} rows give no learning signal: in row {first.row} an empty answer, meaningless "
        f"words, answers of other rows and gold ({quoted(first.text)}) all score {first.reward:g}.",
        "Look at that row: is its right answer empty or missing, or does any answer earn the reward? Remove such rows.",
        row=first.row, input=subject.row(first.row), output=first.reward, expected="different scores",
    )  # fmt: skip


@check("F603", needs=("gold",), severity="warning", share=0.5)
def rewards_use_their_range(subject: Subject) -> Iterator[Item]:
    """The rewards of answers use a good part of the declared range."""
    known = list(golds(subject).values())[:20]
    play_answers(subject, [(gold.row, answer) for gold in known for answer in ("", "lorem ipsum dolor sit amet")])
    scored = [(episode.reward, episode) for episode in episodes_seen(subject) if episode.reward is not None]
    if len(scored) < 20:
        return
    low, top = subject.traits.reward_range
    (least, worst), (most, _) = (end(scored, key=lambda item: item[0]) for end in (min, max))
    if math.isinf(top - low) or not NEARLY < most - least <= NARROW * (top - low):
        return
    yield Finding(
        f"All {len(scored)} rewards, including those of empty answers and of gold, are between {least:g} and {most:g}: "
        f"{(most - least) / (top - low):.0%} of the range from {low:g} to {top:g}.",
        "Give wrong answers the bottom and right answers the top of the range; or declare the real reward_range.",
        row=worst.row_index, input=own_turns(worst.completion), output=least, expected=f"about {low:g}",
    )  # fmt: skip


def _where(subject: Subject, rewards: Rewards, earned: float, size: int) -> float:
    """The share of groups without spread when a model earns that part of gold; 0 if no sample earns so little.

    What the worst sample earns is earned for nothing, and does not count.
    """
    known = golds(subject)
    floor = min(min(seen) for rows in rewards.values() for seen in rows.values())
    points = []
    for skill in (skill for skill in SKILLS if rewards.get(skill)):
        rows = rewards[skill]
        gold = fmean(known[row].reward for row in rows) - floor
        earns = fmean(map(fmean, rows.values())) - floor
        points.append((earns / gold if gold > 0 else 1.0, list(rows.values())))
    for (less, before), (more, after) in pairwise([(0.0, points[0][1]), *points]):
        if less <= earned <= more and more > less:
            part = (earned - less) / (more - less)
            return (1 - part) * share_without(before, size) + part * share_without(after, size)
    return 0.0


def _sparse_at_first(subject: Subject, rewards: Rewards) -> Finding:
    shares = {size: _where(subject, rewards, EARLY, size) for size in SIZES}
    larger = 2 * GROUP
    helps = shares[larger] < shares[GROUP]
    in_larger = f"With num_generations={larger} it is {shares[larger]:.0%}. Or start" if helps else "Start"
    return Finding(
        f"While a model earns {EARLY:.0%} of what gold earns, {shares[GROUP]:.0%} of groups of {GROUP} give no "
        "learning signal: all their answers score the same.",
        f"{in_larger} with easier rows{_easier(subject)}, or give partial credit.",
        output={f"groups of {size}": round(share, 3) for size, share in shares.items()},
    )


def _no_part_pays(subject: Subject, rewards: Rewards, share: float) -> Finding:
    row = next(iter(rewards[HALF]))
    return Finding(
        f"At {HALF:.0%} skill {share:.0%} of groups of {GROUP} give no learning signal: an answer of "
        f"{_pieces(subject)} pieces earns all or nothing.",
        "Give partial credit. If there should be some already, look for rounding that removes it.",
        row=row, input=own_turns(golds(subject)[row].turns), output=sorted({0.0, golds(subject)[row].reward}),
    )  # fmt: skip


def _is_binary(rewards: Rewards) -> bool:
    """Whether the samples have at most two different rewards."""
    return len({round(value, 6) for rows in rewards.values() for seen in rows.values() for value in seen}) <= 2


def _pieces(subject: Subject) -> int:
    """The number of pieces of a gold answer that differ between rows."""
    known = list(golds(subject).values())
    corruption = Corruption([gold.turns for gold in known])
    return round(median(len(corruption.pieces(gold.turns)) for gold in known))


def _all_equal(subject: Subject, rewards: Rewards, empty: Mapping[float, float]) -> Finding:
    """The finding that wrong answers score like gold, or like nothing, or each in some of the rows."""
    known = golds(subject)
    level = {row: fmean(seen) / known[row].reward for row, seen in rewards[USEFUL].items() if known[row].reward > 0}
    high = [row for row, part in level.items() if part >= HALF]
    low = [row for row in rewards[USEFUL] if row not in high]
    if not low:
        why = "an answer with a quarter of its pieces wrong nearly always scores as much as gold."
        hint = "Give wrong answers less: the findings of the teaching checks show which ones score."
    elif not high:
        why = "an answer with a quarter of its pieces wrong nearly always scores the same as one that is all wrong."
        hint = f"Give partial credit, or start with easier rows{_easier(subject)}."
    else:
        why = f"wrong answers score as much as gold in {len(high)} of {len(level)} rows, such as {high[0]}, and almost "
        why += f"nothing in the others, such as {low[0]}."
        hint = f"Give wrong answers less in rows like {high[0]}, and give partial credit in rows like {low[0]}."
    row = (high or low)[0]
    interactive = not high and len(known[row].turns) > 1  # a model that reads the observations does better
    return Finding(
        f"Even at {USEFUL:.0%} skill {empty[USEFUL]:.0%} of groups of {GROUP} give no learning signal: {why}", hint,
        row=row, input=own_turns(known[row].turns),
        output={f"{skill:.0%} skill": round(empty[skill], 3) for skill in empty},
        severity="info" if interactive else "warning",
    )  # fmt: skip


def _easier(subject: Subject) -> str:
    """A hint at the constructor's parameter for difficulty, if it has one."""
    try:
        names = inspect.signature(subject.cls).parameters
    except (TypeError, ValueError):
        return ""
    known = next((name for name in names if name in ("difficulty", "level", "hardness", "longest", "max_length")), None)
    return f" (--env-config has {known!r})" if known else ""


def _plot_shares(rewards: Rewards, skills: Sequence[float]) -> Plot:
    lines = {
        f"groups of {size}": [(skill, share_without(list(rewards[skill].values()), size)) for skill in skills]
        for size in SIZES[:3]
    }
    note = "Skill: the probability with which each piece of the gold answer is right."
    return Plot("Groups without learning signal", lines, "skill", "share of groups without spread", note=note)


def _plot_spread(rewards: Rewards, skills: Sequence[float]) -> Plot:
    rows = {skill: list(rewards[skill].values()) for skill in skills}
    lines = {
        "mean reward": [(skill, fmean(map(fmean, rows[skill]))) for skill in skills],
        "spread in a group": [(skill, mean_spread(rows[skill])) for skill in skills],
    }
    return Plot("Reward and spread by skill", lines, "skill", "reward")


def _table(subject: Subject, rewards: Rewards, skills: Sequence[float]) -> Table:
    """The mean reward of each row at each skill, the hardest first."""
    rows = sorted(rewards[skills[0]], key=lambda row: sum(fmean(rewards[skill].get(row, [0.0])) for skill in skills))
    columns = ["row", *(f"{skill:.0%} skill" for skill in skills)]
    cells = [[row, *(f"{fmean(rewards[skill].get(row, [0.0])):.2f}" for skill in skills)] for row in rows]
    return Table("Difficulty of rows: mean reward by skill", columns, cells, "The hardest first.")


def _without_difference(subject: Subject, rows: Sequence[int], least: int = 1) -> list[int]:
    """The rows in which all answers so far, at least so many, scored the same, and none failed."""
    found: dict[int, list[float]] = defaultdict(list)
    failed = {episode.row_index for episode in episodes_seen(subject) if episode.error}
    for episode in episodes_seen(subject):
        if episode.reward is not None and episode.row_index not in failed:
            found[episode.row_index].append(episode.reward)
    return [row for row in rows if len(found[row]) >= least and max(found[row]) - min(found[row]) <= NEARLY]
