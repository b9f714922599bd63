"""Gold that says the opposite of what a tool says, or takes what no rule of the prompt names."""

from datetime import date, timedelta
from typing import Literal

import pytest

from grpo_env_sdk import ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.checking.teaching.telling.contradicted_replies import gold_says_what_the_tools_say as gold_says
from tests.checking.trying import found
from tests.gallery.broken.winter_hours_in_march import OPEN, Pools

SCALES = {"map": 25, "plan": 4, "sheet": 10}


class Scales(ToolEnv):
    """Lengths on paper; the tool multiplies where it has to divide."""

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"A way of {length} m is how long on the {kind}, in mm? Answer with the number, one decimal.",
             "length": length, "kind": kind, "answer": f"{length / scale:.1f}"}
            for length in (70, 90, 130, 210) for kind, scale in SCALES.items()
        ]  # fmt: skip

    @tool
    def on_paper(self, length: float, kind: Literal["map", "plan", "sheet"]) -> dict:
        """How long a way is on paper.

        Args:
            length: Its length in metres.
            kind: The kind of paper.
        """
        return {"mm": self.convert(length, SCALES[kind])}

    def convert(self, length, scale):
        return round(length * scale, 1)

    @reward
    def right(self, completion, answer):
        return answer_text(completion).strip() == answer

    def solve(self, row):
        return [call_message("on_paper", length=row["length"], kind=row["kind"]), row["answer"]]


class RightScales(Scales):
    def convert(self, length, scale):
        return round(length / scale, 1)


class PerMap(RightScales):
    """The reply is for one, and several are asked for."""

    def build_dataset(self, tokenizer):
        return [
            {**row, "prompt": row["prompt"].replace("A way", "Three ways"),
             "answer": f"{3 * row['length'] / SCALES[row['kind']]:.1f}"}
            for row in super().build_dataset(tokenizer)
        ]  # fmt: skip


class AnyNumber(Scales):
    """What the tool says is right too."""

    @reward
    def right(self, completion, answer):
        return answer_text(completion).strip().replace(".", "").isdecimal()


class Deadlines(ToolEnv):
    """The tool counts days to the wrong side."""

    SIDE = 1

    def build_dataset(self, tokenizer):
        rows = []
        for n in range(10):
            due, days = date(2025, 3, 1) + timedelta(17 * n), 3 + 4 * n
            text = f"The garden opens on {due}. The seeds go in {days} days before that: when? Answer as 2025-01-31."
            rows.append({"prompt": text, "due": str(due), "days": days, "answer": str(due - timedelta(days))})
        return rows

    @tool
    def days_before(self, day: str, days: int) -> str:
        """The date so many days before a day.

        Args:
            day: The day, such as 2025-01-31.
            days: How many days before it.
        """
        return f"That is {date.fromisoformat(day) + timedelta(self.SIDE * days)}."

    @reward
    def right(self, completion, answer):
        return answer_text(completion).strip() == answer

    def solve(self, row):
        return [call_message("days_before", day=row["due"], days=row["days"]), row["answer"]]


class RightDeadlines(Deadlines):
    SIDE = -1


class Quotients(ToolEnv):
    """The tool divides the second number by the first, and the answer is an argument."""

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"How many litres for each of {people} people are {litres} litres? Submit two decimals.",
             "litres": litres, "people": people, "answer": round(litres / people, 2)}
            for people, litres in ((7, 30), (3, 55), (9, 41), (4, 77), (6, 25), (8, 99), (5, 18))
        ]  # fmt: skip

    def setup(self, row):
        self.said = 0.0

    @tool
    def divide(self, one: float, other: float) -> str:
        """Divide one number by the other.

        Args:
            one: The number that is divided.
            other: The number that it is divided by.
        """
        return f"{self.quotient(one, other):.2f}"

    def quotient(self, one, other):
        return other / one

    @tool
    def submit(self, litres: float) -> str:
        """Submit the answer.

        Args:
            litres: The litres.
        """
        self.said = litres
        return "Thanks."

    @reward
    def right(self, answer):
        return abs(self.said - answer) < 0.01

    def solve(self, row):
        yield call_message("divide", one=row["litres"], other=row["people"])
        yield call_message("submit", litres=row["answer"])
        yield "Done."


class Products(Quotients):
    """The tool multiplies, and so does no way back."""

    def build_dataset(self, tokenizer):
        return [{**row, "answer": row["litres"] + row["people"]} for row in super().build_dataset(tokenizer)]

    def quotient(self, one, other):
        return one * other


class RightQuotients(Quotients):
    def quotient(self, one, other):
        return one / other


@pytest.mark.parametrize(
    ("env", "how"),
    [
        (Scales, "on_paper says to gold's own call: it multiplies where gold divides"),
        (Deadlines, "days_before says to gold's own call: it adds where gold takes away"),
        (Products, "divide says to gold's own call: it takes its numbers in another order, or computes something else"),
        (Quotients, "divide says to gold's own call: it takes its numbers in another order"),
    ],
)
def test_a_tool_that_computes_the_opposite_is_found(env, how):
    (finding,) = found(gold_says, env)
    assert how in finding.message
    assert finding.severity == "error"


@pytest.mark.parametrize("env", [RightScales, PerMap, AnyNumber, RightDeadlines, RightQuotients])
def test_nothing_is_said_where_gold_follows_from_what_the_tool_says(env):
    assert not found(gold_says, env)


class Asked(Pools):
    """The season is an argument."""

    @tool
    def hours(self, pool: str, season: Literal["summer", "winter"]) -> list[str]:
        """The hours at which a pool opens and closes.

        Args:
            pool: Its name.
            season: The season.
        """
        return OPEN[pool][season]

    def solve(self, row):
        return [call_message("hours", pool=row["pool"], season=row["season"]), row["answer"]]


@pytest.mark.parametrize(
    ("env", "what"),
    [(Pools, "what is under 'winter' in the reply of hours"), (Asked, "'winter' as 'season' of hours")],
)
def test_gold_that_takes_what_no_rule_names_is_found(env, what):
    (finding,) = found(gold_says, env)
    assert finding.message.startswith(f"Gold takes {what} on all 3 rows with the word 'march'")
    assert finding.severity == "error"


class Right(Pools):
    SUMMER = ("March", "June")


class RightAsked(Asked):
    SUMMER = ("March", "June")


class Unsaid(Pools):
    """No rule says which month is in which season."""

    RULE = "The hours are those of summer or of winter."


class Either(Pools):
    """In March both are right."""

    @reward
    def right(self, completion, pool, answer):
        return answer_text(completion).strip() in {answer, *(times[1] for times in OPEN[pool].values())}


@pytest.mark.parametrize("env", [Right, RightAsked, Unsaid, Either])
def test_nothing_is_said_where_gold_takes_what_the_rule_names_or_none_does(env):
    assert not found(gold_says, env)
