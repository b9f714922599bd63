"""Answers that may be written in several ways because the prompt says so, or because they are the same number."""

import pytest

from grpo_env_sdk.checking.teaching.wrong_answers.swapped_parts import items_swapped
from grpo_env_sdk.checking.teaching.wrong_answers.text_misses import without_signs


@pytest.mark.parametrize(
    ("asked", "swapped"),
    [
        ("three whole sides, one of which is 5. any such triple will do. the largest last.", False),
        ("any two of them will do, from the smallest to the largest.", False),
        ("write the three sides, the largest last.", True),
    ],
)
def test_items_are_exchanged_only_where_their_order_is_asked_for(asked, swapped):
    assert (items_swapped("5, 12, 13", asked, False) is not None) == swapped


@pytest.mark.parametrize(("text", "without"), [("6.05e+05", None), ("a+b", "ab"), ("colou?r", "colour")])
def test_the_sign_of_an_exponent_is_no_sign_of_a_pattern(text, without):
    assert without_signs(text) == without
