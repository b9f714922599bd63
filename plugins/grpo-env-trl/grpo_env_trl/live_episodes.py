"""How many episodes of an environment this process plays at once, where several processes train together."""

from grpo_env_sdk.ext import LoadedEnv, UsageError
from grpo_env_trl.ranks import started_together


def at_once(loaded: LoadedEnv, wanted: int) -> int:
    """As many as wanted, or this process's share of the environment's `max_live`."""
    most, processes = loaded.traits.max_live, started_together()
    if most is None:
        return wanted
    if most < processes:
        raise UsageError(
            f"{loaded.spec.id} plays at most {most} episodes at once (max_live), and {processes} processes train.",
            f"Start {most} or fewer.",
        )
    return min(wanted, most // processes)
