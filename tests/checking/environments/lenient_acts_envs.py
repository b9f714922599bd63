"""Acts that are accepted too easily, each as a class with the fault and one without it."""

import ast
import json
import operator
import random
import re
import sqlite3

from grpo_env_sdk import MultiTurnEnv, ToolEnv, answer_text, call_message, reward, tool
from tests.gallery.broken.proofreader_knows import Plurals
from tests.gallery.broken.search_with_targets import Library
from tests.gallery.broken.sold_for_the_higher import Lamps
from tests.gallery.broken.stones_put_back import Stones

GOODS = ["flour", "sugar", "salt", "rice", "beans", "honey", "tea", "oats"]
FUNDS = ["petty cash", "travel fund", "grant", "reserve"]


class SpellingOnly(Plurals):
    knows = False


class PlainLibrary(Library):
    hidden = ()


class OneStoneAtLeast(Stones):
    least = 1


class OnePrice(Lamps):
    pays = staticmethod(min)


class Invoices(ToolEnv):
    """Pays what a bill says, or anything above it."""

    max_turns = 5
    said = "Pay what it says."
    exact = False

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"Bill {number}. {self.said}", "due": 40 + 13 * number, "bill": f"B{number}"}
            for number in range(16)
        ]

    def setup(self, row):
        self.paid = None

    @tool
    def read_bill(self) -> str:
        """Read the bill."""
        return f"Due: {self.row['due']}"

    @tool
    def pay(self, amount: float) -> str:
        """Pay the bill.

        Args:
            amount: How much.
        """
        self.paid = amount
        return "Done."

    @reward
    def right(self, due):
        return self.paid is not None and (self.paid == due if self.exact else self.paid >= due)

    def solve(self, row):
        seen = yield call_message("read_bill")
        yield call_message("pay", amount=float(re.findall(r"\d+", seen[-1]["content"])[-1]))
        yield "It is paid."


class ExactInvoices(Invoices):
    exact = True


class Collected(Invoices):
    said = "Pay at least what it says."


class Pantry(ToolEnv):
    """Orders what is in the basket, whatever else is in it."""

    max_turns = 12
    exact = False

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"Order {number}: {GOODS[number % 8]}, please.", "good": GOODS[number % 8]}
            for number in range(16)
        ]

    def setup(self, row):
        self.basket, self.ordered = [], None

    @tool
    def put_into_basket(self, good: str) -> str:
        """Put something into the basket.

        Args:
            good: What.
        """
        self.basket.append(good)
        return f"In the basket: {', '.join(self.basket)}. To pay: {3 * len(self.basket)} euros."

    @tool
    def order(self) -> str:
        """Order what is in the basket."""
        self.ordered = list(self.basket)
        return "Ordered."

    @reward
    def right(self, good):
        return self.ordered == [good] if self.exact else good in (self.ordered or ())

    def solve(self, row):
        yield call_message("put_into_basket", good=row["good"])
        yield call_message("order")
        yield "It is ordered."


class OnlyThis(Pantry):
    exact = True


class Harvest:
    """Runs the model's statement and then gold's query, on one connection."""

    gold_first = False

    def build_dataset(self, tokenizer):
        return [
            {
                "prompt": f"A table `crops(name, weight)`. Which weigh more than {n}? Reply with one query in ```sql.",
                "n": n,
            }
            for n in range(10, 26)
        ]

    def score_episode(self, model, tokenizer, completion, n):
        found = re.search(r"```sql\n(.*?)```", answer_text(completion), re.DOTALL)
        db = sqlite3.connect(":memory:")
        db.execute("CREATE TABLE crops (name TEXT, weight INTEGER)")
        db.executemany("INSERT INTO crops VALUES (?, ?)", [(f"crop {weight}", weight) for weight in range(8, 40, 3)])
        queries = [found[1] if found else "", f"SELECT name FROM crops WHERE weight > {n}"]
        try:
            results = [db.execute(query).fetchall() for query in (queries[::-1] if self.gold_first else queries)]
        except (sqlite3.Error, sqlite3.Warning):
            return 0.0
        finally:
            db.close()
        return float(results[0] == results[1])

    def solve(self, row):
        return f"```sql\nSELECT name FROM crops WHERE weight > {row['n']}\n```"


class HarvestFirst(Harvest):
    gold_first = True


class Sums(ToolEnv):
    """A calculator with the environment in scope, and without any name that begins with an underscore."""

    max_turns = 4

    def build_dataset(self, tokenizer):
        return [{"prompt": f"How much is {n} times 17, and 5?", "n": n} for n in range(12)]

    @tool
    def calculate(self, formula: str) -> str:
        """Work a formula out.

        Args:
            formula: Such as 3 * 4.
        """
        try:
            return "No." if "_" * 2 in formula else str(self.value_of(formula))
        except Exception:
            return "This is no formula."

    def value_of(self, formula):
        return eval(formula, {"__builtins__": {}}, {"self": self})

    @reward
    def right(self, completion, n):
        return answer_text(completion).strip() == str(n * 17 + 5)

    def solve(self, row):
        seen = yield call_message("calculate", formula=f"{row['n']} * 17 + 5")
        yield seen[-1]["content"]


