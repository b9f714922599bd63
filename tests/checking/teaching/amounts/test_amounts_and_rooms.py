"""Orders of less than nothing, rooms booked for every hour, looks that pay; and what only resembles them."""

import random

import pytest

from grpo_env_sdk import SingleTurnEnv, ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.score.values import scoring_never_fails
from grpo_env_sdk.checking.teaching.acts.needed_work import the_work_is_needed
from grpo_env_sdk.checking.teaching.amounts.repeating import repeating_one_act_is_not_gold
from grpo_env_sdk.checking.teaching.amounts.side_doors import (
    absurd_numbers_are_not_gold,
    trying_every_value_is_not_gold,
)
from grpo_env_sdk.checking.teaching.too_much.one_act_more import one_act_more_is_not_gold
from grpo_env_sdk.checking.tools.mattering import every_parameter_matters
from tests.checking.trying import found

ITEMS = {"cement": 31, "gravel": 22, "timber": 47, "glass": 64, "cable": 18}
HOURS = range(9, 17)


class Orders(ToolEnv):
    """Buy what a site needs; the bill may not be above the budget."""

    least = None

    def build_dataset(self, tokenizer):
        rng = random.Random(7)
        drawn = [(rng.choice(list(ITEMS)), rng.randint(2, 9)) for _ in range(20)]
        return [
            {
                "prompt": f"Order {units} of {item} for at most {units * ITEMS[item]}.",
                "item": item,
                "units": units,
            }
            for item, units in drawn
        ]

    def setup(self, row):
        self.bill, self.there = 0, dict.fromkeys(ITEMS, 0)

    @tool
    def order(self, item: str, units: int) -> str:
        """Order units of an item.

        Args:
            item: What to order.
            units: How many.
        """
        if item not in ITEMS or (self.least is not None and units < self.least):
            return "Refused."
        self.bill += ITEMS[item] * units
        self.there[item] += units
        return f"Ordered. The bill is {self.bill}."

    @reward
    def supplied(self, item, units):
        return self.there[item] >= units and self.bill <= units * ITEMS[item]

    def solve(self, row):
        yield call_message("order", item=row["item"], units=row["units"])
        yield "Done."


class OrdersOfSome(Orders):
    least = 1


class Baskets(ToolEnv):
    """Protein for little money; packs of saffron, which nobody needs, may be taken out of an empty basket."""

    takes_out = True

    def build_dataset(self, tokenizer):
        rng, rows = random.Random(5), []
        for _ in range(20):
            foods = [
                {"food": food, "cost": rng.randint(2, 5), "protein": rng.randint(15, 30)} for food in ("beans", "tofu")
            ]
            best = max(foods, key=lambda one: one["protein"] / one["cost"])
            packs, foods = rng.randint(4, 9), [*foods, {"food": "saffron", "cost": 40, "protein": 1}]
            protein, budget = packs * best["protein"], packs * best["cost"]
            prompt = f"Get {protein} g of protein or more for at most {budget} euros."
            rows.append(
                {
                    "prompt": prompt,
                    "foods": foods,
                    "protein": protein,
                    "budget": budget,
                    "best": best["food"],
                    "packs": packs,
                }
            )
        return rows

    def setup(self, row):
        self.basket = {one["food"]: 0 for one in row["foods"]}

    @tool
    def prices(self) -> list[dict]:
        """What a pack costs, and the protein in it."""
        return self.row["foods"]

    @tool
    def put_in(self, food: str, packs: int) -> str:
        """Put packs into the basket, or take some out.

        Args:
            food: What.
            packs: How many.
        """
        if food not in self.basket or not (self.takes_out or self.basket[food] + packs >= 0):
            return "Refused."
        self.basket[food] += packs
        return "Done."

    @reward
    def fed(self, foods, protein, budget):
        cost, got = (sum(one[what] * self.basket[one["food"]] for one in foods) for what in ("cost", "protein"))
        return got >= protein and cost <= budget

    def solve(self, row):
        yield call_message("prices")
        yield call_message("put_in", food=row["best"], packs=row["packs"])
        yield "Done."


class BasketsOfSome(Baskets):
    takes_out = False


