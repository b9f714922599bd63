"""What `grpo-env test ENV --learn` says of environments that are known to be learnable, flawed, or not learnable."""

import sys
import time
from collections import Counter
from dataclasses import dataclass
from statistics import median

from grpo_env_sdk.envs.loading import load
from grpo_env_sdk.ext import Finding
from grpo_env_trl.learning.learning import learn
from grpo_env_trl.learning.result import LearningResult, MeanReward
from grpo_env_trl.learning.verdict import verdict
from grpo_env_trl.training.quiet import quiet_libraries
from tests.benchmarks.table import Table

SEEDS = {True: range(1), False: range(2)}
"""The examples take a minute and more each."""
BROKEN = "tests.gallery.broken_rewards"
CASES = {
    "hotel-v1": "sound",
    "arithmetic-v1": "sound",
    "sql-v1": "sound",
    "tests.gallery.sound.reading:Reading": "sound",
    "tests.gallery.sound.partial_credit:SortWords": "sound",
    f"{BROKEN}:HalfForTrying": "learnable, half is paid for any answer",
    f"{BROKEN}:MisreadByTheJudge": "learnable, wrong on every fifth row",
    f"{BROKEN}:AllOrNothing": "rarely reached",
    f"{BROKEN}:ConstantFloor": "constant",
    f"{BROKEN}:CoinFlips": "random",
    f"{BROKEN}:UpsideDown": "inverted",
    f"{BROKEN}:ReadsTheFirstWord": "a parser that takes all for right",
    f"{BROKEN}:ReadsAnotherForm": "a parser of another form",
    f"{BROKEN}:OtherRows": "of other rows",
    f"{BROKEN}:OneTooLate": "of the answer before",
}
"""The environment, and what its reward is."""


@dataclass(frozen=True)
class Judged:
    """One training, and what was said of it."""

    result: LearningResult
    said: str
    seconds: float


def measure() -> Table:
    """Every environment with every seed."""
    return Table(
        "Whether an environment can be learned",
        "What `grpo-env test ENV --learn` says, by seeds; rewards, steps and seconds are medians. Seconds are of a "
        "processor, on one thread, without the five that imports take. To hold: 120 seconds, and with every seed the "
        "same verdict or undecided. It takes minutes, so `make bench` leaves it out: "
        "`python -m tests.benchmarks learning` measures it.",
        ["environment", "reward", "seeds", "before", "after", "gold", "steps", "CPU", "what was said"],
        [
            _row(name, reward, [_judged(name, seed) for seed in SEEDS[name.endswith("-v1")]])
            for name, reward in CASES.items()
        ],
    )


def _row(name: str, reward: str, runs: list[Judged]) -> list[str]:
    results = [run.result for run in runs]
    said = Counter(run.said for run in runs)
    return [
        f"`{name.rpartition(':')[2]}`", reward, str(len(runs)), _mean([one.before for one in results]),
        _mean([one.after for one in results]), _mean([one.gold for one in results]),
        f"{median(one.steps for one in results):.0f}", f"{median(run.seconds for run in runs):.0f} s",
        "; ".join(text if count == len(runs) else f"{text} ({count} of {len(runs)})" for text, count in said.items()),
    ]  # fmt: skip


def _judged(name: str, seed: int) -> Judged:
    started = time.process_time()
    with quiet_libraries():
        result = learn(load(name), seed=seed, progress=lambda what, done, of: None)
    seconds, found = time.process_time() - started, verdict(result)
    if isinstance(found, Finding):
        said = f"{found.message.partition(':')[0].lower()} ({found.severity or 'warning'})"
    else:
        said = "undecided"
    print(f"{name} {seed}: {seconds:.0f} s, {found}", file=sys.stderr, flush=True)
    return Judged(result, said, seconds)


def _mean(found: list[MeanReward | None]) -> str:
    means = [one.mean for one in found if one is not None]
    return f"{median(means):.2f}" if means else "-"
