"""`wordle-v1`: a model guesses a hidden word from what it is told about the letters of its guesses."""

from grpo_env_wordle.env import WordleEnv

__all__ = ["WordleEnv"]
