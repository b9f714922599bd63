"""The held-out results of all environments as one, and before and after on the rows that have a reward both times."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from grpo_env_sdk import open_run
from grpo_env_sdk.ext import UsageError, compare
from grpo_env_trl.env_weights import env_folder
from grpo_env_trl.runs.run_folder import RunFolder
from grpo_env_trl.setup.trained_env import TrainedEnv
from grpo_env_trl.training.heldout import greedy_beside

Scores = dict[str, dict[str, Any]]
"""The held-out result of each environment that has rows for it, by id."""
_Shares = Sequence[tuple[float, Mapping[str, Any]]]
"""The results of environments, each with its share of the whole."""


def whole(envs: Sequence[TrainedEnv], scores: Scores | None) -> dict[str, Any] | None:
    """One result for all environments: the means by weight, with an interval; that of the only one as it is."""
    if scores is None:
        return None
    if len(envs) == 1:
        return next(iter(scores.values()))
    measured = {name: found for name, found in scores.items() if found["mean"] is not None}
    shares = _shares(envs, measured)
    found = [*scores.values()]
    return {
        **_mean(shares), "greedy": _summed(shares, "greedy"),
        **{key: sum(one[key] for one in found) for key in ("rows", "scored", "greedy_scored", "trained_on")},
        "errors": dict(sum((Counter(one["errors"]) for one in found), Counter[str]()).most_common()),
        "error_examples": {cause: text for one in found for cause, text in one["error_examples"].items()},
    }  # fmt: skip


def of_each(envs: Sequence[TrainedEnv], measured: Mapping[str, Scores | None]) -> dict[str, dict[str, Any]]:
    """What the summary says of each environment: its weight, and its held-out results."""
    return {
        env.name: {
            "weight": env.weight.as_plain(),
            "heldout": {name: scores[env.name] for name, scores in measured.items() if scores and env.name in scores}
            or None,
        }
        for env in envs
    }


def compared(envs: Sequence[TrainedEnv], folder: RunFolder) -> dict[str, dict[str, Any] | None]:
    """Before and after on the same rows, `sampled` and `greedy`: those with a reward both times, as `diff` does."""
    paths = {env.name: env_folder(env.name) if len(envs) > 1 else "" for env in envs}
    both = {name: (folder.heldout("before", path), folder.heldout("after", path)) for name, path in paths.items()}
    greedy = {name: (greedy_beside(before), greedy_beside(after)) for name, (before, after) in both.items()}
    return {"sampled": _compared(envs, both), "greedy": _compared(envs, greedy)}


def _compared(envs: Sequence[TrainedEnv], both: Mapping[str, tuple[Path, Path]]) -> dict[str, Any] | None:
    found = {name: change for name, paths in both.items() if (change := rows_of_both(*paths))}
    if not found:
        return None
    parts = {
        key: _shares(envs, {name: {**change[key], "scored": change["rows"]} for name, change in found.items()})
        for key in ("before", "after", "difference")
    }
    rows = {key: sum(change[key] for change in found.values()) for key in ("rows", "of")}
    return {**rows, **{key: _mean(shares) for key, shares in parts.items()}}


def rows_of_both(before: Path, after: Path) -> dict[str, Any] | None:
    """The means of two runs over the rows that have a reward in both; None where there are none."""
    with suppress(UsageError):  # no row in common
        found = compare(open_run(before), open_run(after))
        rows = len(found.rows)
        return {
            "rows": rows, "of": rows + found.only_before + found.only_after + found.in_neither,
            "before": found.before.as_json(), "after": found.after.as_json(), "difference": found.difference.as_json(),
        }  # fmt: skip
    return None


def _shares(envs: Sequence[TrainedEnv], found: Mapping[str, Mapping[str, Any]]) -> _Shares:
    """The results of some environments, each with its share of the weight of these."""
    measured = [(env.weight.mean, found[env.name]) for env in envs if env.name in found]
    total = sum(weight for weight, _ in measured)
    return [(weight / total, one) for weight, one in measured]


def _mean(shares: _Shares) -> dict[str, float | None]:
    mean = _summed(shares, "mean")
    return {"mean": mean, "low": _end(shares, mean, "low", -1), "high": _end(shares, mean, "high", 1)}


def _summed(shares: _Shares, key: str) -> float | None:
    values = [found[key] for _, found in shares]
    if not values or None in values:
        return None
    return math.fsum(share * found[key] for share, found in shares)


def _end(shares: _Shares, mean: float | None, key: str, sign: int) -> float | None:
    """An end of the interval: the environments are measured independently, so their variances add up.

    Several equal rewards without a range have no interval of their own, and count as exact here.
    """
    ends = [(share, found["mean"], found[key]) for share, found in shares if found[key] is not None]
    if mean is None or not ends or any(found[key] is None and found["scored"] < 2 for _, found in shares):
        return None
    return mean + sign * math.sqrt(math.fsum((share * (end - middle)) ** 2 for share, middle, end in ends))
