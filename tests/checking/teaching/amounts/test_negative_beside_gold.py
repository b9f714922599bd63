"""Less than nothing of one thing lets through more than gold, where things are added one by one and few are there."""

from itertools import product

import pytest

from grpo_env_sdk import ToolEnv, call_message, reward, tool
from grpo_env_sdk.checking.teaching.amounts.side_doors import absurd_numbers_are_not_gold
from tests.checking.trying import found

WORKS = {101: (5, 8), 102: (9, 15), 103: (4, 5), 104: (7, 9)}


class ShipmentByNumber(ToolEnv):
    """Load crates, which have numbers, up to a weight; of each there are two or three, and calls add up."""

    max_turns = 8

    def build_dataset(self, tokenizer):
        rows = []
        for load in range(12, 36, 2):
            there = [2 + (load + place) % 2 for place in range(4)]
            text = f"Load what is worth most into the van, of at most {load} kg, and drive. Look at the list first."
            rows.append({"prompt": text, "load": load, "there": there, "best": self.best(load, there)})
        return rows

    @staticmethod
    def best(load, there):
        plans = product(*(range(count + 1) for count in there))
        fitting = [plan for plan in plans if sum(n * w for n, (w, _) in zip(plan, WORKS.values(), strict=True)) <= load]
        return list(max(fitting, key=lambda plan: sum(n * v for n, (_, v) in zip(plan, WORKS.values(), strict=True))))

    def setup(self, row):
        self.loaded, self.gone = dict.fromkeys(WORKS, 0), False
        self.there = dict(zip(WORKS, row["there"], strict=True))

    def refuses(self, crate, count):
        return self.loaded[crate] + count > self.there[crate]

    def weight(self):
        return sum(WORKS[crate][0] * count for crate, count in self.loaded.items())

    @tool
    def crates(self) -> list[dict[str, int]]:
        """All crates: weight, worth, and how many there are."""
        return [{"crate": key, "kg": w, "worth": v, "there": self.there[key]} for key, (w, v) in WORKS.items()]

    @tool
    def load(self, crate: int, count: int) -> str:
        """Load some crates of a number."""
        if crate not in WORKS or self.refuses(crate, count):
            raise ValueError("not possible")
        self.loaded[crate] += count
        return "loaded"

    @tool
    def drive(self) -> str:
        """Drive off."""
        self.gone = self.weight() <= self.row["load"]
        return "Off." if self.gone else "Too heavy."

    @reward
    def worth(self, best):
        got = sum(WORKS[crate][1] * max(0, count) for crate, count in self.loaded.items())
        return self.gone * min(1.0, got / sum(n * v for n, (_, v) in zip(best, WORKS.values(), strict=True)))

    def solve(self, row):
        yield call_message("crates")
        for crate, count in zip(WORKS, row["best"], strict=True):
            if count:
                yield call_message("load", crate=crate, count=count)
        yield call_message("drive")
        yield "Done."


class NeverBelowZero(ShipmentByNumber):
    """Sound: crates may be taken out again, but not more than there are."""

    def refuses(self, crate, count):
        return super().refuses(crate, count) or self.loaded[crate] + count < 0


class WeighedWithout(ShipmentByNumber):
    """Sound: less than nothing weighs nothing."""

    def weight(self):
        return sum(WORKS[crate][0] * max(0, count) for crate, count in self.loaded.items())


class CountedOnce(ShipmentByNumber):
    """Sound: whoever loads anything twice, or less than one, is sent away."""

    def refuses(self, crate, count):
        return super().refuses(crate, count) or count < 1


def test_less_than_nothing_that_pays_for_more_beside_gold_is_an_error():
    finding = found(absurd_numbers_are_not_gold, ShipmentByNumber)[0]
    assert finding.severity == "error"
    assert "load with count=-20 of 101, which pays for more of all else than there is" in finding.message


@pytest.mark.parametrize("sound", [NeverBelowZero, WeighedWithout, CountedOnce])
def test_what_cannot_go_below_nothing_is_sound(sound):
    assert found(absurd_numbers_are_not_gold, sound) == []
