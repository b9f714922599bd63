"""A tool that fails on each of gold's calls is an error, unless it fails on purpose."""

import pytest

from grpo_env_sdk import tool
from grpo_env_sdk.checking.runner.worker import found_by
from grpo_env_sdk.checking.tools.answering import valid_calls_are_answered
from tests.checking.trying import subject_of
from tests.gallery.broken.column_misspelt import Workshop


class NotToday(Exception):
    """A refusal."""


def refuse(name):
    raise NotToday(f"the card of {name} is out")


class ParsesNothing(Workshop):
    @tool
    def read_card(self, name: str) -> int:
        """The card of a tool.

        Args:
            name: The name of the tool.
        """
        return int("shelf 3")


class Closed(Workshop):
    """Its box of cards is closed, and the prompt need not say so."""

    reason: type[Exception] = NotToday

    @tool
    def read_card(self, name: str) -> str:
        """The card of a tool.

        Args:
            name: The name of the tool.
        """
        if self.reason is NotToday:
            refuse(name)
        raise self.reason("the box is closed")


class ClosedWithKeyError(Closed):
    reason = KeyError


class ClosedWithTimeout(Closed):
    reason = TimeoutError


class CardsOfOthers(Workshop):
    """A dictionary's own refusal, which names what was asked for."""

    @tool
    def read_card(self, name: str) -> str:
        """The card of a tool.

        Args:
            name: The name of the tool.
        """
        return {"file": "3"}[name]


class SomeCards(Workshop):
    """Has the cards of some."""

    @tool
    def read_card(self, name: str) -> str:
        """The card of a tool.

        Args:
            name: The name of the tool.
        """
        return [*"12345678"][len(name) * 2 - 5]


def findings_of(cls):
    return [item for item in found_by(valid_calls_are_answered, subject_of(cls)) if item.severity == "error"]


def test_a_column_that_the_row_lacks_fails_every_call_of_gold_and_is_named():
    (found,) = findings_of(Workshop)
    assert "gold's own calls to read_card fail in 12 of 12 episodes: KeyError: 'shelve' (" in found.message
    assert "column_misspelt.py:" in found.message
    assert "reads a column that the row does not have: it has prompt, name, who, shelf." in found.hint


def test_an_error_of_python_that_names_no_argument_is_no_answer():
    (found,) = findings_of(ParsesNothing)
    assert "fail in 12 of 12 episodes: ValueError: invalid literal for int()" in found.message


@pytest.mark.parametrize("cls", [Closed, ClosedWithKeyError, ClosedWithTimeout, CardsOfOthers, SomeCards])
def test_what_is_refused_on_purpose_or_at_times_is_no_error(cls):
    assert findings_of(cls) == []
