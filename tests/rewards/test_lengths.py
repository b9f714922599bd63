"""Ready rewards for length."""

import pytest

from grpo_env_sdk.errors import ConfigError
from grpo_env_sdk.rewards import Rubric, exact_match, length, soft_overlong
from grpo_env_sdk.types import Episode


def episode(tokens=None):
    usage = {} if tokens is None else {"completion_tokens": tokens}
    return Episode(env="x", row={}, seed=0, messages=[], opening=0, stop_reason="terminated", usage=usage)


def words(count):
    return " ".join(["word"] * count)


@pytest.mark.parametrize(
    ("options", "count", "score"),
    [
        ({}, 0, 1),
        ({"longest": 10}, 10, 1),
        ({"longest": 10}, 20, 0.5),
        ({"longest": 10}, 1000, 0.01),
        ({"shortest": 10}, 10, 1),
        ({"shortest": 10}, 5, 0.5),
        ({"shortest": 10}, 0, 0),
        ({"shortest": 5, "longest": 10}, 7, 1),
        ({"longest": 0}, 0, 1),
        ({"longest": 0}, 3, 0),
    ],
)
def test_length_falls_in_proportion_outside_the_span(options, count, score):
    assert length(**options)(words(count), episode()) == pytest.approx(score)


def test_length_counts_characters_words_or_tokens():
    chat = [{"role": "assistant", "content": "two words"}]
    assert length(longest=9, unit="characters")(chat, episode()) == 1
    assert length(longest=2)(chat, episode()) == 1
    assert length(longest=4, unit="tokens")(chat, episode(8)) == 0.5


@pytest.mark.parametrize("ready", [length(longest=4, unit="tokens"), soft_overlong(10, 5)])
def test_tokens_that_nobody_counted_are_no_reason_to_judge(ready):
    assert ready(words(3), episode()) is None


def test_an_unknown_unit_is_told():
    with pytest.raises(ConfigError, match=r"No unit named 'lines'\. Use one of characters, words, tokens\."):
        length(unit="lines")


@pytest.mark.parametrize("span", [(5, 3), (-1, 3)])
def test_a_span_that_is_none_is_told(span):
    with pytest.raises(ConfigError, match=r"length has shortest=.*, longest=3\. It needs 0 <= shortest <= longest\."):
        length(*span)


@pytest.mark.parametrize(("tokens", "score"), [(0, 0), (80, 0), (85, 0.25), (90, 0.5), (100, 1), (5000, 1)])
def test_soft_overlong_rises_evenly_within_its_buffer(tokens, score):
    assert soft_overlong(100, 20)("", episode(tokens)) == pytest.approx(score)


def test_soft_overlong_is_only_ever_a_punishment():
    assert Rubric([exact_match(), soft_overlong(100, 20)]).range == (-1.0, 1.0)


@pytest.mark.parametrize(("longest", "buffer"), [(100, 0), (100, 200), (0, 0), (100, -5)])
def test_a_buffer_that_does_not_fit_is_told(longest, buffer):
    with pytest.raises(
        ConfigError, match=rf"soft_overlong has longest={longest}, buffer={buffer}\. It needs 0 < buffer"
    ):
        soft_overlong(longest, buffer)