class Inbox(ToolEnv):
    """Archive the newsletters; whether other mails were archived too is not looked at."""

    exact = False

    def build_dataset(self, tokenizer):
        rng, rows = random.Random(11), []
        for place in range(20):
            subjects = ["Newsletter", *rng.choices(["Newsletter", "Invoice", "Question"], k=3), "Invoice"]
            rng.shuffle(subjects)
            mails = [{"id": 10 * place + number, "subject": subject} for number, subject in enumerate(subjects)]
            prompt = f"Inbox {place}: archive every newsletter and leave all other mails."
            rows.append({"prompt": prompt, "mails": mails})
        return rows

    def setup(self, row):
        self.archived = set()

    @tool
    def inbox(self) -> list[dict]:
        """The mails."""
        return self.row["mails"]

    @tool
    def archive(self, id: int) -> str:
        """Archive a mail.

        Args:
            id: Its id.
        """
        if all(mail["id"] != id for mail in self.row["mails"]):
            return "There is no such mail."
        self.archived.add(id)
        return "Archived."

    @reward
    def tidy(self, mails):
        wanted = {mail["id"] for mail in mails if mail["subject"] == "Newsletter"}
        return self.archived == wanted if self.exact else self.archived >= wanted

    def solve(self, row):
        yield call_message("inbox")
        for mail in row["mails"]:
            if mail["subject"] == "Newsletter":
                yield call_message("archive", id=mail["id"])
        yield "Done."


class ExactInbox(Inbox):
    exact = True


class Rooms(ToolEnv):
    """Book a room at the one hour that is free; the reply says when it begins and ends."""

    once = False

    def build_dataset(self, tokenizer):
        rng = random.Random(3)
        return [{"prompt": f"Book room {place} when it is free.", "free": rng.choice(HOURS)} for place in range(20)]

    def setup(self, row):
        self.booked = []

    @tool
    def calendar(self) -> str:
        """Read which hour is free."""
        return f"Free: {self.row['free']}"

    @tool
    def book(self, hour: int) -> str:
        """Book the room.

        Args:
            hour: When the hour begins.
        """
        if hour not in HOURS:
            return "It opens at 9 and closes at 17."
        self.booked.append(hour)
        return f"Booked from {hour} to {hour + 1}."

    @reward
    def right(self, free):
        return free in (self.booked[:1] if self.once else self.booked)

    def solve(self, row):
        yield call_message("calendar")
        yield call_message("book", hour=row["free"])
        yield "Booked."


class RoomsOnce(Rooms):
    once = True


class Fete(ToolEnv):
    """Spend the purse; a negative number gives coins back, which then buy what is dear."""

    least = -(10**6)

    def build_dataset(self, tokenizer):
        text = "You have {} coins: a flag costs 2 and brings 3 joy, a kite 5 and 8. Buy what brings the most joy."
        return [{"prompt": text.format(5 * kites + 2), "kites": kites} for kites in range(2, 22)]

    def setup(self, row):
        self.coins = 5 * row["kites"] + 2
        self.bought = []

    @tool
    def buy(self, item: str, quantity: int) -> str:
        """Buy things.

        Args:
            item: flag or kite.
            quantity: How many.
        """
        cost = {"flag": 2, "kite": 5}.get(item, 0) * quantity
        if not cost or cost > self.coins or quantity < self.least:
            return "Refused."
        self.coins -= cost
        self.bought.append((item, quantity))
        return "Done."

    @reward
    def joy(self, kites):
        total = sum({"flag": 3, "kite": 8}[item] * count for item, count in self.bought if count > 0)
        return min(1.0, total / (8 * kites + 3))

    def solve(self, row):
        return [
            call_message("buy", item="flag", quantity=1),
            call_message("buy", item="kite", quantity=row["kites"]),
            ".",
        ]


class FeteOfSome(Fete):
    least = 1


class Leak(ToolEnv):
    """Find a leak with few looks; the part for few looks grows with them."""

    max_turns = 12
    dear = False

    def build_dataset(self, tokenizer):
        rng = random.Random(5)
        return [
            {"prompt": f"Pipe {place} has 32 parts. Which one leaks?", "leak": rng.randrange(32)} for place in range(20)
        ]

    @tool
    def low(self, part: int) -> str:
        """Whether the pressure at a part is low: the leak is there or before.

        Args:
            part: Its number.
        """
        return "low" if part >= self.row["leak"] else "full"

    @reward(weight=0.6)
    def located(self, completion, leak):
        return answer_text(completion) == str(leak)

    @reward(weight=0.4)
    def economy(self, completion, tool_calls, leak):
        share = min(1.0, len(tool_calls) / 11)
        return (answer_text(completion) == str(leak)) * (1 - share if self.dear else share)

    def solve(self, row):
        first, last = 0, 31
        while first < last:
            middle = (first + last) // 2
            said = yield call_message("low", part=middle)
            first, last = (first, middle) if said[-1]["content"] == "low" else (middle + 1, last)
        yield str(first)


