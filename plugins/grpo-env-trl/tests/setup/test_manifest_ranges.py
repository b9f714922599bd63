"""The ranges of rewards that a training on several environments has."""

from grpo_env_trl.setup.manifest import _widest


def test_an_end_without_a_limit_has_none_in_the_range_around_it():
    assert _widest([[0, 1], [-1, 2.0]]) == [-1, 2.0]
    assert _widest([[0, 1], [None, 2.0]]) == [None, 2.0]
    assert _widest([[0, None], [-1, 2.0]]) == [-1, None]
