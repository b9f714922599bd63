"""What both searches for answers that score the top share: each row once, and scores with what was compared."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Generic, TypeVar

from grpo_env_sdk.checking.evidence.author_code.compared_values import Compared
from grpo_env_sdk.checking.evidence.author_code.score_code import score_functions
from grpo_env_sdk.checking.evidence.author_code.watched_comparisons import WatchedComparisons
from grpo_env_sdk.checking.evidence.playing.episode_player import Completion, EpisodePlayer

Answer = TypeVar("Answer")


class ComparedSearch(ABC, Generic[Answer]):
    """The answer to each row that scores the top, or None; each row is searched once."""

    def __init__(self, subject: EpisodePlayer) -> None:
        self._subject = subject
        self._comparisons = WatchedComparisons(score_functions(subject.loaded.env))
        self._known: dict[int, Answer | None] = {}

    def __call__(self, row: int) -> Answer | None:
        """The answer to a row."""
        if row not in self._known:
            self._known[row] = self._found(row)
        return self._known[row]

    @abstractmethod
    def _found(self, row: int) -> Answer | None:
        """The same, searched now."""

    def _scored(self, row: int, answer: Completion) -> tuple[float | None, Sequence[Compared]]:
        with self._comparisons.watched() as pairs:
            episodes = self._subject.answers([(row, answer)])
        return (episodes[0].reward if episodes and not episodes[0].error else None), pairs
