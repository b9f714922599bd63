import asyncio

import pytest

from grpo_env_judge.heuristic_judge import HeuristicJudge
from grpo_env_judge.wording import asked, notice


@pytest.fixture
def grade(facts):
    return lambda text: asyncio.run(HeuristicJudge().verdict(facts, text))


def test_a_plain_sentence_is_perfect(grade, facts):
    assert grade(notice(facts)) == 1.0
    assert grade("Join our book club in room 7 for 9 euros, this Friday at 18:30!") == 1.0


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("the book club is on Friday at 18:30 in room 7 and costs 9 euros", 0.75),
        ("The book club is on Friday at 18:30. It is in room 7 and costs 9 euros.", 0.75),
        ("The book club is on Friday at 18:30 in room 7 and costs 9 euros" + " indeed" * 20 + ".", 0.75),
        ("The book club, on Friday, at 18:30, in room 7, for 9 euros.", 0.75),
        ("Event: book club on day: Friday at 18:30 in room 7 and costs 9 euros.", 0.75),
        ("The book club is Friday 18:30 room 7 9 euros now.", 0.75),
        ("book club Friday 18:30 room 7 9 euros", 0.25),
        ("", 0.0),
    ],
)
def test_each_rule_that_is_broken_costs_a_quarter(grade, text, verdict):
    assert grade(text) == verdict


def test_a_copy_of_what_was_told_is_hardly_prose(grade, facts):
    assert grade(asked(facts, {"day": "Monday", "place": "room 9"})) <= 0.5


@pytest.mark.parametrize(
    "text", ["a" * 200_000, "A. " * 60_000, "room " * 40_000, "9 " * 100_000, "A is: " * 30_000]
)
def test_endless_texts_are_no_sentence(grade, text):
    assert grade(text) <= 0.25