class ParsedSums(Sums):
    def value_of(self, formula):
        return self._value(ast.parse(formula, mode="eval").body)

    def _value(self, node):
        signs = {ast.Add: operator.add, ast.Mult: operator.mul}
        if isinstance(node, ast.BinOp):
            return signs[type(node.op)](self._value(node.left), self._value(node.right))
        return ast.literal_eval(node)


class Cave(MultiTurnEnv):
    """Falling costs two hearts, and only exactly none is the end."""

    max_turns = 20
    ends_below = False

    def build_dataset(self, tokenizer):
        rows = []
        for number in range(16):
            way = random.Random(number).choices(["left", "right", "on"], k=3)
            text = f"Cave {number}. Write left, right or on. You have 5 hearts; out of hearts you are dead."
            rows.append({"prompt": f"{text} The way is {', '.join(way)}.", "way": way})
        return rows

    def setup(self, row):
        self.hearts, self.done = 5, 0

    def step(self, action):
        if (action["content"] or "").strip() == self.row["way"][self.done]:
            self.done += 1
        else:
            self.hearts -= 2
        if self.done == len(self.row["way"]):
            return "You are through.", 1.0, True, False, {}
        if self.hearts == 0 or (self.ends_below and self.hearts < 0):
            return "It is dark.", 0.0, True, False, {}
        return f"Hearts: {self.hearts}", 0.0, False, False, {}

    def solve(self, row):
        yield from row["way"]


class DeadlyCave(Cave):
    ends_below = True


class Coins(ToolEnv):
    """Weighings take the minutes of a supply that nobody counts."""

    max_turns = 14
    counts = False

    def build_dataset(self, tokenizer):
        text = "Each weighing takes one minute, and you have three minutes. Coin 1, 2, 3 or 4 is light. Answer with it."
        return [{"prompt": f"Case {number}. {text}", "light": number % 4 + 1} for number in range(16)]

    def setup(self, row):
        self.minutes = 3

    @tool
    def weighing(self, left: int, right: int) -> str:
        """Compare two coins.

        Args:
            left: One coin.
            right: The other coin.
        """
        self.minutes -= 1
        return {left: "left", right: "right"}.get(self.row["light"], "none") + " is light"

    @reward
    def right(self, completion, light):
        return answer_text(completion).strip() == str(light) and not (self.counts and self.minutes < 0)

    def solve(self, row):
        yield call_message("weighing", left=1, right=2)
        yield call_message("weighing", left=3, right=4)
        yield str(row["light"])


class CountedMinutes(Coins):
    counts = True


class FreeWeighings(Coins):
    """Of the weighings only those count that are possible."""

    def build_dataset(self, tokenizer):
        rows = super().build_dataset(tokenizer)
        return [row | {"prompt": row["prompt"] + " Impossible weighings do not count."} for row in rows]


class Visits(ToolEnv):
    """The schema asks for a date as ISO 8601, and the tool reads it as it is written in Germany."""

    max_turns = 4
    reads_both = False

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Visit {n}: a table for May {n}, 2025.", "day": n} for n in range(10, 28)]

    def setup(self, row):
        self.booked = None

    def get_tools(self):
        day = {"type": "string", "format": "date", "description": "The day of the visit."}
        parameters = {"type": "object", "properties": {"day": day}, "required": ["day"]}
        return [
            {"type": "function", "function": {"name": "visit", "description": "Book it.", "parameters": parameters}}
        ]

    def call_tool(self, name, arguments):
        found = re.fullmatch(r"(\d\d)\.05\.2025", str(arguments.get("day")))
        if self.reads_both:
            found = found or re.fullmatch(r"2025-05-(\d\d)", str(arguments.get("day")))
        self.booked = int(found[1]) if found else None
        return "Booked." if found else "This is no day."

    @reward
    def right(self, day):
        return self.booked == day

    def solve(self, row):
        return [call_message("visit", day=f"{row['day']}.05.2025"), "It is booked."]


class BothForms(Visits):
    reads_both = True


class Expenses(ToolEnv):
    """Nobody reads from which fund is paid, for which the prompt asks."""

    max_turns = 4
    reads = False

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"Pay {30 + n} euros from the {FUNDS[n % 4]}.", "fund": FUNDS[n % 4], "euros": 30 + n}
            for n in range(16)
        ]

    def setup(self, row):
        self.paid = []

    @tool
    def pay_out(self, euros: int, fund: str = "reserve") -> str:
        """Pay something.

        Args:
            euros: How much.
            fund: From what.
        """
        self.paid.append((euros, fund if self.reads else ""))
        return json.dumps({"paid": euros})

    @reward
    def right(self, euros, fund):
        return self.paid == [(euros, fund if self.reads else "")]

    def solve(self, row):
        return [call_message("pay_out", euros=row["euros"], fund=row["fund"]), "It is paid."]


class ReadExpenses(Expenses):
    reads = True
