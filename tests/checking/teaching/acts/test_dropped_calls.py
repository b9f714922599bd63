"""Calls that a prompt asks for, and that count for nothing."""

import pytest

from grpo_env_sdk import reward
from grpo_env_sdk.checking.teaching.acts.dropped_calls import each_call_that_is_asked_for_counts as each_counts
from tests.checking.trying import found
from tests.gallery.broken.last_booking_counts import Seats


class Both(Seats):
    @reward
    def both(self, seats):
        return sorted(self.booked) == sorted(seats)


class Half(Seats):
    """Each seat is a half of the score."""

    @reward
    def both(self, seats):
        return len({*self.booked} & {*seats}) / 2


class Unnamed(Seats):
    """The prompt does not name the seats, so gold may try one and then another."""

    def build_dataset(self, tokenizer):
        return [
            {**row, "prompt": f"Flight {place}: book a seat."} for place, row in enumerate(super().build_dataset(None))
        ]


class Replaced(Seats):
    """A later booking takes the place of an earlier one, as the prompt says."""

    def build_dataset(self, tokenizer):
        told = "They change their mind while you book; the last seat counts."
        return [{**row, "prompt": f"{row['prompt']} {told}"} for row in super().build_dataset(None)]


class First(Seats):
    @reward
    def both(self, seats):
        return self.booked[:1] == seats[:1]


@pytest.mark.parametrize(("env", "call"), [(Seats, 1), (First, 2)])
def test_a_call_that_counts_for_nothing_is_found(env, call):
    (finding,) = found(each_counts, env)
    assert finding.message.startswith(f"Gold without call {call} of book, for which the prompt asks, scores as much")
    assert len(finding.input) == 2


@pytest.mark.parametrize("env", [Both, Half, Unnamed, Replaced])
def test_nothing_is_said_where_each_call_counts_or_is_not_asked_for(env):
    assert not found(each_counts, env)
