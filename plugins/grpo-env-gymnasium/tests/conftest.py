"""What the tests share: the little games beside them, known to Gymnasium."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture
def play():
    """Plays texts or messages through the episode of a row; gives what each was answered, and the last info."""

    def play(env, row, said):
        env.reset(options=row)
        answered, info = [], {}
        for text in said:
            observation, _, terminated, truncated, info = env.step(text)
            answered.append(observation)
            if terminated or truncated:
                break
        return answered, info

    return play
