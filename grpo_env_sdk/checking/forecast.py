"""The forecast of the signal: at which skill the members of a group differ, and which rows never teach."""

import inspect
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from statistics import fmean, median
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.corruption import Corruption
from grpo_env_sdk.checking.evidence.golds import NEARLY, golds, own_turns, quoted, seen, tried
from grpo_env_sdk.checking.evidence.skill_samples import SKILLS, Rewards, sampled
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding, Item
from grpo_env_sdk.evaluation.stats import mean_spread, share_without
from grpo_env_sdk.report.exhibits import Plot, Table

GROUP = 8
SIZES = (4, 8, 16, 32)
EARLY, HALF, USEFUL = 0.1, 0.5, 0.75
"""What part of the gold's reward a model earns at first; at half and at most skill something should teach."""
SEVERAL = 4
MOST_DOUBTFUL = 20
NARROW = 0.2
MANY, NEARLY_ALL = 0.65, 0.9


@check("F601", needs=("gold",), severity="info", share=4)
def groups_differ_within(subject: Subject) -> Iterator[Item]:
    """In most groups the answers of a model with a little skill are not all worth the same."""
    rewards = sampled(subject)
    skills = [skill for skill in SKILLS if rewards.get(skill)]
    if not skills:
        return
    yield _plot_shares(rewards, skills)
    yield _plot_spread(rewards, skills)
    yield _table(subject, rewards, skills)
    empty = {skill: share_without(list(rewards[skill].values()), GROUP) for skill in skills}
    if min(empty[skill] for skill in skills if skill <= USEFUL) >= NEARLY_ALL:
        yield _all_alike(subject, rewards, empty)
    elif _where(subject, rewards, EARLY, GROUP) >= MANY:
        yield _sparse_at_first(subject, rewards)
    elif _is_binary(rewards) and _pieces(subject) >= SEVERAL and empty.get(HALF, 0.0) >= MANY:
        yield _no_part_pays(subject, rewards, empty[HALF])


@check("F602", needs=("gold",), severity="warning", share=2)
def every_row_can_teach(subject: Subject) -> Iterator[Item]:
    """In every row some answer is worth less than gold."""
    known = golds(subject)
    tried(subject, [(row, "") for row in known])
    doubtful = _without_difference(subject, list(known))
    idle: list[Any] = ["I don't know.", "lorem ipsum dolor sit amet", "0", *(gold.turns for gold in known.values())]
    tried(subject, [(row, said) for row in doubtful[:MOST_DOUBTFUL] for said in idle[:8]])
    flat = _without_difference(subject, doubtful[:MOST_DOUBTFUL], least=6)
    if not flat or len(flat) == len(known):
        return
    first = known[flat[0]]
    yield Finding(
        f"{len(flat)} of {len(known)} rows teach nothing: in row {first.row} silence, words without meaning, the "
        f"answers of other rows and gold ({quoted(first.text)}) are all worth {first.reward:g}.",
        "Look at that row: is what it wants empty or missing, or does anything earn its reward? Leave such rows out.",
        row=first.row, input=subject.row(first.row), output=first.reward, expected="different scores",
    )  # fmt: skip


@check("F603", needs=("gold",), severity="warning", share=0.5)
def rewards_use_their_range(subject: Subject) -> Iterator[Item]:
    """The rewards that answers earn are spread over a good part of the range that is declared."""
    known = list(golds(subject).values())[:20]
    tried(subject, [(gold.row, said) for gold in known for said in ("", "lorem ipsum dolor sit amet")])
    scored = [(episode.reward, episode) for episode in seen(subject) if episode.reward is not None]
    if len(scored) < 20:
        return
    low, top = subject.traits.reward_range
    (least, worst), (most, _) = (end(scored, key=lambda item: item[0]) for end in (min, max))
    if not NEARLY < most - least <= NARROW * (top - low):
        return
    yield Finding(
        f"All {len(scored)} rewards seen, those of silence and of gold among them, lie between {least:g} and {most:g}: "
        f"{(most - least) / (top - low):.0%} of the range from {low:g} to {top:g}.",
        "Pay little for what is wrong, and all of the range for what is right; or declare the real reward_range.",
        row=worst.row_index, input=own_turns(worst.completion), output=least, expected=f"about {low:g}",
    )  # fmt: skip


def _where(subject: Subject, rewards: Rewards, earned: float, size: int) -> float:
    """The share of groups without spread where a model earns that part of gold; 0 where none earns so little."""
    known = golds(subject)
    points = []
    for skill in (skill for skill in SKILLS if rewards.get(skill)):
        rows = rewards[skill]
        gold = fmean(known[row].reward for row in rows)
        points.append((fmean(map(fmean, rows.values())) / gold if gold > 0 else 1.0, list(rows.values())))
    for (less, before), (more, after) in pairwise([(0.0, points[0][1]), *points]):
        if less <= earned <= more and more > less:
            part = (earned - less) / (more - less)
            return (1 - part) * share_without(before, size) + part * share_without(after, size)
    return 0.0


