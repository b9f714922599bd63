"""Ready rewards for variety."""

import pytest

from grpo_env_sdk.errors import ConfigError
from grpo_env_sdk.rewards import Rubric, diversity, exact_match, repetition


@pytest.mark.parametrize(("text", "score"), [
    ("", 0), ("yes", 0), ("one two three four", 0), ("a b c a b c a b c", 4 / 7), ("Yes yes YES yes yes", 2 / 3),
])  # fmt: skip
def test_repetition_is_the_share_of_phrases_that_came_before(text, score):
    assert repetition()(text) == pytest.approx(score)


def test_repetition_only_lowers_the_score():
    assert Rubric([exact_match(), repetition()]).range == (-1.0, 1.0)
    assert repetition(1)("a a") == 0.5
    assert repetition(2)("a a") == 0


@pytest.mark.parametrize(("options", "text", "score"), [
    ({}, "", 0), ({}, "word", 0.1), ({"shortest": 1}, "word", 1), ({"shortest": 4}, "a a b b", 0.5),
    ({"shortest": 4}, "a b c d e f", 1), ({"shortest": 4, "phrase": 2}, "a b a b a", 0.5),
])  # fmt: skip
def test_diversity_grows_with_different_words_and_not_with_few(options, text, score):
    assert diversity(**options)(text) == pytest.approx(score)


def test_every_turn_of_the_assistant_counts_and_nothing_else():
    chat = [
        {"role": "assistant", "content": "a b c"},
        {"role": "user", "content": "a b c"},
        {"role": "assistant", "content": "a b c"},
    ]
    assert repetition()(chat) == pytest.approx(1 / 4)


@pytest.mark.parametrize("make", [lambda: repetition(0), lambda: diversity(0), lambda: diversity(phrase=1.5)])
def test_a_number_of_words_that_is_none_is_refused(make):
    with pytest.raises(ConfigError, match=r"has (phrase|shortest)=(0|1\.5)\. It needs a whole number of words"):
        make()
