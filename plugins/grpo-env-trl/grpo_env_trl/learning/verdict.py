"""What a short training says about an environment: learnt, not learnt, or not to be told."""

from grpo_env_sdk.checking.findings.finding import Finding, Undecided
from grpo_env_trl.learning.learnt import Learnt, Worth

NOISES = 3.0
"""A gain of fewer standard errors may be chance."""
SHARE = 0.25
"""How much of the way to gold a training of this length goes where something is learnt."""
ROOM = 0.1
"""With less of the range of rewards between the start and gold, a gain could not be seen."""
SELDOM = 0.5
"""With more groups without spread than this, it may be the model that never meets the reward, and not the reward."""

HARDER = "Train a real model: grpo-env train ENV --model NAME."


def verdict(learnt: Learnt) -> Finding | Undecided:
    """The rule: a gain beyond three standard errors, of at least a quarter of the way from the start to gold."""
    before, after, gold, gain = learnt.before, learnt.after, learnt.gold, learnt.gain
    if before is None or after is None or gold is None or gain is None or not learnt.steps:
        return Undecided("Too few rows or steps could be scored to see a gain.", "Have 100 rows or more.")
    room, (low, high) = gold.mean - before.mean, learnt.reward_range
    if room < ROOM * (high - low):
        return _no_room(learnt, before, gold)
    share, beyond = gain.mean / room, gain.noises > NOISES
    told = f"{_where(learnt)} went from {before.mean:.2f} to {after.mean:.2f} in {learnt.steps} steps"
    if share >= SHARE and beyond:
        return Finding(f"Learnt: {told} (gold {gold.mean:.2f}).", severity="info")
    if share >= SHARE:
        return Undecided(f"{told}, which {learnt.rows} rows cannot tell from chance.", "Have more rows.")
    if beyond:
        return Undecided(f"{told}, which is little of the way to gold ({gold.mean:.2f}).", HARDER)
    if learnt.steps < learnt.planned_steps:
        return Undecided(
            f"{told}; there was no time for all {learnt.planned_steps}.", "Use a quicker machine, or a quieter one."
        )
    return _flat(learnt, gold, told, fell=gain.noises < -NOISES)


def _flat(learnt: Learnt, gold: Worth, told: str, fell: bool) -> Finding | Undecided:
    """Every step was done, and those rows gained nothing: what did the answers in training do?"""
    first, last = learnt.quarters
    if learnt.held_out and last - first >= SHARE * (gold.mean - first):
        return Finding(
            f"Learnt by heart: {told}, while answers in training went from {first:.2f} to {last:.2f}.",
            "Have more rows, and make what the answer depends on visible in the prompt or a tool's result.",
        )
    if learnt.rise.noises > NOISES:
        return Undecided(
            f"Answers in training went from {first:.2f} to {last:.2f} in {learnt.steps} steps, which is little of the "
            f"way to gold ({gold.mean:.2f}).",
            HARDER,
        )
    if learnt.zero_spread_share > SELDOM and not fell:  # a fall is the reward's doing, and ends in no spread
        return Undecided(
            f"{told}: in {learnt.zero_spread_share:.0%} of the groups every answer was worth the same, "
            f"so the demo model seldom met the reward.",
            f"Pay for steps on the way, or have easier rows. {HARDER}",
        )
    return Finding(
        f"Not learnt: {told} (gold {gold.mean:.2f}), with a spread in {1 - learnt.zero_spread_share:.0%} of groups.",
        "See that equal answers are paid equally, each by its own row. A model this small copies and compares, and "
        "cannot calculate.",
    )


def _no_room(learnt: Learnt, before: Worth, gold: Worth) -> Finding | Undecided:
    if (
        learnt.zero_spread_share == 1.0 and gold.mean < learnt.reward_range[1]
    ):  # at the top it may know all from `solve`
        return Finding(
            f"Nothing to learn: all answers in every group were worth the same, {before.mean:.2f} as gold is.",
            "A reward has to tell good answers from bad ones: try some wrong answers in `grpo-env play`.",
        )
    return Undecided(
        f"Before any training answers are worth {before.mean:.2f}, and gold {gold.mean:.2f}: no room to see a gain.",
        "Have solve(row) score more than answers that are drawn by chance, or have harder rows.",
    )


def _where(learnt: Learnt) -> str:
    return "Held-out reward" if learnt.held_out else "Reward on the training rows (too few are held out)"
