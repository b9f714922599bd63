"""Which lines of a run count: each sample of a row once, and none that the run did not plan."""

import warnings
from collections.abc import Mapping
from math import inf
from typing import Any

from grpo_env_sdk.errors import GrpoEnvWarning
from grpo_env_sdk.plain_text import counted
from grpo_env_sdk.types import Episode

_TRAINING = ("training", "environments")
"""A manifest with one of these is of a training, which plays a row as often as it likes."""
_OPEN = (*_TRAINING, "rescored_from", "forced")
"""A manifest with one of these does not say how many rows and samples of each its run has."""


class CountedEpisodes:
    """Says of one episode after the other whether it counts; of a training each does."""

    def __init__(self, manifest: Mapping[str, Any]) -> None:
        says = not any(name in manifest for name in _OPEN)
        self._most_rows, self._most_samples = (manifest.get(name, inf) if says else inf for name in ("rows", "samples"))
        self._is_training = any(name in manifest for name in _TRAINING)
        self._samples: dict[int, set[int]] = {}
        self._repeated = self._unplanned = 0

    def counts(self, episode: Episode) -> bool:
        """Whether the next episode counts."""
        if self._is_training:
            return True
        samples = self._samples.get(episode.row_index)
        if episode.sample >= self._most_samples or (samples is None and len(self._samples) >= self._most_rows):
            self._unplanned += 1
            return False
        samples = self._samples.setdefault(episode.row_index, set())
        if episode.sample in samples:
            self._repeated += 1
            return False
        samples.add(episode.sample)
        return True

    def note(self, path: object) -> None:
        """Say how many do not count, and why."""
        parts = [
            (self._repeated, "with a sample of a row that came before"),
            (self._unplanned, "not planned: of other rows or samples"),
        ]
        if any(number for number, _ in parts):
            why = " and ".join(f"{number} {what}" for number, what in parts if number)
            text = f"{counted(self._repeated + self._unplanned, 'line')} of {path} left out: {why}."
            warnings.warn(text, GrpoEnvWarning, stacklevel=3)