def _sparse_at_first(subject: Subject, rewards: Rewards) -> Finding:
    shares = {size: _where(subject, rewards, EARLY, size) for size in SIZES}
    larger = 2 * GROUP
    return Finding(
        f"While a model earns {EARLY:.0%} of what gold earns, {shares[GROUP]:.0%} of groups of {GROUP} teach nothing: "
        "all their answers are worth the same.",
        f"With num_generations={larger} it is {shares[larger]:.0%}. Or begin with easier rows{_easier(subject)}, or "
        "pay for parts of the answer.",
        output={f"groups of {size}": round(share, 3) for size, share in shares.items()},
    )


def _no_part_pays(subject: Subject, rewards: Rewards, share: float) -> Finding:
    row = next(iter(rewards[HALF]))
    return Finding(
        f"At {HALF:.0%} skill {share:.0%} of groups of {GROUP} teach nothing: an answer of {_pieces(subject)} pieces "
        "earns all or nothing.",
        "Pay for parts of the answer. If parts are meant to pay already, look for a rounding that takes them away.",
        row=row, input=own_turns(golds(subject)[row].turns), output=sorted({0.0, golds(subject)[row].reward}),
    )  # fmt: skip


def _is_binary(rewards: Rewards) -> bool:
    """Whether the samples are worth two different things at most."""
    return len({round(value, 6) for rows in rewards.values() for seen in rows.values() for value in seen}) <= 2


def _pieces(subject: Subject) -> int:
    """Of how many pieces a gold answer is made, those aside that all have."""
    known = list(golds(subject).values())
    spoiler = Corruption([gold.turns for gold in known])
    return round(median(len(spoiler.pieces(gold.turns)) for gold in known))


def _all_alike(subject: Subject, rewards: Rewards, empty: Mapping[float, float]) -> Finding:
    """Wrong answers are worth what gold is, or nothing, or the one in some rows and the other in the rest."""
    known = golds(subject)
    level = {row: fmean(seen) / known[row].reward for row, seen in rewards[USEFUL].items() if known[row].reward > 0}
    paid = [row for row, part in level.items() if part >= HALF]
    unpaid = [row for row in rewards[USEFUL] if row not in paid]
    if not unpaid:
        why = "an answer with a quarter of its pieces wrong is nearly always worth as much as gold."
        hint = "Pay less for what is wrong: what the teaching checks find shows which wrong answers are paid."
    elif not paid:
        why = "an answer with a quarter of its pieces wrong is nearly always worth the same as one that is all wrong."
        hint = f"Pay for parts of the answer, or begin with easier rows{_easier(subject)}."
    else:
        why = f"wrong answers are worth what gold is in {len(paid)} of {len(level)} rows, such as {paid[0]}, and next "
        why += f"to nothing in the others, such as {unpaid[0]}."
        hint = f"Pay less for wrong answers in rows like {paid[0]}, and for parts of answers in rows like {unpaid[0]}."
    row = (paid or unpaid)[0]
    mendable = not paid and len(known[row].turns) > 1  # one who looks does better than a recording
    return Finding(
        f"Even at {USEFUL:.0%} skill {empty[USEFUL]:.0%} of groups of {GROUP} teach nothing: {why}", hint,
        row=row, input=own_turns(known[row].turns),
        output={f"{skill:.0%} skill": round(empty[skill], 3) for skill in empty},
        severity="info" if mendable else "warning",
    )  # fmt: skip


def _easier(subject: Subject) -> str:
    """The constructor's own word for how hard it is, where it has one."""
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
    return Plot("Groups that teach nothing", lines, "skill", "share of groups without spread", note=note)


def _plot_spread(rewards: Rewards, skills: Sequence[float]) -> Plot:
    rows = {skill: list(rewards[skill].values()) for skill in skills}
    lines = {
        "mean reward": [(skill, fmean(map(fmean, rows[skill]))) for skill in skills],
        "spread in a group": [(skill, mean_spread(rows[skill])) for skill in skills],
    }
    return Plot("Reward and spread by skill", lines, "skill", "reward")


def _table(subject: Subject, rewards: Rewards, skills: Sequence[float]) -> Table:
    """What each row is worth at each skill, the hardest first."""
    rows = sorted(rewards[skills[0]], key=lambda row: sum(fmean(rewards[skill].get(row, [0.0])) for skill in skills))
    columns = ["row", *(f"{skill:.0%} skill" for skill in skills)]
    told = [[row, *(f"{fmean(rewards[skill].get(row, [0.0])):.2f}" for skill in skills)] for row in rows]
    return Table("Difficulty of rows: mean reward by skill", columns, told, "The hardest first.")


def _without_difference(subject: Subject, rows: Sequence[int], least: int = 1) -> list[int]:
    """The rows in which all that was seen so far, and that often at least, was worth the same."""
    found: dict[int, list[float]] = defaultdict(list)
    for episode in seen(subject):
        if episode.reward is not None:
            found[episode.row_index].append(episode.reward)
    return [row for row in rows if len(found[row]) >= least and max(found[row]) - min(found[row]) <= NEARLY]
