"""A reward for looking at what a model writes."""

import pytest

from grpo_env_sdk.errors import ConfigError
from grpo_env_sdk.rewards import debug_reward


def test_it_prints_every_nth_sample_on_stderr_and_gives_a_constant(capsys):
    reward = debug_reward(0.5, every=2)
    assert [reward.call({"completion": f"text {n}", "row": {"prompt": "hi", "answer": n}}) for n in range(4)] == [
        0.5
    ] * 4
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err == ("--- sample 0 of row {'answer': 0}\ntext 0\n--- sample 2 of row {'answer': 2}\ntext 2\n")


def test_its_range_holds_its_value():
    assert debug_reward(-2.0).range == (-2.0, 1.0)
    assert debug_reward(3.0).range == (0.0, 3.0)


def test_every_is_a_whole_number_from_one():
    with pytest.raises(ConfigError, match=r"debug_reward: every must be at least 1, got 0\."):
        debug_reward(every=0)
