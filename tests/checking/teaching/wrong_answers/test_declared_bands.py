"""Numbers of a band that the prompt declares, and one that it does not."""

import pytest

from grpo_env_sdk.checking.teaching.wrong_answers.coarse_tolerance import (
    numbers_that_are_shown_are_not_near_enough as near,
)
from tests.checking.trying import asking, found


def rooms(said):
    """Middles of bands; whatever is in the band counts."""

    def write(n, rng):
        low = rng.randint(200, 600)
        return said.format(low=low, high=low + 20, n=n), str(low + 10)

    def score_episode(self, model, tokenizer, completion, wanted):
        return float(completion.isdecimal() and abs(int(completion) - int(wanted)) <= 10)

    return type("Rooms", (asking(write),), {"score_episode": score_episode})


@pytest.mark.parametrize("said", [
    "Room {n} is warm at any value from {low} to {high}. Set it.",
    "Set room {n} to a value between {low} and {high}.",
    "Room {n} wants {low}\u2013{high} units. How many do you set?",
    "Room {n} wants {low} lux to {high} lux. How many do you set?",
])  # fmt: skip
def test_the_ends_of_a_declared_band_may_count(said):
    assert found(near, rooms(said)) == []


def test_numbers_that_are_no_ends_of_a_band_may_not():
    (finding,) = found(near, rooms("Room {n} had {low} units, and the next {high}. What is their mean?"))
    assert "A number that is shown counts" in finding.message
