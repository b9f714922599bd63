"""Gold with dates and times of day that do not exist, where the right ones are refused."""

from datetime import date

import pytest

from grpo_env_sdk import SingleTurnEnv, ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.checking.evidence.prompts.written_dates import dates, times_of_day, times_of_halves
from grpo_env_sdk.checking.teaching.wrong_answers.impossible_dates import dates_and_times_of_gold_exist
from tests.checking.trying import found


@pytest.mark.parametrize(
    ("read", "text", "instead"),
    [
        (times_of_halves, "0:20 PM", "12:20 PM"),
        (times_of_halves, "13 pm", "1 pm"),
        (times_of_day, "24:15", "00:15"),
        (times_of_day, "at 9:5.", "09:05"),
        (times_of_day, "10:75", "11:15"),
        (dates, "2024-02-31", "2024-03-02"),
        (dates, "31.04.2025", "01.05.2025"),
        (dates, "February 30, 2024", "March 1, 2024"),
        (dates, "2024-13-05", "2025-01-05"),
    ],
)
def test_what_does_not_exist_is_read_with_what_may_be_right(read, text, instead):
    (one,) = read(text)
    assert not one.exists
    assert instead in one.instead


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (times_of_halves, "12:20 PM"),
        (times_of_day, "24:00"),
        (times_of_day, "07:05"),
        (dates, "29.02.2024"),
        (dates, "12/31/2024"),
    ],
)
def test_what_exists_is_read_as_such(read, text):
    (one,) = read(text)
    assert one.exists


class Bakes(SingleTurnEnv):
    """When a loaf is done, on a clock with halves."""

    asks = "A loaf goes into the oven at {} and bakes for {} minutes. At what time is it done? Answer like 3:05 PM."

    def starts(self):
        return [(8 * 60 + 17 * number, 20 + number % 3 * 10) for number in range(24)]

    def written(self, minutes):
        return f"{minutes // 60 % 12}:{minutes % 60:02d} {'PM' if minutes >= 720 else 'AM'}"

    def shown(self, minutes):
        return f"{(minutes // 60 - 1) % 12 + 1}:{minutes % 60:02d} {'PM' if minutes >= 720 else 'AM'}"

    def build_dataset(self, tokenizer):
        return [
            {"prompt": self.asks.format(self.shown(begin), long), "wanted": self.written(begin + long)}
            for begin, long in self.starts()
        ]

    @reward
    def is_right(self, completion, wanted):
        return completion.strip() == wanted

    def solve(self, row):
        return row["wanted"]


class PastMidnight(Bakes):
    """Hours that go on after 24."""

    asks = "The oven is lit at {} and burns for {} minutes. At what time is it out? Answer as HH:MM."

    def starts(self):
        return [(19 * 60 + 13 * number, 35) for number in range(24)]

    def written(self, minutes):
        return f"{minutes // 60:02d}:{minutes % 60:02d}"

    shown = written


class NextMonth(SingleTurnEnv):
    """The same day of the next month, also where there is none."""

    def build_dataset(self, tokenizer):
        days = [date(2024, 1 + number % 9, (7 * number) % 28 + 1) for number in range(20)]
        days += [date(2024, 1, 31), date(2024, 3, 31), date(2024, 5, 31)]
        return [
            {"prompt": f"A rent was paid on {day}. On which day is the next one due, one month later?", "day": str(day)}
            for day in days
        ]

    def due(self, day):
        year, month, rest = day.split("-")
        return f"{year}-{int(month) + 1:02d}-{rest}"

    @reward
    def is_right(self, completion, day):
        return completion.strip() == self.due(day)

    def solve(self, row):
        return self.due(row["day"])


@pytest.mark.parametrize(("cls", "wrong"), [(Bakes, "'0:"), (PastMidnight, "'24:"), (NextMonth, "'2024-02-31'")])
def test_gold_that_does_not_exist_is_an_error_where_the_right_one_is_refused(cls, wrong):
    (item,) = found(dates_and_times_of_gold_exist, cls)
    assert wrong in item.message
    assert "in its place scores 0" in item.message
    assert item.severity == "error"


class Rightly(Bakes):
    """The same clock, read rightly."""

    written = Bakes.shown


class EitherWay(Bakes):
    """The scorer takes noon in both forms."""

    @reward
    def is_right(self, completion, wanted):
        return completion.strip().replace("12:", "0:") == wanted.replace("12:", "0:")


class Lengths(PastMidnight):
    """Numbers with a colon that are minutes and seconds."""

    asks = "The first lap takes {} and the second {} seconds. What is the total time, as MM:SS?"


class LateShow(PastMidnight):
    """A timetable whose days go on after midnight, which its prompts show."""

    asks = (
        "Trains of one day run until 25:59. One leaves at {} and travels {} minutes. At what time, HH:MM, is it there?"
    )


class Misprints(SingleTurnEnv):
    """Find the date that cannot be."""

    def build_dataset(self, tokenizer):
        rows = []
        for number in range(16):
            good = [f"2024-0{1 + number % 9}-1{number % 9}", f"2023-1{number % 3}-0{1 + number % 8}"]
            bad = "2024-02-31" if number % 4 == 0 else f"2024-0{1 + number % 9}-2{number % 8}"
            rows.append({"prompt": f"Copy the last of these dates: {', '.join(good)}, {bad}.", "wanted": bad})
        return rows

    @reward
    def is_right(self, completion, wanted):
        return completion.strip() == wanted

    def solve(self, row):
        return row["wanted"]


class Slots(ToolEnv):
    """Slots of a studio that are called after times, and are listed like that."""

    max_turns = 4
    names = ("0:00 PM", "1:00 PM", "2:00 PM", "3:00 PM", "4:00 PM", "5:00 PM")

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"Band {number}: book the slot that is number {number % 6 + 1} in the list.", "slot": number % 6}
            for number in range(18)
        ]

    def setup(self, row):
        self.booked = None

    @tool
    def list_slots(self) -> list[str]:
        """List the slots."""
        return list(self.names)

    @tool
    def book(self, slot: str) -> str:
        """Book a slot."""
        self.booked = slot
        return f"{slot} is booked."

    @reward
    def is_right(self, messages, slot):
        return self.booked == self.names[slot] and bool(answer_text(messages))

    def solve(self, row):
        yield call_message("list_slots")
        yield call_message("book", slot=self.names[row["slot"]])
        yield "It is booked."


@pytest.mark.parametrize("cls", [Rightly, EitherWay, Lengths, LateShow, Misprints, Slots])
def test_what_exists_or_is_shown_or_costs_nothing_is_not_reported(cls):
    assert not found(dates_and_times_of_gold_exist, cls)
