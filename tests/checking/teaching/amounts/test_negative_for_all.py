"""Less than nothing of one thing pays for some of all the others, where no more than a few of each are taken."""

from itertools import product

import pytest

from grpo_env_sdk import ToolEnv, call_message, reward, tool
from grpo_env_sdk.checking.teaching.amounts.side_doors import absurd_numbers_are_not_gold
from tests.checking.trying import found

GEAR = {"tent": (9, 12), "stove": (4, 5), "rope": (3, 2), "lamp": (2, 2), "brick": (2, 0)}


class Rucksack(ToolEnv):
    """Pack what is of most use, up to a weight."""

    max_turns = 12

    def build_dataset(self, tokenizer):
        shelf = "; ".join(f"{name}: {weight} kg, use {use}" for name, (weight, use) in GEAR.items())
        text = "Pack a rucksack of at most {} kg, with up to two of each, so that it is of most use. Then leave. {}."
        return [{"prompt": text.format(load, shelf), "load": load} for load in range(9, 25, 2)]

    def setup(self, row):
        self.packed, self.left = {}, False

    def refuses(self, count):
        return count > 2

    def total(self, which):
        return sum(GEAR[name][which] * count for name, count in self.packed.items())

    @tool
    def pack(self, thing: str, count: int) -> str:
        """Set how many of a thing are packed.

        Args:
            thing: What is packed.
            count: How many, up to 2.
        """
        if thing not in GEAR or self.refuses(count):
            return "That is not possible."
        self.packed[thing] = count
        return f"It weighs {self.total(0)} kg."

    @tool
    def leave(self) -> str:
        """Close the rucksack."""
        self.left = self.total(0) <= self.row["load"]
        return "Off we go." if self.left else "Too heavy."

    @reward
    def use(self, load):
        return max(0.0, min(1.0, self.total(1) / self.best(load))) if self.left else 0.0

    @staticmethod
    def plans(load):
        for numbers in product(range(3), repeat=len(GEAR)):
            plan = dict(zip(GEAR, numbers, strict=True))
            if sum(GEAR[name][0] * count for name, count in plan.items()) <= load:
                yield sum(GEAR[name][1] * count for name, count in plan.items()), plan

    def best(self, load):
        return max(used for used, _ in self.plans(load))

    def solve(self, row):
        plan = max(self.plans(row["load"]), key=lambda one: one[0])[1]
        for thing, count in plan.items():
            if count:
                yield call_message("pack", thing=thing, count=count)
        yield call_message("leave")
        yield "Done."


class NoneBelowZero(Rucksack):
    """Sound: less than nothing is refused."""

    def refuses(self, count):
        return not 0 <= count <= 2


class TakenAsNothing(Rucksack):
    """Sound: less than nothing weighs nothing."""

    def total(self, which):
        return sum(GEAR[name][which] * max(0, count) for name, count in self.packed.items())


def test_less_than_nothing_that_pays_for_all_others_is_an_error():
    finding = found(absurd_numbers_are_not_gold, Rucksack)[0]
    assert "of 'brick', which pays for more of all else than there is" in finding.message


@pytest.mark.parametrize("sound", [NoneBelowZero, TakenAsNothing])
def test_amounts_that_stay_above_nothing_are_sound(sound):
    assert found(absurd_numbers_are_not_gold, sound) == []
