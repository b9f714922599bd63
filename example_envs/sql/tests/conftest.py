import functools

import pytest

from grpo_env_sql.rows import make_rows


@pytest.fixture(scope="session")
def rows_of():
    """The rows of a difficulty and split, made once for all tests."""
    return functools.cache(lambda difficulty, split="test": make_rows(difficulty, split, seed=0))


@pytest.fixture(scope="session")
def play():
    """Plays a course of messages through the episode of a row; gives the score and its parts."""

    def play(env, row, course):
        env.reset(options=row)
        message = next(course)
        while True:
            observation, _, terminated, truncated, info = env.step(message)
            if terminated or truncated:
                env.close()
                return info["score"], info["rewards"]
            message = course.send(observation)

    return play
