"""Answers that are wrong in one way."""

import pytest

from grpo_env_sdk.checking.teaching.wrong_answers.text_misses import divided_by_zero


@pytest.mark.parametrize("text", ["x + 1", "(a*b)/2", "2-y", "a - b", "(a)-(b)"])
def test_an_expression_is_divided_by_zero(text):
    assert divided_by_zero(text) == f"({text})//0"


@pytest.mark.parametrize("text", ["cord-core-pore", "non-compliant", "12 - 7", "a row of words"])
def test_words_with_hyphens_and_numbers_alone_are_no_expressions(text):
    assert divided_by_zero(text) is None
