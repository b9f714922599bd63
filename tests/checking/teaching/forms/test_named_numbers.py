"""Tools take numbers for what their schema says that they stand for."""

import pytest

from grpo_env_sdk import ToolEnv, call_message, reward, tool
from grpo_env_sdk.checking.evidence.prompts.named_numbers import named_numbers
from grpo_env_sdk.checking.teaching.forms.counting_from import positions_are_counted_as_told
from tests.checking.trying import found

MONTHS = ("January", "February", "March", "May", "August", "October", "December")
NUMBERS = (1, 2, 3, 5, 8, 10, 12)
GRADES = ("calm", "brisk", "wild")


class SowingPlan(ToolEnv):
    """The schema counts months from 1, and the tool from 0."""

    max_turns = 3
    said = "Put down sowing {crop} in {month}, then say so."
    first = 1

    def build_dataset(self, tokenizer):
        return [
            {"prompt": self.said.format(crop=crop, month=month), "crop": crop, "month": MONTHS.index(month)}
            for crop in ("beans", "leeks")
            for month in MONTHS
        ]

    def setup(self, row):
        self.noted = []

    @tool
    def put_down(self, crop: str, month: int) -> str:
        """Put a crop down.

        Args:
            crop: Its name.
            month: The month, 1 to 12.
        """
        self.noted.append((crop, month))
        return "Noted."

    def number(self, row):
        return NUMBERS[row["month"]] - 1 + self.first

    @reward
    def noted_once(self, crop, month):
        return float(self.noted == [(crop, self.number({"month": month}))])

    def solve(self, row):
        yield call_message("put_down", crop=row["crop"], month=self.number(row))
        yield "Noted."


class MonthsFromZero(SowingPlan):
    first = 0


class SownAMonthLater(SowingPlan):
    said = "The packet of {crop} says {month}; sow them a month later, then say so."
    first = 2


class WindOfTheDay(ToolEnv):
    """Grades are named in the schema, and the tool counts them from 0."""

    max_turns = 3
    shift = -1
    said = "Report a {grade} wind at post {post}, then say so."

    def build_dataset(self, tokenizer):
        return [
            {"prompt": self.said.format(grade=grade, post=post), "post": post, "grade": place + 1}
            for post in ("A", "B", "C")
            for place, grade in enumerate(GRADES)
        ]

    def setup(self, row):
        self.reported = ()

    @tool
    def report(self, post: str, grade: int) -> str:
        """Report the wind.

        Args:
            post: The post.
            grade: 1 = calm, 2 = brisk, 3 = wild.
        """
        self.reported = (post, grade)
        return "Reported."

    @reward
    def is_reported(self, post, grade):
        return float(self.reported == (post, grade + self.shift))

    def solve(self, row):
        yield call_message("report", post=row["post"], grade=row["grade"] + self.shift)
        yield "Reported."


class WindAsNamed(WindOfTheDay):
    shift = 0


class OneGradeHigher(WindOfTheDay):
    shift = 1
    said = "The mast at post {post} shows a {grade} wind; report one grade higher, then say so."


PLACES = ("first", "second", "third", "fourth", "fifth")


class ShelfOfJars(ToolEnv):
    """The schema counts jars from 0, and the tool from 1."""

    max_turns = 3
    first = 1
    said = "Take the {place} jar off shelf {shelf}, then say so."

    def build_dataset(self, tokenizer):
        return [
            {"prompt": self.said.format(place=place, shelf=shelf), "shelf": shelf, "index": at}
            for shelf in ("A", "B")
            for at, place in enumerate(PLACES)
        ]

    def setup(self, row):
        self.taken = ()

    @tool
    def take(self, shelf: str, index: int) -> str:
        """Take a jar.

        Args:
            shelf: The shelf.
            index: The jar, 0-based from the left.
        """
        self.taken = (shelf, index)
        return "Taken."

    @reward
    def is_taken(self, shelf, index):
        return float(self.taken == (shelf, index + self.first))

    def solve(self, row):
        yield call_message("take", shelf=row["shelf"], index=row["index"] + self.first)
        yield "Taken."


class JarsFromZero(ShelfOfJars):
    first = 0


class TheJarBehind(ShelfOfJars):
    said = "On shelf {shelf}, take the jar after the {place} one, then say so."


DAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")


class BinDays(ToolEnv):
    """The reply names another day than the schema; the row takes any number that gold takes."""

    max_turns = 3
    names = (*DAYS[1:], DAYS[0])
    reply = "The bins of street {street} go out on {day}."

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"Ask when the bins of street {number} go out, as day {number % 7}.", "number": number}
            for number in range(14)
        ]

    def setup(self, row):
        self.asked = None

    @tool
    def put_out(self, street: int, weekday: int) -> str:
        """Put bins out.

        Args:
            street: Its number.
            weekday: 0 = Sunday to 6 = Saturday.
        """
        self.asked = (street, weekday)
        return self.reply.format(street=street, day=self.names[weekday % 7])

    @reward
    def as_asked(self, number):
        return float(self.asked == (number, number % 7))

    def solve(self, row):
        yield call_message("put_out", street=row["number"], weekday=row["number"] % 7)
        yield "Done."


class BinDaysAsNamed(BinDays):
    names = DAYS


class TheDayAfter(BinDays):
    reply = "Street {street}: they are emptied on the day after, {day}."


@pytest.mark.parametrize(
    ("text", "word", "number"),
    [
        ("0 is Monday, 1 Tuesday, 2 Wednesday", "Sunday", 6),
        ("0 = Sunday", "Saturday", 6),
        ("Monday is 1 and Sunday is 7", "Friday", 5),
        ("month: 0-11", "March", 2),
        ("the month, 1 to 12", "December", 12),
        ("1 (low), 2 (normal), 3 (high)", "high", 3),
        ("Grade: 1 = calm, 2 = brisk, 3 = wild", "brisk", 2),
        ("low=0, high=1, urgent=2", "urgent", 2),
        ("0: Montag", "Sonntag", 6),
        ("0=Sun, 1=Mon, 6=Sat", "Wed", 3),
        ("2 = Sun, 3 = Moon, 4 = Star", "Moon", 3),
    ],
)
def test_numbers_that_a_text_names_are_known(text, word, number):
    named = named_numbers(text)
    assert named is not None
    assert named.numbers[word] == number


@pytest.mark.parametrize("text", ["The full hour, 8 to 17.", "1 = Monday, 3 = Tuesday", "up to 12 items", "5 is high"])
def test_other_numbers_name_nothing(text):
    assert named_numbers(text) is None


@pytest.mark.parametrize(
    ("flawed", "said"), [(MonthsFromZero, "'month' is"), (WindOfTheDay, "'grade' is"), (ShelfOfJars, "0 for first")]
)
def test_gold_that_gives_the_number_beside_the_named_one_is_found(flawed, said):
    (finding,) = found(positions_are_counted_as_told, flawed)
    assert said in finding.message
    assert finding.severity in (None, "error")


def test_replies_that_name_the_day_beside_are_a_warning():
    (finding,) = found(positions_are_counted_as_told, BinDays)
    assert "replies with" in finding.message
    assert finding.severity == "warning"


@pytest.mark.parametrize(
    "sound",
    [SowingPlan, SownAMonthLater, WindAsNamed, OneGradeHigher, JarsFromZero, TheJarBehind, BinDaysAsNamed, TheDayAfter],
)
def test_numbers_as_named_and_days_beside_on_purpose_are_sound(sound):
    assert found(positions_are_counted_as_told, sound) == []
