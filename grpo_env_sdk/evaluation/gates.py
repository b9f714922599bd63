"""What fails a command in CI: a mean reward that is too low, or that fell too far."""

from dataclasses import asdict, dataclass
from typing import Any

from grpo_env_sdk.envs.loaded_env import LoadedEnv
from grpo_env_sdk.errors import UsageError
from grpo_env_sdk.evaluation.compare import Comparison
from grpo_env_sdk.evaluation.metrics import Metrics
from grpo_env_sdk.evaluation.plan import EvalPlan, may_fail
from grpo_env_sdk.evaluation.stats import ROUNDING
from grpo_env_sdk.plain_text import counted


@dataclass(frozen=True, slots=True)
class Gate:
    """Whether the result of a command is good enough for the limit of a flag, and what it is."""

    flag: str
    limit: float
    passed: bool
    result: str

    def as_json(self) -> dict[str, Any]:
        """The gate as plain data."""
        return asdict(self)

    def __str__(self) -> str:
        return f"{self.flag} {self.limit:g}: {'passed' if self.passed else 'failed'}, {self.result}"


def check_reachable(limit: float | None, loaded: LoadedEnv) -> None:
    """Raise before anything is played where no reward of the range is as high as `--min-reward`.

    A scorer of its own that declares no range may give any reward.
    """
    ends, by_method = loaded.traits.reward_range, loaded.description.score_rule.by_method
    if limit is None or limit <= ends[1] + ROUNDING or (by_method and ends == (0.0, 1.0)):
        return
    raise UsageError(
        f"--min-reward {limit:g} cannot be reached: the rewards of {loaded.spec.id} go up to {ends[1]:g}.",
        "Lower it, or declare the real range: `range=` of a reward, or `reward_range`.",
    )


def min_reward_gate(limit: float | None, plan: EvalPlan, found: Metrics, asked: int) -> Gate | None:
    """Whether the mean reward is high enough, and no more of the episodes asked for lack one than may fail."""
    reward = found.reward
    if limit is None:
        return None
    result = f"the mean reward is {reward}"
    if missing := _missing(plan.max_errors, found.scored, asked, "episodes"):
        return Gate("--min-reward", limit, False, f"{missing}; {result}")
    enough = reward.mean is not None and reward.mean >= limit - ROUNDING
    return Gate("--min-reward", limit, enough, result)


def max_drop_gate(
    found: Comparison, limit: float | None, max_errors: float | None = None, confident: bool = False
) -> Gate | None:
    """Whether the mean reward fell by no more than the limit, and no more episodes lack a reward than may fail.

    `confident` takes the lower end of the interval for the change; without an interval the gate fails.
    """
    change = found.difference
    if limit is None or change.mean is None:
        return None
    result = f"the mean reward changed by {change}, from {found.before.mean:z.3f} to {found.after.mean:z.3f}"
    on = f"{result}, on {counted(len(found.rows), 'row')}{_lower_end(found) if confident else ''}"
    if missing := _missing(max_errors, *found.needed, "needed episodes of the second run"):
        return Gate("--max-drop", limit, False, f"{missing}; {on}")
    counts = change.low if confident else change.mean
    return Gate("--max-drop", limit, counts is not None and -counts <= limit + ROUNDING, on)


def _lower_end(found: Comparison) -> str:
    """That the lower end of the interval counts, or why there is none."""
    if found.difference.low is not None:
        return ", and the lower end counts"
    why = "equal changes of rewards without a range that holds them"
    if len(found.rows) == 1 or (found.clusters and found.clusters.n == 1):
        why = "one row" if len(found.rows) == 1 else "one cluster of rows"
    return f", and there is no interval: {why}"


def _missing(max_errors: float | None, scored: int, of: int, what: str) -> str:
    """That fewer episodes have a reward than the plan allows; nothing where it allows that."""
    if of == 0 or may_fail(of - scored, of, max_errors):
        return ""
    more = "" if max_errors is None else ", fewer than --max-errors allows"
    return f"only {scored} of {of} {what} have a reward{more}"
