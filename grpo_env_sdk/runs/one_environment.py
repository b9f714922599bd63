"""One environment of a run that has several: its part of the manifest, and its episodes."""

from collections.abc import Iterator
from typing import Any

from grpo_env_sdk.errors import UsageError, did_you_mean
from grpo_env_sdk.runs.reading import Run
from grpo_env_sdk.types import Episode


class PartOfRun(Run):
    """The episodes of one environment, and a manifest that speaks of it alone."""

    def __init__(self, whole: Run, env: str) -> None:
        own = whole.manifest["environments"][env]
        kept = {key: value for key, value in whole.manifest.items() if key != "environments"}
        super().__init__(whole.path, {**kept, **own, "env": env}, folder=whole.folder)
        self._whole = whole

    def as_of_now(self) -> "PartOfRun":
        """The same part, with the episodes that it has now."""
        return PartOfRun(self._whole.as_of_now(), self.manifest["env"])

    @property
    def own(self) -> bool:
        """Whether this user has written the run."""
        return self._whole.own

    def lines(self, start: int = 0, number: int = 1) -> Iterator[tuple[bytes, Episode]]:
        """The lines and episodes of this environment."""
        lines, env = self._whole.lines(start, number), self.manifest["env"]
        return ((line, episode) for line, episode in lines if episode.env == env)

    def summary(self) -> dict[str, Any] | None:
        """None: the summary on disk is that of all environments."""
        return None


def one_environment(run: Run, env: str | None, command: str) -> Run:
    """The part of a run that has several environments, or the run; `command` is how to name one, with `{}` for it."""
    names = run.environments
    if len(names) == 1:
        return run
    if env is None:
        raise UsageError(
            f"{run.path} has episodes of several environments: {', '.join(names)}.",
            f"Name one: {command.format(names[0])}",
        )
    if env not in names and (id := env.rpartition(":")[2]) in names:  # with its package in front
        env = id
    if env not in names:
        hint = did_you_mean(env, names) or f"There are {', '.join(names)}."
        raise UsageError(f"{run.path} has no environment {env!r}.", hint)
    return PartOfRun(run, env)
