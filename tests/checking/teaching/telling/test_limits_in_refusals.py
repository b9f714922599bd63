"""Refusals that say how much there is are no answers; those that say what is right are."""

import pytest

from grpo_env_sdk.checking.teaching.telling.limits_in_refusals import states_limit
from grpo_env_sdk.checking.teaching.telling.telling import replies_do_not_tell_the_answer
from tests.checking.trying import found
from tests.gallery.broken.stalls_never_sold_out import Market


class TellsWhatIsRight(Market):
    def buy(self, stall: str, apples: int) -> str:
        """Buy apples."""
        right = dict(self.plan(self.row)).get(stall)
        return super().buy(stall, apples) if apples == right else f"Error: that is wrong, expected {right}."


def test_a_limit_that_gold_looks_up_is_no_answer():
    assert found(replies_do_not_tell_the_answer, Market) == []


def test_the_right_number_in_an_error_is_an_answer():
    assert found(replies_do_not_tell_the_answer, TellsWhatIsRight)


@pytest.mark.parametrize("reply", ["Only 50 left.", "Refused: 50 are available.", "stock: 50", "limit of 50 exceeded"])
def test_limits(reply):
    assert states_limit(reply, "50")


@pytest.mark.parametrize("reply", ["Expected 50.", "Room 50 is right.", "Only 150 left.", "Only 50.5 kg left."])
def test_what_is_no_limit(reply):
    assert not states_limit(reply, "50")