class DearLooks(Leak):
    dear = True


class Refunds(ToolEnv):
    """Refund an order, or decline it by the first rule that applies, which only a look at the order tells."""

    rules = ("R1", "R2", "R3")

    def build_dataset(self, tokenizer):
        kinds = [*self.rules, *[""] * len(self.rules) * 2]
        return [
            {"prompt": f"Order Q{place}: a refund, please.", "rule": kinds[place % len(kinds)]} for place in range(45)
        ]

    def setup(self, row):
        self.refunded = False

    @tool
    def look(self) -> str:
        """Look at the order."""
        return f"Rule: {self.row['rule'] or 'none'}"

    @tool
    def refund(self) -> str:
        """Pay the money back."""
        self.refunded = True
        return "Paid."

    @reward
    def right(self, completion, rule):
        if rule:
            return answer_text(completion) == f"DECLINED {rule}" and not self.refunded
        return self.refunded

    def solve(self, row):
        yield call_message("look")
        if row["rule"]:
            yield f"DECLINED {row['rule']}"
        else:
            yield call_message("refund")
            yield "Paid back."


class OneRule(Refunds):
    rules = ("R1",)


class Timer(ToolEnv):
    """Refuses most values that are drawn for it; without `solve`, so that nobody knows which it takes."""

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Kitchen {place}: boil an egg.", "place": place} for place in range(20)]

    def setup(self, row):
        self.minutes = 0

    @tool
    def start(self, egg: str, minutes: int) -> str:
        """Start the timer.

        Args:
            egg: For which egg.
            minutes: How long.
        """
        if not egg or minutes != 7:
            return "Refused: unknown egg, or not the right time."
        self.minutes = minutes
        return "Started."

    @reward
    def right(self, place):
        return self.minutes == 7


class Sums(SingleTurnEnv):
    """Reads an answer with `int`, which raises for numbers of more than 4,300 digits."""

    def build_dataset(self, tokenizer):
        return [{"prompt": f"What is {number} + {number}?", "number": number} for number in range(20)]

    @reward
    def right(self, completion, number):
        said = answer_text(completion).strip()
        return said.isascii() and said.isdigit() and int(said) == 2 * number

    def solve(self, row):
        return str(2 * row["number"])


@pytest.mark.parametrize(
    ("check", "cls", "shown"),
    [
        (absurd_numbers_are_not_gold, Orders, "order with units=-10000 of something else"),
        (absurd_numbers_are_not_gold, Fete, "made possible by buy with quantity=-10000"),
        (absurd_numbers_are_not_gold, Baskets, "made good by put_in with packs=-100 of something else"),
        (trying_every_value_is_not_gold, Rooms, "book with every value of 'hour'"),
        (trying_every_value_is_not_gold, Inbox, "archive with every value of 'id'"),
        (one_act_more_is_not_gold, Inbox, "Gold and one more call of archive, with id="),
        (repeating_one_act_is_not_gold, Leak, "Gold with one of its acts repeated scores more than gold"),
        (the_work_is_needed, OneRule, "'DECLINED R1' alone scores as much as gold"),
    ],
)
def test_amounts_bookings_and_looks_that_pay_are_found(check, cls, shown):
    (finding,) = [item for item in found(check, cls, "quick") if isinstance(item, Finding)]
    assert shown in finding.message


@pytest.mark.parametrize(
    ("check", "cls"),
    [
        (absurd_numbers_are_not_gold, OrdersOfSome),
        (absurd_numbers_are_not_gold, FeteOfSome),
        (absurd_numbers_are_not_gold, BasketsOfSome),
        (trying_every_value_is_not_gold, RoomsOnce),
        (trying_every_value_is_not_gold, ExactInbox),
        (one_act_more_is_not_gold, ExactInbox),
        (repeating_one_act_is_not_gold, DearLooks),
        (the_work_is_needed, Refunds),
        (every_parameter_matters, Timer),
    ],
)
def test_the_same_without_the_fault_is_let_be(check, cls):
    assert [item for item in found(check, cls, "quick") if isinstance(item, Finding)] == []


def test_an_error_on_numbers_of_thousands_of_digits_alone_is_info():
    (finding,) = found(scoring_never_fails, Sums)
    assert (finding.severity, "a number of 5,000 digits" in finding.message) == ("info", True)
