import functools

import pytest

from grpo_env_wordle import WordleEnv


@pytest.fixture(scope="session")
def rows_of():
    """The held-out rows of a difficulty, made once for all tests."""
    return functools.cache(lambda difficulty: WordleEnv(difficulty=difficulty).build_dataset(None, "test"))


@pytest.fixture(scope="session")
def play():
    """Plays a course of guesses through the episode of a row; gives its score."""

    def play(env, row, course):
        env.reset(options=row)
        guess = next(course)
        while True:
            observation, _, terminated, truncated, info = env.step(guess)
            if terminated or truncated:
                return info["score"]
            guess = course.send([{"role": "user", "content": observation}])

    return play
