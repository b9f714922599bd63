"""Limits that each call is compared with alone, whatever was taken before it."""

import pytest

from grpo_env_sdk import ToolEnv, call_message, reward, tool
from grpo_env_sdk.checking.teaching.amounts.limits_over_calls import limits_hold_over_several_calls
from tests.checking.trying import found
from tests.gallery.broken.stalls_never_sold_out import Market


class SoldOut(Market):
    """Sound: what was sold is gone."""

    def sold(self, stall, apples):
        self.left[stall] -= apples


class Halls(ToolEnv):
    """Guests are seated in halls; seats that are taken stay free, and the nearest hall is best."""

    max_turns = 6
    rule = "The halls are {}. Seat all {} guests, as many in the nearer hall as fit."

    def build_dataset(self, tokenizer):
        rows = []
        for n in range(14):
            seats = {"oak": 40 + n, "elm": 60} if n % 2 else {"elm": 40 + n, "oak": 60}
            told = " and ".join(f"{hall} ({count} seats)" for hall, count in seats.items())
            guests = 50 + 2 * n
            rows.append(
                {"prompt": self.rule.format(told, guests), "seats": seats, "guests": guests, "near": next(iter(seats))}
            )
        return rows

    def setup(self, row):
        self.left, self.seated = dict(row["seats"]), {"oak": 0, "elm": 0}

    @tool
    def seat(self, hall: str, guests: int) -> str:
        """Seat guests in a hall."""
        if guests > self.left.get(hall, 0):
            return "error: too many guests"
        self.taken(hall, guests)
        self.seated[hall] += guests
        return "seated"

    def taken(self, hall, guests):
        """Nothing is taken."""

    @reward
    def near(self, row):
        right = min(row["guests"], row["seats"][row["near"]])
        return sum(self.seated.values()) == row["guests"] and self.seated[row["near"]] >= right

    def solve(self, row):
        near, far = row["seats"]
        first = min(row["guests"], row["seats"][near])
        return [
            call_message("seat", hall=near, guests=first),
            call_message("seat", hall=far, guests=row["guests"] - first),
            "Done.",
        ]


class SeatsTaken(Halls):
    """Sound: seats that are taken are taken."""

    def taken(self, hall, guests):
        self.left[hall] -= guests


class PerCall(Halls):
    """Sound: the limit is one of each call."""

    rule = (
        "The halls are {}, which is how many guests walk there at a time. Bring all {} guests, to the nearer one first."
    )


class EachHallCounts(Halls):
    """Sound: more than gold in the nearer hall is wrong."""

    @reward
    def near(self, row):
        return self.seated[row["near"]] == min(row["guests"], row["seats"][row["near"]])


@pytest.mark.parametrize("cls", [Market, Halls])
def test_a_limit_that_is_not_lowered_by_what_was_taken_is_an_error(cls):
    (finding,) = found(limits_hold_over_several_calls, cls)
    assert finding.severity == "error"
    assert "is refused" in finding.message


@pytest.mark.parametrize("sound", [SoldOut, SeatsTaken, PerCall, EachHallCounts])
def test_limits_over_all_calls_and_of_each_call_are_sound(sound):
    assert found(limits_hold_over_several_calls, sound) == []
