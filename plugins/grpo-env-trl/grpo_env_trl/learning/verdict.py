"""The verdict of a short training on an environment: learned, not learned, or undecided."""

from grpo_env_sdk.ext import Finding, Undecided
from grpo_env_trl.learning.result import MIN_GAIN, MIN_ROOM, MIN_Z_SCORE, LearningResult, MeanReward

MAX_ZERO_SPREAD = 0.5
"""With more groups without spread than this, the model may be too weak to ever get a reward."""
MOST_NOISE = 0.25
"""With more noise than this part of the range of rewards, nothing is said of a gold that scores no more."""

TRY_A_REAL_MODEL = "Train a real model: grpo-env train ENV --model NAME."
_TOO_FEW = Undecided("Too few rows or steps were scored to measure a gain.", "Use 100 rows or more.")


def verdict(result: LearningResult) -> Finding | Undecided:
    """The rule: a gain beyond three standard errors, of at least a quarter of the way from the start to gold."""
    before, after, gold, gain = result.before, result.after, result.gold, result.gain
    if before is None or gold is None:
        return _TOO_FEW
    if not result.has_room:
        return _no_room(result, before, gold)
    if after is None or gain is None or not result.steps:
        return _TOO_FEW
    text = f"{_where(result)} went from {before.mean:z.2f} to {after.mean:z.2f} in {result.steps} steps"
    if result.learned:
        return Finding(f"Learned: {text} (gold {gold.mean:z.2f}).", severity="info")
    if result.share >= MIN_GAIN:
        return Undecided(f"{text}; with {result.rows} rows this may be noise.", "Use more rows.")
    if gain.z_score > MIN_Z_SCORE:
        return Undecided(f"{text}, which is still far from gold ({gold.mean:z.2f}).", TRY_A_REAL_MODEL)
    return _flat(result, gold, text, fell=gain.z_score < -MIN_Z_SCORE)


def _flat(result: LearningResult, gold: MeanReward, text: str, fell: bool) -> Finding | Undecided:
    """Every step was done without a gain on those rows: look at the rewards during training."""
    first, last = result.quarters
    if result.held_out and last - first >= MIN_GAIN * (gold.mean - first):
        return Finding(
            f"Memorized: {text}, while the reward in training went from {first:z.2f} to {last:z.2f}.",
            "Use more rows, and show what the answer depends on in the prompt or in a tool result.",
        )
    if result.rise.z_score > MIN_Z_SCORE:
        return Undecided(
            f"The reward in training went from {first:z.2f} to {last:z.2f} in {result.steps} steps, which is still far "
            f"from gold ({gold.mean:z.2f}).",
            TRY_A_REAL_MODEL,
        )
    if result.zero_spread_share > MAX_ZERO_SPREAD and not fell:  # a falling reward ends without spread too
        return Undecided(
            f"{text}: in {result.zero_spread_share:.0%} of the groups all answers had the same reward, "
            f"so the demo model had little to learn from.",
            f"Reward partial progress, or use easier rows. {TRY_A_REAL_MODEL}",
        )
    return Finding(
        f"Not learned: {text} (gold {gold.mean:z.2f}), with a spread in {1 - result.zero_spread_share:.0%} of groups.",
        "Check that equal answers get equal rewards, each for its own row. "
        "A model this small can copy and compare, but not calculate.",
    )


def _no_room(result: LearningResult, before: MeanReward, gold: MeanReward) -> Finding | Undecided:
    """Gold scores no more than a model that only knows the form of an answer, or hardly more."""
    said = f"gold scores {gold.mean:z.2f}, and a model that chooses at random {before.mean:z.2f}"
    if result.room < -max(MIN_ROOM * result.span, result.noise):
        return Finding(
            f"Upside down: {said}.",
            "A training would move away from solve(row): check the sign of the reward, and solve.",
        )
    best = result.reward_range[1]
    if before.error == gold.error == result.room == 0.0 and gold.mean < best:
        return Finding(
            f"Nothing to learn: all answers had the same reward, {before.mean:z.2f}, like gold.",
            "A reward must distinguish good answers from bad ones: try some wrong answers in `grpo-env play`.",
        )
    close = result.room <= MIN_ROOM * result.span and result.noise <= MOST_NOISE * result.span
    if close and gold.mean < best - MIN_ROOM * result.span:
        return Finding(
            f"Nothing to learn: {said}.",
            "Check that an answer is scored against its own row, and that equal answers get equal rewards.",
        )
    return Undecided(
        f"Before training the mean reward is {before.mean:z.2f}, and that of gold {gold.mean:z.2f}: "
        "too close to measure a gain.",
        "Make solve(row) score higher than random answers, or use more rows or harder rows.",
    )


def _where(result: LearningResult) -> str:
    return "Held-out reward" if result.held_out else "Reward on the training rows (too few are held out)"
