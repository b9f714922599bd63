"""Which lines of a run count: each sample of a row once, and none that the run did not plan."""

import warnings
from collections import Counter
from collections.abc import Iterable, Mapping
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


def says_what_is_planned(manifest: Mapping[str, Any]) -> bool:
    """Whether a run has `rows` of the manifest with `samples` each, once it is finished."""
    return not any(name in manifest for name in _OPEN)


class CountedEpisodes:
    """Says of one episode after the other whether it counts; of a training each does."""

    def __init__(self, manifest: Mapping[str, Any], before: Iterable[Episode] = ()) -> None:
        """`before` are the episodes that the run has already."""
        says = says_what_is_planned(manifest)
        self._most_rows, self._most_samples = (manifest.get(name, inf) if says else inf for name in ("rows", "samples"))
        self._is_training = any(name in manifest for name in _TRAINING)
        self._rows, self._samples = set[int](), set[tuple[int, int]]()
        self._left_out = Counter[str]()
        for episode in () if self._is_training else before:
            if not self.why_not(episode):
                self.add(episode)

    def counts(self, episode: Episode) -> bool:
        """Whether the next episode counts."""
        if why := self.why_not(episode):
            self._left_out[why] += 1
        else:
            self.add(episode)
        return not why

    def why_not(self, episode: Episode) -> str:
        """Why an episode would not count as the next: it is `repeated`, or `not planned`; empty where it would."""
        if self._is_training:
            return ""
        row, sample = episode.row_index, episode.sample
        if sample >= self._most_samples or (row not in self._rows and len(self._rows) >= self._most_rows):
            return "not planned"
        return "repeated" if (row, sample) in self._samples else ""

    def add(self, episode: Episode) -> None:
        """Take an episode that counts as one that came before."""
        self._rows.add(episode.row_index)
        self._samples.add((episode.row_index, episode.sample))

    def note(self, path: object) -> None:
        """Say how many do not count, and why."""
        if self._left_out:
            why = " and ".join(f"{self._left_out[one]} {what}" for one, what in _SAID.items() if self._left_out[one])
            text = f"{counted(self._left_out.total(), 'line')} of {path} left out: {why}."
            warnings.warn(text, GrpoEnvWarning, stacklevel=3)
