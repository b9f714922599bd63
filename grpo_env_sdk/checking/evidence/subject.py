"""What a check can use: the environment and its rows, scores, episodes, gold answers, time and random numbers."""

from grpo_env_sdk.checking.evidence.env_under_test import Effort as Effort
from grpo_env_sdk.checking.evidence.env_under_test import Settings as Settings
from grpo_env_sdk.checking.evidence.episode_player import Completion as Completion
from grpo_env_sdk.checking.evidence.episode_player import EpisodePlayer
from grpo_env_sdk.checking.evidence.gold_source import gold_episode, gold_source
from grpo_env_sdk.types import Episode


class Subject(EpisodePlayer):
    """One environment under test; every check of one process shares it."""

    @property
    def gold_source(self) -> str | None:
        """The source of gold answers: "solve", "the column 'answer'", or None."""
        return self.once("gold source", lambda: gold_source(self))

    def gold(self, row: int) -> Episode | None:
        """The gold episode of a row, shared by all checks; None if there is no gold answer."""
        return self.once(("gold", row), lambda: gold_episode(self, row))
