import functools

import pytest

from grpo_env_hotel import HotelEnv


@pytest.fixture(scope="session")
def rows_of():
    """The dataset of a difficulty and split, made once for all tests."""
    return functools.cache(
        lambda difficulty, split="test": HotelEnv(difficulty).build_dataset(None, split=split)
    )


@pytest.fixture(scope="session")
def play():
    """Plays a course of messages through the episode of a row; gives the score and its parts."""

    def play(env, row, course):
        env.reset(options=row)
        message = next(course)
        while True:
            observation, _, terminated, truncated, info = env.step(message)
            if terminated or truncated:
                return info["score"], info["rewards"]
            message = course.send(observation)

    return play
