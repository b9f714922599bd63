"""Tests that are limited, or cost something, and are counted where they have one outcome alone."""

import pytest

from grpo_env_sdk import ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.amounts.stated_limits import more_acts_than_allowed_are_not_gold
from tests.checking.trying import found


class Wine(ToolEnv):
    """One barrel of sixteen, and all behind it, have turned sour; only a sour sample is counted."""

    max_turns = 30
    asked = (
        "Cellar {}: from one of the barrels 2 to 16 on all are sour, and barrel 1 is sweet. You may taste five samples."
    )
    counted = ("sour",)

    def build_dataset(self, tokenizer):
        return [
            {
                "prompt": f"{self.asked.format(n)} Answer with the number of the first sour barrel.",
                "first": 2 + n * 7 % 15,
            }
            for n in range(15)
        ]

    def setup(self, row):
        self.samples = 0

    @tool
    def taste_sample(self, barrel: int) -> str:
        """Taste a sample of a barrel; it is 'sweet' or 'sour'."""
        said = "sour" if barrel >= self.row["first"] else "sweet"
        if self.refuses():
            return "Your tongue is numb."
        self.samples += self.costs(barrel, said)
        return said

    def refuses(self):
        return False

    def costs(self, barrel, said):
        return said in self.counted

    @reward
    def right(self, completion, first):
        return (answer_text(completion) == str(first)) * self.kept()

    def kept(self):
        return float(self.samples <= 5)

    def solve(self, row):
        low, high = 2, 16
        while low < high:
            middle = (low + high) // 2
            said = yield call_message("taste_sample", barrel=middle)
            low, high = (low, middle) if said[-1]["content"] == "sour" else (middle + 1, high)
        yield str(low)


class PricedWine(Wine):
    """Each sample has a price, which a sweet one does not cost."""

    asked = "Cellar {}: from one of the barrels 2 to 16 on all are sour. Each sample costs 0.05 of the score."

    def kept(self):
        return max(0.0, 1 - 0.05 * max(0, self.samples - 4))


class RefusingWine(Wine):
    """After five sour samples there are no more."""

    def refuses(self):
        return self.samples >= 5


class SweetWine(Wine):
    """Only sweet samples are counted."""

    counted = ("sweet",)


class CountedWine(Wine):
    """Every sample is counted."""

    counted = ("sweet", "sour")


class CountedAndRefused(RefusingWine):
    counted = ("sweet", "sour")


class PricedForAll(PricedWine):
    counted = ("sweet", "sour")


class EachBarrelOnce(CountedWine):
    """A barrel that is tasted again costs nothing."""

    def setup(self, row):
        super().setup(row)
        self.barrels = set()

    def costs(self, barrel, said):
        new = barrel not in self.barrels
        self.barrels.add(barrel)
        return new


class SourAsItSays(Wine):
    """It says which samples are counted."""

    asked = "Cellar {}: from one of the barrels 2 to 16 on all are sour. You may taste five samples that are sour."


class WrongAsItSays(PricedWine):
    asked = (
        "Cellar {}: from one of the barrels 2 to 16 on all are sour. Each sample costs 0.05, but a sweet one is free."
    )


class WineWithoutLimits(Wine):
    """Nobody speaks of a limit, which is a matter of taste."""

    asked = "Cellar {}: from one of the barrels 2 to 16 on all are sour; taste_sample says of each what it is."


class UncountedWine(Wine):
    """Nothing is counted, and all outcomes are alike: another question."""

    counted = ()


@pytest.mark.parametrize("cls", [Wine, PricedWine, RefusingWine, SweetWine])
def test_calls_that_are_counted_for_one_outcome_are_found(cls):
    (one,) = found(more_acts_than_allowed_are_not_gold, cls)
    assert isinstance(one, Finding)
    assert "taste_sample that are answered" in one.message
    assert one.severity == "error"


@pytest.mark.parametrize(
    "cls",
    [
        CountedWine,
        CountedAndRefused,
        PricedForAll,
        EachBarrelOnce,
        SourAsItSays,
        WrongAsItSays,
        WineWithoutLimits,
    ],
)
def test_calls_that_are_counted_as_it_is_said_are_let_be(cls):
    assert not found(more_acts_than_allowed_are_not_gold, cls)


def test_calls_that_are_not_counted_at_all_are_not_said_to_depend_on_the_outcome():
    assert all(
        "that are answered" not in one.message for one in found(more_acts_than_allowed_are_not_gold, UncountedWine)
    )
