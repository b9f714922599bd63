"""Bookings that begin within what is taken, or run into it."""

import json
from datetime import date, timedelta

import pytest

from grpo_env_sdk import ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.checking.evidence.prompts.moments import CLOCKS, DATES, MOMENTS, NUMBERS
from grpo_env_sdk.checking.teaching.acts.taken_times import bookings_do_not_overlap_what_is_taken
from tests.checking.trying import found

FIRST = date(2027, 6, 1)


def day(number):
    return (FIRST + timedelta(days=number)).isoformat()


class Berths(ToolEnv):
    """A berth of a marina for some nights; only the day of arrival is compared with what is taken."""

    max_turns = 5
    asked = "Book the berth for yacht {} for {} nights in June 2027, on any days on which it is free."

    def build_dataset(self, tokenizer):
        rows = []
        for n in range(12):
            taken = [[start, start + 4] for start in (2 + n % 3, 9 + n % 4, 20 + n % 2)]
            rows.append({"prompt": self.asked.format(f"Y{n}", 2 + n % 2), "nights": 2 + n % 2, "taken": taken})
        return rows

    def setup(self, row):
        self.booked = []

    @tool
    def berth_plan(self) -> str:
        """When the berth is taken: the days of arrival and departure."""
        return json.dumps([{"arrival": day(a), "departure": day(b)} for a, b in self.row["taken"]])

    @tool
    def book_berth(self, arrival: str, departure: str) -> str:
        """Book the berth.

        Args:
            arrival: The first day, as YYYY-MM-DD.
            departure: The last day.
        """
        self.booked.append([(date.fromisoformat(one) - FIRST).days for one in (arrival, departure)])
        return "Booked."

    def is_free(self, start, end):
        return all(start != a for a, _ in self.row["taken"])

    @reward
    def fits(self, nights):
        right = len(self.booked) == 1 and self.booked[0][1] - self.booked[0][0] == nights
        return right and self.is_free(*self.booked[0])

    def solve(self, row):
        start = row["taken"][1][1] + 1
        yield call_message("berth_plan")
        yield call_message("book_berth", arrival=day(start), departure=day(start + row["nights"]))
        yield "Booked."


class RunsInto(Berths):
    """It is looked at where a stay begins, and not where it ends."""

    def is_free(self, start, end):
        return all(not a <= start < b for a, b in self.row["taken"])


class Overlapping(Berths):
    """Sound: what overlaps is refused."""

    def is_free(self, start, end):
        return all(end <= a or start >= b for a, b in self.row["taken"])


class Marked(Overlapping):
    """Sound: the plan shows when the berth is free."""

    @tool
    def berth_plan(self) -> str:
        """When the berth is free: from one day to another."""
        edges = [-20, *(edge for pair in self.row["taken"] for edge in pair), 40]
        return "; ".join(f"{day(a)} to {day(b)}" for a, b in zip(edges[::2], edges[1::2], strict=True))


class AnyDays(Berths):
    """Sound: the plan is of other yachts, and does not count."""

    def is_free(self, start, end):
        return True


class Courts(ToolEnv):
    """A court at a time of day, as the prompt shows it; the answer is a text."""

    max_turns = 2

    def build_dataset(self, tokenizer):
        rows = []
        for n in range(12):
            taken = [9 * 60 + 60 * (n % 3), 13 * 60 + 30 * (n % 2), 16 * 60]
            shown = ", ".join(f"{clock(a)}-{clock(a + 60)}" for a in taken)
            text = f"Court {n} is booked at {shown}. From when can you play for 60 minutes? Answer like 08:30."
            rows.append({"prompt": text, "taken": taken})
        return rows

    @tool
    def price(self) -> str:
        """What an hour costs."""
        return "12 euros."

    def is_free(self, start):
        return start not in self.row["taken"]

    @reward
    def fits(self, completion):
        hours, _, minutes = answer_text(completion).partition(":")
        start = int(hours) * 60 + int(minutes) if (hours + minutes).isdecimal() else 0
        return 480 <= start <= 1260 and self.is_free(start)

    def solve(self, row):
        return clock(row["taken"][2] + 120)


class CourtsByHour(Courts):
    """Sound: all of the hour is looked at."""

    def is_free(self, start):
        return all(abs(start - a) >= 60 for a in self.row["taken"])


class CourtsOfOthers(Courts):
    """Sound: hours are begun at full hours only, so that nothing else is compared."""

    def is_free(self, start):
        return start % 60 == 0 and all(abs(start - a) >= 60 for a in self.row["taken"])


class Seats(Berths):
    """Seats beside each other in a row, by the number of the first one."""

    asked = "Reserve seats for party {}, {} beside each other; take free ones."

    @tool
    def berth_plan(self) -> str:
        """The reserved seats, as first and last ones of each party."""
        return json.dumps([[a, b] for a, b in self.row["taken"]])

    @tool
    def book_berth(self, first_seat: int, count: int) -> str:
        """Reserve seats.

        Args:
            first_seat: The first one.
            count: How many.
        """
        self.booked.append([first_seat, first_seat + count])
        return "Reserved."

    def solve(self, row):
        yield call_message("berth_plan")
        yield call_message("book_berth", first_seat=row["taken"][1][1] + 1, count=row["nights"])
        yield "Done."


class SeatsApart(Seats, Overlapping):
    """Sound: all of the seats are looked at."""


def clock(minutes):
    return f"{minutes // 60:02d}:{minutes % 60:02d}"


@pytest.mark.parametrize(
    ("cls", "what"),
    [(Berths, "begins within"), (RunsInto, "runs into"), (Courts, "begins within"), (Seats, "begins within")],
)
def test_bookings_that_overlap_are_found(cls, what):
    (finding,) = found(bookings_do_not_overlap_what_is_taken, cls)
    assert what in finding.message
    assert finding.severity == "error"


@pytest.mark.parametrize("cls", [Overlapping, Marked, AnyDays, CourtsByHour, CourtsOfOthers, SeatsApart])
def test_bookings_that_are_refused_or_free_are_let_be(cls):
    assert found(bookings_do_not_overlap_what_is_taken, cls) == []


RANGES = [
    (CLOCKS, "Busy 09:00-10:30 and from 13:00 to 14:00.", [(540, 630), (780, 840)]),
    (CLOCKS, '[{"start": "09:00", "end": "10:00"}]', [(540, 600)]),
    (CLOCKS, '{"start": "09:00", "minutes": 45}', [(540, 585)]),
    (CLOCKS, '[["09:00", "10:00"], ["11:00", "11:30"]]', [(540, 600), (660, 690)]),
    (CLOCKS, '["09:00", "10:00", "11:00"]', []),
    (DATES, "2027-06-01 to 2027-06-03", [(FIRST.toordinal(), FIRST.toordinal() + 2)]),
    (NUMBERS, "Seats 4-7 and 12 to 14", [(4, 7), (12, 14)]),
]


@pytest.mark.parametrize(("scale", "text", "ranges"), RANGES)
def test_the_ranges_of_a_text(scale, text, ranges):
    assert list(scale.ranges(text)) == ranges


def test_what_is_moved_is_written_as_before():
    assert CLOCKS.moved("at 9:30", 45) == "at 10:15"
    assert DATES.moved("2027-06-30", 1) == "2027-07-01"
    assert MOMENTS.moved("2027-06-30T23:30:00", 60) == "2027-07-01T00:30:00"
