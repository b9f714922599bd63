import functools

import pytest

from grpo_env_tickets.gold import CLOSING
from grpo_env_tickets.rows import make_rows


@pytest.fixture(scope="session")
def rows_of():
    """The rows of a difficulty and split, made once for all tests."""
    return functools.cache(lambda difficulty, split="test": make_rows(difficulty, split, seed=0))


@pytest.fixture(scope="session")
def play():
    """Plays a course of messages through the episode of a row; gives the score and its parts."""

    def play(env, row, course):
        env.reset(options=row)
        observation = None
        while True:
            try:
                message = course.send(observation)
            except StopIteration:  # it has said everything, so the customer leaves
                message = CLOSING
            observation, _, terminated, truncated, info = env.step(message)
            if terminated or truncated:
                return info["score"], info["rewards"]

    return play
