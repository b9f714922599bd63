"""`wordle-v1`: a model guesses a hidden word from the marks of its guesses' letters."""

from grpo_env_wordle.env import WordleEnv

__all__ = ["WordleEnv"]
