"""Whether a run has what it ended with, by its seal; that of a run without one is not known."""

from typing import Any

from grpo_env_sdk.runs.integrity import SEAL, Seal
from grpo_env_sdk.runs.reading import EPISODES, SUMMARY, Run, RunError


def is_changed(run: Run, quickly: bool = False) -> bool:
    """Whether its episodes are others than those that it ended with; `quickly` is as in `Seal.holds`."""
    kept = Seal(run.folder)
    return EPISODES in kept.known and not ((kept.signed or not run.own) and kept.holds(EPISODES, quickly, torn=True))


def check_unchanged(run: Run) -> None:
    """Raise where the episodes of a run were changed: no limit is checked on them."""
    if is_changed(run):
        raise RunError(f"{what_changed(run)}, so no limit is checked on it.", f"{what_helps(run)}.")


def what_changed(run: Run) -> str:
    """That the episodes were changed, in words."""
    return f"The {EPISODES} of {run.path} was changed after the run had ended"


def what_helps(run: Run) -> str:
    """What to do about changed episodes."""
    return f"Restore it, or evaluate again; to keep the change, delete {run.path / SEAL}"


def sealed_summary(run: Run) -> dict[str, Any] | None:
    """Its summary, where this user has sealed it; None where nothing proves that it is what the run ended with."""
    kept = Seal(run.folder)
    return run.summary() if kept.signed and kept.holds(SUMMARY) else None


def unchanged_summary(run: Run) -> dict[str, Any] | None:
    """Its summary, unless the seal says that it was changed."""
    kept = Seal(run.folder)
    return None if SUMMARY in kept.known and not kept.holds(SUMMARY) else run.summary()
