"""What a check may use: the environment and its rows, answers scored, episodes played, gold, time and chance."""

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
        """Where gold answers come from: "solve", "the column 'answer'", or None where there are none."""
        return self.once("gold source", lambda: gold_source(self))

    def gold(self, row: int) -> Episode | None:
        """The episode in which the gold answer is given, shared by all checks; None where there is none."""
        return self.once(("gold", row), lambda: gold_episode(self, row))
