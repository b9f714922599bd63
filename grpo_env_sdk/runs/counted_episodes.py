"""Which lines of a run count: each sample of a row once, and none that the run did not plan."""

import warnings
from collections import Counter
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


_SAID = {
    "repeated": "with a sample of a row that came before", "not planned": "not planned: of other rows or samples",
}  # fmt: skip
"""Why a line does not count, in the words of a note."""


class CountedEpisodes:
    """Says of one episode after the other whether it counts; of a training each does."""

    def __init__(self, manifest: Mapping[str, Any]) -> None:
        says = not any(name in manifest for name in _OPEN)
        self._most_rows, self._most_samples = (manifest.get(name, inf) if says else inf for name in ("rows", "samples"))
        self._is_training = any(name in manifest for name in _TRAINING)
        self._rows, self._samples = set[int](), set[tuple[int, int]]()
        self._left_out = Counter[str]()

    def counts(self, episode: Episode) -> bool:
        """Whether the next episode counts."""
        why = self.why_not(episode)
        self._left_out.update([why] if why else [])
        return not why

    def why_not(self, episode: Episode) -> str:
        """Why the next episode does not count: it is `repeated`, or `not planned`; empty where it does."""
        if self._is_training:
            return ""
        row, sample = episode.row_index, (episode.row_index, episode.sample)
        if episode.sample >= self._most_samples or (row not in self._rows and len(self._rows) >= self._most_rows):
            return "not planned"
        if sample in self._samples:
            return "repeated"
        self._rows.add(row)
        self._samples.add(sample)
        return ""

    def note(self, path: object) -> None:
        """Say how many do not count, and why."""
        if self._left_out:
            why = " and ".join(f"{self._left_out[one]} {what}" for one, what in _SAID.items() if self._left_out[one])
            text = f"{counted(self._left_out.total(), 'line')} of {path} left out: {why}."
            warnings.warn(text, GrpoEnvWarning, stacklevel=3)
