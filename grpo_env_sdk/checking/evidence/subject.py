"""What a check can use: the environment and its rows, scores, episodes, gold answers, time and random numbers."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from grpo_env_sdk.checking.evidence.gold.gold_source import gold_episode, gold_source
from grpo_env_sdk.checking.evidence.playing.episode_player import Completion as Completion
from grpo_env_sdk.checking.evidence.playing.episode_player import EpisodePlayer
from grpo_env_sdk.checking.evidence.playing.settings import Effort as Effort
from grpo_env_sdk.checking.evidence.playing.settings import Settings as Settings
from grpo_env_sdk.types import Episode

T = TypeVar("T")
_OF_GOLD = frozenset({"gold", "teaching", "tools", "acts", "explored"})
"""How the keys begin of what depends on gold."""


class Subject(EpisodePlayer):
    """One environment under test; every check of one process shares it."""

    stand_ins: Mapping[int, Episode] | None = None
    """The best episodes found, by row, where they stand in for gold in this check."""

    def once(self, key: Any, make: Callable[[], T]) -> T:
        """The result of `make`, which is kept apart where it depends on gold and something else stands in for it."""
        apart = self.stand_ins is not None and isinstance(key, tuple) and key[0] in _OF_GOLD
        return super().once(("stand-ins", *key) if apart else key, make)

    @property
    def gold_source(self) -> str | None:
        """The source of gold answers: "solve", "the column 'answer'", or None."""
        return self.once("gold source", lambda: gold_source(self))

    def gold(self, row: int) -> Episode | None:
        """The gold episode of a row, shared by all checks; None if there is no gold answer."""
        if self.stand_ins is not None:
            return self.stand_ins.get(row)
        return self.once(("gold", row), lambda: gold_episode(self, row))
