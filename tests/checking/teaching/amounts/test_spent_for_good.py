"""Budgets that are said to be spent for good, and that another tool gives back all the same."""

import random

import pytest

from grpo_env_sdk import ToolEnv, call_message, reward, tool
from grpo_env_sdk.checking.teaching.amounts.refilled_budgets import budgets_are_kept
from tests.checking.trying import found


class Diver(ToolEnv):
    """A diver fetches jars from depths, with one bottle of air."""

    max_turns = 24
    fills, says = False, ""

    def build_dataset(self, tokenizer):
        rows = []
        for n in range(12):
            depths = random.Random(n).sample(range(2, 12), 3)
            air = sum(depths) + 1
            rows.append({
                "prompt": f"Wreck {n}: jars lie {', '.join(map(str, depths))} m deep. You have {air} litres of air: "
                f"air that is breathed is gone. `dive` fetches the jar of a depth, a litre for each metre. `surface` "
                f"brings you to the boat{self.says}. Fetch all three, and say 'done'.",
                "depths": depths, "air": air,
            })  # fmt: skip
        return rows

    def setup(self, row):
        self.air, self.jars = row["air"], set()

    @tool
    def dive(self, depth: int) -> str:
        """Dive to a depth.

        Args:
            depth: How many metres.
        """
        if depth > self.air:
            return "So deep you do not come."
        self.air -= depth
        self.jars.add(depth)
        return f"You have {self.air} litres of air left."

    @tool
    def surface(self) -> str:
        """Swim up to the boat."""
        if self.fills:
            self.air = self.row["air"]
        return "You are at the boat."

    @reward
    def fetched(self, depths):
        return self.jars >= set(depths)

    def solve(self, row):
        for depth in row["depths"]:
            yield call_message("dive", depth=depth)
        yield call_message("surface")
        yield "done"


class DiverWithNewAir(Diver):
    fills = True


class DiverWithJson(DiverWithNewAir):
    @tool
    def dive(self, depth: int) -> dict[str, int]:
        """Dive to a depth.

        Args:
            depth: How many metres.
        """
        if depth <= self.air:
            self.air -= depth
            self.jars.add(depth)
        return {"depth": depth, "air": self.air}


class DiverWhoIsTold(DiverWithNewAir):
    """Sound: the boat has air."""

    says = ", where the bottle is refilled"


class DiverOnALine(Diver):
    """Sound: the boat gives nothing, and the same depth costs nothing again."""

    @tool
    def dive(self, depth: int) -> str:
        """Dive to a depth.

        Args:
            depth: How many metres.
        """
        cost = 0 if depth in self.jars else depth
        if cost > self.air:
            return "So deep you do not come."
        self.air -= cost
        self.jars.add(depth)
        return f"You have {self.air} litres of air left."


@pytest.mark.parametrize("cls", [DiverWithNewAir, DiverWithJson])
def test_what_is_spent_for_good_and_given_back_is_found(cls):
    [finding] = found(budgets_are_kept, cls)
    assert finding.severity == "error"
    assert finding.message.startswith("surface() gives back")


@pytest.mark.parametrize("cls", [Diver, DiverWhoIsTold, DiverOnALine])
def test_what_stays_spent_or_is_said_to_come_back_is_let_be(cls):
    assert found(budgets_are_kept, cls) == []


class Leak(ToolEnv):
    """Sound: taps are heard as often as one likes, for less pay, and the reply tells on which side the leak is."""

    max_turns = 12

    def build_dataset(self, tokenizer):
        told = "Pipe {} leaks at a metre, 1 to 64. `listen_at` tells the sound, `repair` ends it. 1 up to six times."
        return [{"prompt": told.format(n), "at": at} for n, at in enumerate(range(21, 53, 2))]

    def setup(self, row):
        self.heard, self.repaired = 0, None

    @tool
    def listen_at(self, metre: int) -> str:
        """Hold an ear to a metre, from 1 to 64."""
        if self.repaired is not None:
            return "It is over."
        self.heard += 1
        return "It hisses." if metre < self.row["at"] else "Silence."

    @tool
    def repair(self, metre: int) -> str:
        """Repair a metre."""
        self.repaired = self.repaired or metre
        return "Done."

    @reward
    def right(self, at):
        return float(self.repaired == at) * (1.0 if self.heard <= 6 else 0.5)

    def solve(self, row):
        low, high = 1, 64
        while low < high:
            middle = (low + high) // 2
            heard = yield call_message("listen_at", metre=middle)
            low, high = (middle + 1, high) if heard[-1]["content"] == "It hisses." else (low, middle)
        yield call_message("repair", metre=low)
        yield "done"


def test_a_reply_that_is_given_before_is_no_refusal():
    assert found(budgets_are_kept, Leak) == []
