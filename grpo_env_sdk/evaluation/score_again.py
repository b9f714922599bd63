"""Finished episodes, replayed and scored again: no model is called, and what was sampled stays."""

from collections import Counter
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import replace
from typing import Any

from grpo_env_sdk.envs.loaded_env import LoadedEnv
from grpo_env_sdk.errors import UsageError
from grpo_env_sdk.images.run_images import references
from grpo_env_sdk.policies.builtin import ReplayPolicy
from grpo_env_sdk.rollout.driver import Rollout
from grpo_env_sdk.rollout.host import Job
from grpo_env_sdk.rollout.in_threads import rollouts
from grpo_env_sdk.types import Episode, Row


class RecordedRows:
    """The rows as the episodes recorded them, even if the dataset has changed since."""

    def __init__(self, episodes: Sequence[Episode], restored: Callable[[Any], Any] = lambda row: row) -> None:
        """`restored` puts the images of a run into a row, when it is played: not all of them fit into the memory."""
        self._rows, self._restored = {episode.row_index: episode.row for episode in episodes}, restored
        self.indices = sorted(self._rows)

    def row(self, index: int) -> Row:
        """The recorded row."""
        row: Row = self._restored(self._rows[index])
        return row


async def score_again(
    loaded: LoadedEnv, episodes: Sequence[Episode], rollout: Rollout | None = None
) -> AsyncGenerator[Episode, None]:
    """The episodes with new scores, in the order in which they end: after a judge that was away, or a scorer's change.

    Each is played again from its record, tools included, in the pool of `loaded`. One that did not come to its score
    stays as it is. `rollout` is that of the episodes: its limits, live model and concurrency hold here too.
    """
    check_replayable(loaded)
    if other := next((one for one in episodes if one.env != loaded.spec.id), None):
        raise UsageError(f"An episode is of {other.env!r:.100}, not of {loaded.spec.id}.", "Load its environment.")
    (place, many), *_ = Counter((one.row_index, one.sample) for one in episodes).most_common(1) or [((0, 0), 0)]
    if many > 1:
        raise UsageError(f"{many} episodes are of row {place[0]}, sample {place[1]}.", "Score them in two calls.")
    if any(references(one.row) for one in episodes):
        raise UsageError("The rows have references in place of images.", "Take run.episodes(images=True).")
    complete = []
    for episode in episodes:
        if can_be_scored(episode):
            complete.append(episode)
        else:
            yield episode
    policy = ReplayPolicy("replay", complete)
    again = Rollout(policy) if rollout is None else replace(rollout, policy=policy, user=None, when_quiet=None)
    again = replace(again, limits=replace(again.limits, tokens=None))
    async for episode in rollouts(loaded, RecordedRows(complete), again, replayed_jobs(complete)):
        yield episode


def replayed_jobs(episodes: Sequence[Episode]) -> list[Job]:
    """A job for each episode, which ends after as many turns."""
    return [Job(episode.row_index, episode.sample, episode.turns) for episode in episodes]


def check_replayable(loaded: LoadedEnv) -> None:
    """Raise where the class says that its episodes cannot be replayed."""
    if not loaded.traits.replayable:
        raise UsageError(
            f"The episodes of {loaded.spec.id} cannot be replayed (replayable = False).",
            "Evaluate it again instead.",
        )


def can_be_scored(episode: Episode) -> bool:
    """Whether the transcript is complete: it was scored, or only its scoring failed."""
    return episode.scored or (episode.error is not None and episode.error.stage == "score")
