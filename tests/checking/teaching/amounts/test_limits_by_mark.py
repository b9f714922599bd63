"""Limits on questions that count question marks."""

import pytest

from grpo_env_sdk import answer_text
from grpo_env_sdk.checking.teaching.amounts.stated_limits import more_acts_than_allowed_are_not_gold as check
from tests.checking.trying import found
from tests.gallery.broken.requests_not_counted import ASKED, Repairs


class ByItsFirstWord(Repairs):
    """Questions begin with a word."""

    def is_question(self, said):
        return said.casefold().startswith(("which", "and what"))


class EachMessage(Repairs):
    """Sound: each message counts."""

    def is_question(self, said):
        return True


class OnlyQuestionsAnswered(Repairs):
    """Sound: what has no question mark is not answered."""

    def user(self, messages):
        answered = super().user(messages)
        return answered if answered is None or answer_text(messages).strip().endswith("?") else "Sorry?"


class MarksAsTold(Repairs):
    rules = "You may ask no more than two questions; what has no question mark is no question."


class NoLimit(Repairs):
    rules = "Ask questions, then order the part."


@pytest.mark.parametrize("cls", [Repairs, ByItsFirstWord])
def test_questions_that_are_answered_and_not_counted_are_found(cls):
    (finding,) = found(check, cls)
    assert "more questions than the prompt allows" in finding.message
    assert ASKED.rstrip("?") in str(finding.input[0]["content"])


@pytest.mark.parametrize("cls", [EachMessage, OnlyQuestionsAnswered, MarksAsTold, NoLimit])
def test_questions_that_are_counted_or_not_answered_are_not_reported(cls):
    assert found(check, cls) == []
