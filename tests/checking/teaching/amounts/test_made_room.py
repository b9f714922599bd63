"""Less than nothing of what gold does not take, which makes room for more than there is."""

import pytest

from grpo_env_sdk import ToolEnv, call_message, reward, tool
from grpo_env_sdk.checking.teaching.amounts.side_doors import absurd_numbers_are_not_gold
from tests.checking.trying import found

DISHES, GRADES = ("soup", "roast", "cake"), ("plain", "good", "fine")


class Banquet(ToolEnv):
    """Dishes of a grade each, for the money that there is; the best grades that it buys are gold."""

    max_turns = 6
    tell = "Order each dish in one grade, in the best grades that {} euros buy for {} guests: {}."

    def build_dataset(self, tokenizer):
        rows = []
        for n in range(14):
            prices = {dish: [4 + (n + at) % 3, 9 + (n * at) % 4, 17 + n % 5] for at, dish in enumerate(DISHES)}
            guests, best = 3 + n % 3, [(n + at) % 2 + at % 2 for at in range(3)]
            money = guests * sum(prices[dish][grade] for dish, grade in zip(DISHES, best, strict=True))
            listed = "; ".join(f"{dish}: {', '.join(map(str, found))}" for dish, found in prices.items())
            text = self.tell.format(money, guests, listed)
            rows.append({"prompt": text, "prices": prices, "guests": guests, "money": money, "best": best})
        return rows

    def setup(self, row):
        self.left, self.ordered = row["money"], {}

    @tool
    def order(self, dish: str, grade: str, guests: int) -> str:
        """Order a dish in a grade: plain, good or fine."""
        if dish not in DISHES or grade not in GRADES or not self.may_be(guests):
            return "error: there is none"
        cost = self.row["prices"][dish][GRADES.index(grade)] * guests
        if cost > self.left:
            return "error: too dear"
        self.left -= cost
        self.ordered[dish, grade] = self.ordered.get((dish, grade), 0) + guests
        return f"ordered, {self.left} euros left"

    def may_be(self, guests):
        return True

    def points(self, row):
        had = [[g for g in range(3) if self.ordered.get((dish, GRADES[g])) == row["guests"]] for dish in DISHES]
        return sum(max(one) for one in had) if all(had) else -1

    @reward
    def as_good(self, row):
        return self.points(row) >= sum(row["best"])

    def solve(self, row):
        grades = [GRADES[one] for one in row["best"]]
        pairs = zip(DISHES, grades, strict=True)
        return [*(call_message("order", dish=d, grade=g, guests=row["guests"]) for d, g in pairs), "Done."]


class ExactOrder(Banquet):
    """The order has to be gold's own, but for what is less than nothing, so that room alone is made."""

    @reward
    def as_good(self, row):
        wanted = {(dish, GRADES[one]): row["guests"] for dish, one in zip(DISHES, row["best"], strict=True)}
        return {key: number for key, number in self.ordered.items() if number > 0} == wanted


class Refused(Banquet):
    """Sound: less than one guest is refused."""

    def may_be(self, guests):
        return guests > 0


class NothingElse(Banquet):
    """Sound: whatever else was ordered makes it wrong."""

    @reward
    def as_good(self, row):
        return len(self.ordered) == len(DISHES) and self.points(row) >= sum(row["best"])


class SoldBack(Banquet):
    """Sound: the prompt says that dishes may be sold."""

    tell = "You may sell dishes too, with a negative number. " + Banquet.tell


def test_less_than_nothing_that_makes_another_way_possible_is_an_error():
    (finding,) = found(absurd_numbers_are_not_gold, Banquet)
    assert "guests=-1000" in finding.message
    assert finding.severity == "error"


def test_less_than_nothing_that_makes_room_alone_is_a_warning():
    (finding,) = found(absurd_numbers_are_not_gold, ExactOrder)
    assert "guests=-1000" in finding.message
    assert finding.severity == "warning"


@pytest.mark.parametrize("sound", [Refused, NothingElse, SoldBack])
def test_refused_and_compared_numbers_are_sound(sound):
    assert found(absurd_numbers_are_not_gold, sound) == []
