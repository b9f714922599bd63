"""The metrics of the groups that ended, as the asynchronous trainer takes them when it logs."""

import queue
import threading

from grpo_env_trl.bridges.batch import Batch, seconds_of
from grpo_env_trl.bridges.mixture_metrics import EnvTally


class GroupMetrics:
    """A queue with one entry at most: the metrics of all groups that ended since somebody last looked."""

    def __init__(self, several: bool) -> None:
        """With several environments there are metrics of each, by its name."""
        self._several = several
        self._lock = threading.Lock()
        self._tallies: dict[str, EnvTally] = {}
        self._slowest = 0.0
        self._weights: dict[str, float] = {}

    def add(self, name: str, group: Batch) -> None:
        """A group of an environment ended."""
        of_env = f"env/{name}/" if self._several else ""
        with self._lock:
            self._tallies[name] = self._tallies.get(name, EnvTally()) + EnvTally.of(group.episodes)
            self._slowest = max(self._slowest, seconds_of(group.slowest))
            self._weights |= {f"{of_env}{metric}": value for metric, value in group.extra.items()}

    def get_nowait(self) -> dict[str, float]:
        """The metrics by name; `queue.Empty` where no group ended."""
        with self._lock:
            if not self._tallies:
                raise queue.Empty
            tallies, self._tallies = self._tallies, {}
            slowest, self._slowest = self._slowest, 0.0
            weights = dict(self._weights)
        whole = sum(tallies.values(), EnvTally()).of_episodes()
        if self._several:
            whole = {name: value for name, value in whole.items() if not name.startswith("env/")}
            for env, tally in tallies.items():
                whole |= {f"env/{env}/{name}": value for name, value in tally.metrics().items()}
        return {"time/slowest_episode": slowest, **whole, **weights}
