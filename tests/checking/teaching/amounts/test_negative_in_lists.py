"""Less than nothing of one thing pays for more of all others: in a list of lines that a call gets, and in an answer."""

import json
from itertools import product
from typing import ClassVar

import pytest

from grpo_env_sdk import SingleTurnEnv, ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.checking.teaching.amounts.side_doors import absurd_numbers_are_not_gold
from grpo_env_sdk.checking.teaching.wrong_answers.negative_amounts import negative_amounts_in_answers_lose
from tests.checking.trying import found

TOOLS = {"saw": (7, 9), "axe": (5, 6), "rake": (3, 4), "spade": (4, 4)}


def cost(plan):
    return sum(TOOLS[name][0] * count for name, count in plan.items())


def use(plan):
    return sum(TOOLS[name][1] * max(0, count) for name, count in plan.items())


def best(money):
    plans = [dict(zip(TOOLS, counts, strict=True)) for counts in product(range(4), repeat=4)]
    return max((plan for plan in plans if cost(plan) <= money), key=use)


class Shed(ToolEnv):
    """Tools for a garden, ordered at once, for no more than there is."""

    max_turns, least = 3, -1_000
    rows: ClassVar = [{"money": money, "best": json.dumps(best(money))} for money in range(14, 38, 2)]

    def build_dataset(self, tokenizer):
        text = "Order tools for {} euros at most, so that they are of most use: {}. How many of each, up to ten?"
        prices = ", ".join(f"a {name} {price} euros, use {worth}" for name, (price, worth) in TOOLS.items())
        return [{"prompt": text.format(row["money"], prices), **row} for row in self.rows]

    def setup(self, row):
        self.plan = {}

    @tool
    def order(self, lines: list[dict]) -> str:
        """Order tools.

        Args:
            lines: What is ordered, each with its name and how many.
        """
        plan = {line["name"]: line["count"] for line in lines}
        if cost(plan) > self.row["money"] or any(not self.least <= count <= 10 for count in plan.values()):
            return "That is not possible."
        self.plan = plan
        return "Ordered."

    @reward
    def useful(self, best):
        return min(1.0, use(self.plan) / use(json.loads(best)))

    def solve(self, row):
        plan = json.loads(row["best"])
        yield call_message("order", lines=[{"name": name, "count": count} for name, count in plan.items()])
        yield "Done."


class NothingOwed(Shed):
    """Sound: no line is below nothing."""

    least = 0


class NothingBack(Shed):
    """Sound: less than nothing costs nothing."""

    @tool
    def order(self, lines: list[dict]) -> str:
        """Order tools.

        Args:
            lines: What is ordered, each with its name and how many.
        """
        plan = {line["name"]: max(0, line["count"]) for line in lines}
        if cost(plan) <= self.row["money"]:
            self.plan = plan
        return "Ordered, if there was enough."


class WrittenPlan(SingleTurnEnv):
    """The same as an answer."""

    least = -1_000

    def build_dataset(self, tokenizer):
        text = "Buy tools for {} euros at most, so that they are of most use: {}. Say how many of each, as {}."
        prices = ", ".join(f"a {name} {price} euros, use {worth}" for name, (price, worth) in TOOLS.items())
        form = json.dumps(dict.fromkeys(TOOLS, 1))
        return [{"prompt": text.format(row["money"], prices, form), **row} for row in Shed.rows]

    @reward
    def useful(self, completion, money, best):
        try:
            plan = {name: int(count) for name, count in json.loads(answer_text(completion)).items()}
        except (ValueError, AttributeError):
            return 0.0
        if not set(plan) <= set(TOOLS) or cost(plan) > money or min(plan.values(), default=0) < self.least:
            return 0.0
        return min(1.0, use(plan) / use(json.loads(best)))

    def solve(self, row):
        return row["best"]


class WrittenAboveNothing(WrittenPlan):
    """Sound: no number is below nothing."""

    least = 0


class WrittenSums(SingleTurnEnv):
    """Sound: two whole numbers with a sum; the prompt speaks of no amounts, and any will do."""

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Two integers whose sum is {n}, as 'a, b'.", "total": n} for n in range(10, 30)]

    @reward
    def right(self, completion, total):
        try:
            return sum(map(int, answer_text(completion).split(","))) == total
        except ValueError:
            return 0.0

    def solve(self, row):
        return f"{row['total'] - 3}, 3"


def test_a_negative_line_of_a_call_that_pays_for_the_others_is_an_error():
    finding = found(absurd_numbers_are_not_gold, Shed)[0]
    assert finding.severity == "error"
    assert "which loses with nothing in its place" in finding.message


def test_a_negative_number_in_an_answer_that_pays_for_the_others_is_an_error():
    (finding,) = found(negative_amounts_in_answers_lose, WrittenPlan)
    assert finding.severity == "error"
    assert "which loses with nothing in its place" in finding.message


@pytest.mark.parametrize("sound", [NothingOwed, NothingBack])
def test_lines_that_stay_above_nothing_are_sound(sound):
    assert found(absurd_numbers_are_not_gold, sound) == []


@pytest.mark.parametrize("sound", [WrittenAboveNothing, WrittenSums])
def test_answers_that_stay_above_nothing_are_sound(sound):
    assert found(negative_amounts_in_answers_lose, sound) == []
