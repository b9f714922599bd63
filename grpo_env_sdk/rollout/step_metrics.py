"""The numbers that an environment's `step` gives as `info["metrics"]`."""

from collections.abc import Mapping
from typing import Any

from grpo_env_sdk.errors import ContractError, ScoreError
from grpo_env_sdk.isolation.values.json_values import short_repr
from grpo_env_sdk.rewards.rubric import check_score


def checked_metrics(metrics: Any, whose: str) -> dict[str, float]:
    """An environment's own numbers by name; anything else would spoil every mean that it enters."""
    if metrics is None:
        return {}
    if not isinstance(metrics, Mapping):
        raise ContractError(
            f"{whose}.step gave {short_repr(metrics)} as info['metrics'].", "Make it a dict of names and numbers."
        )
    checked = {}
    for name, value in metrics.items():
        try:
            checked[str(name)] = check_score(value, "")
        except ScoreError as exc:
            raise ContractError(
                f"{whose}.step gave {short_repr(value)} as info['metrics'][{name!r}], which is not a finite number.",
                "Give numbers only; None leaves a metric out.",
            ) from exc
    return {name: value for name, value in checked.items() if value is not None}
