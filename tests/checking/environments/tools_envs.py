"""Environments with sound and with broken tools."""

import copy
import random
import time
from typing import Any, Literal

from grpo_env_sdk import ToolEnv, call_message, reward, tool
from tests.environments import PlainWithTools

STOCK = {"apples": 4, "pears": 7, "plums": 0, "figs": 12, "nuts": 30}


class Shop(ToolEnv):
    """Sound: look up how many there are, and order the rest up to ten."""

    max_turns = 4

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"Order what is missing to {n} {fruit} for {who}.", "fruit": fruit, "n": n}
            for fruit in STOCK
            for n in (31, 40, 55)
            for who in ("Ada", "Bo")
        ]

    def setup(self, row):
        self.ordered = {}

    @tool
    def stock(self, fruit: str) -> Any:
        """How many there are.

        Args:
            fruit: Which fruit.
        """
        if fruit not in STOCK:
            raise LookupError(f"there is no {fruit}")
        return STOCK[fruit]

    @tool
    def order(self, fruit: str, count: int) -> Any:
        """Order some.

        Args:
            fruit: Which fruit.
            count: How many.
        """
        self.ordered[fruit] = count
        return f"Ordered {count} {fruit}."

    @reward
    def right(self, fruit, n):
        return self.ordered == {fruit: n - STOCK[fruit]}

    def solve(self, row):
        answered = yield call_message("stock", fruit=row["fruit"])
        yield call_message("order", fruit=row["fruit"], count=row["n"] - int(answered[-1]["content"]))
        yield "Done."


class NoneThere(Shop):
    """Reads an attribute of nothing, for what is out of stock."""

    @tool
    def stock(self, fruit: str) -> Any:
        """How many there are.

        Args:
            fruit: Which fruit.
        """
        count = None if fruit == "plums" else STOCK.get(fruit, 0)
        return count.bit_count() * 0 + count


class FilledRows(Shop):
    """Each row has the counts of its own fruit alone, and the table of rows gives it the keys of all."""

    def build_dataset(self, tokenizer):
        return [row | {"counts": {row["fruit"]: {"left": 3}}} for row in super().build_dataset(tokenizer)]

    def setup(self, row):
        super().setup(row)
        self.counts = row["counts"]

    @tool
    def stock(self, fruit: str) -> Any:
        """How many there are.

        Args:
            fruit: Which fruit.
        """
        return self.counts[fruit]["left"] if fruit in self.counts else "none"


class Careless(Shop):
    """A dictionary's own error for what it does not have."""

    @tool
    def stock(self, fruit: str) -> Any:
        """How many there are.

        Args:
            fruit: Which fruit.
        """
        return STOCK[fruit]


class OneOfItsEnum(Shop):
    """Has no figs, and offers them."""

    @tool
    def stock(self, fruit: Literal["apples", "pears", "plums", "figs", "nuts", "dates"]) -> Any:
        """How many there are.

        Args:
            fruit: Which fruit.
        """
        return STOCK[fruit]


class Unfinished(Shop):
    """A tool that nobody has written."""

    @tool
    def cancel(self, fruit: str) -> str:
        """Cancel an order.

        Args:
            fruit: Which fruit.
        """
        raise NotImplementedError


class Objects(Shop):
    """Shows what Python calls an object."""

    @tool
    def order(self, fruit: str, count: int) -> Any:
        """Order some.

        Args:
            fruit: Which fruit.
            count: How many.
        """
        self.ordered[fruit] = count
        return f"Ordered: {object()}"


class Printed(Shop):
    """Shows a dict as Python prints it."""

    @tool
    def stock(self, fruit: str) -> Any:
        """How many there are.

        Args:
            fruit: Which fruit.
        """
        return STOCK[fruit] if fruit in STOCK else str({"fruit": fruit, "count": None})


class AnyCount(Shop):
    """However many are ordered, it is right."""

    @reward
    def right(self, fruit):
        return list(self.ordered) == [fruit]


class Sets(Shop):
    """Returns a set."""

    @tool
    def fruits(self) -> Any:
        """What there is."""
        return set(STOCK)


class Sleeps(Shop):
    """Waits for what could be had at once."""

    @tool
    def fruits(self) -> list[str]:
        """What there is."""
        time.sleep(1.1)
        return list(STOCK)


class Unread(Shop):
    """A parameter that nobody reads."""

    @tool
    def order(self, fruit: str, count: int, urgent: bool = False) -> Any:
        """Order some.

        Args:
            fruit: Which fruit.
            count: How many.
            urgent: Whether it is wanted today.
        """
        self.ordered[fruit] = count
        return f"Ordered {count} {fruit}."

    def solve(self, row):
        yield call_message("order", fruit=row["fruit"], count=row["n"] - STOCK[row["fruit"]], urgent=False)
        yield "Done."


class Thinks(Shop):
    """Sound: a tool to think aloud, which changes nothing and is not meant to."""

    @tool
    def think(self, thought: str) -> str:
        """Think aloud.

        Args:
            thought: What goes through your mind.
        """
        return "Go on."

    def solve(self, row):
        yield call_message("think", thought="How many are there?")
        yield from super().solve(row)


class LoginFirst(Shop):
    """Sound: a tool that refuses, whatever it is given, until somebody has logged in."""

    @tool
    def reserve(self, fruit: str, guest: str) -> dict[str, str]:
        """Reserve a fruit.

        Args:
            fruit: Which fruit.
            guest: For whom.
        """
        return {"error": "Log in first." if fruit in STOCK else f"There is no {fruit}."}


class DoesItAll(Shop):
    """Orders all that is missing, without being told what."""

    @tool
    def refill(self) -> str:
        """Order what is missing."""
        self.ordered = {self.row["fruit"]: self.row["n"] - STOCK[self.row["fruit"]]}
        return "Done."


class KnowsTheRow(Shop):
    """The schema lists what the row is about."""

    def get_tools(self):
        tools = copy.deepcopy(super().get_tools())
        if self.row:
            tools[0]["function"]["parameters"]["properties"]["fruit"]["enum"] = [self.row["fruit"]]
        return tools


class ByChance(PlainWithTools):
    """A schema with a new example each time."""

    def get_tools(self):
        (made,) = super().get_tools()
        return [made | {"function": made["function"] | {"description": f"Add, such as {random.random()} and 2."}}]


class Nobody(PlainWithTools):
    """Lists a tool that nothing runs."""

    def get_tools(self):
        (made,) = super().get_tools()
        return [made, made | {"function": {"name": "subtract", "parameters": made["function"]["parameters"]}}]


class OtherName(PlainWithTools):
    """The schema says z, and the method y."""

    def get_tools(self):
        (made,) = copy.deepcopy(super().get_tools())
        parameters = made["function"]["parameters"]
        parameters["properties"]["z"] = parameters["properties"].pop("y")
        parameters["required"] = ["x", "z"]
        return [made]


class SmallEnum(PlainWithTools):
    """The schema leaves out what some rows need."""

    def get_tools(self):
        (made,) = copy.deepcopy(super().get_tools())
        made["function"]["parameters"]["properties"]["x"] = {"type": "integer", "maximum": 5}
        return [made]


class Untold(PlainWithTools):
    """A parameter without a type."""

    def get_tools(self):
        (made,) = copy.deepcopy(super().get_tools())
        made["function"]["parameters"]["properties"]["x"] = {}
        return [made | {"function": made["function"] | {"description": "Add."}}]


class Wordy(PlainWithTools):
    """Explains itself at length."""

    def get_tools(self):
        (made,) = super().get_tools()
        return [made | {"function": made["function"] | {"description": "Add two numbers. " * 700}}]
