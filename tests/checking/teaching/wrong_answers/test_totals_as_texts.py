"""The cheapest, or the most, of totals that nothing shows and that are compared as texts."""

import random

import pytest

from grpo_env_sdk import ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.checking.teaching.wrong_answers.compared_as_text import values_are_not_compared_as_texts
from tests.checking.trying import found

NAMES = ["Aster", "Birk", "Cleo", "Dorn", "Elm"]


class Hotels(ToolEnv):
    """The cheapest hotel for some nights with its fee, within a walk of some minutes."""

    asks = "Which hotel is the cheapest for {} nights with its fee, at most {} minutes away?"
    key, pick = str, min

    def build_dataset(self, tokenizer):
        rng, rows = random.Random(5), []
        while len(rows) < 30:
            nights, walk = rng.randint(1, 3), rng.randint(10, 30)
            hotels = [
                {"hotel": name, "fee": rng.randint(5, 60), "night": rng.randint(20, 90), "walk": rng.randint(5, 35)}
                for name in rng.sample(NAMES, 5)
            ]
            totals = self.totals(hotels, nights, walk)
            if len(totals) > 1 and len(set(totals.values())) == len(totals):
                best = type(self).pick(totals, key=lambda name, totals=totals: self.key(totals[name]))
                text = f"Stay {chr(65 + len(rows))}. {self.asks.format(nights, walk)}"
                rows.append({"prompt": text, "hotels": hotels, "best": best})
        return rows

    def totals(self, hotels, nights, walk):
        return {one["hotel"]: one["fee"] + nights * one["night"] for one in hotels if one["walk"] <= walk}

    @tool
    def hotels(self) -> list[dict]:
        """List the hotels."""
        return self.row["hotels"]

    @reward
    def right(self, completion, best):
        return answer_text(completion) == best

    def solve(self, row):
        return [call_message("hotels"), row["best"]]


class HighestOfTwo(Hotels):
    """The highest sum of two fields, of all records."""

    asks = "Which hotel has the highest sum of fee and night? {} {}"
    pick = max

    def totals(self, hotels, nights, walk):
        return {one["hotel"]: one["fee"] + one["night"] for one in hotels}


class HotelsByValue(Hotels):
    """Sound: totals are compared as numbers."""

    key = staticmethod(float)


class HotelsByAnotherRule(Hotels):
    """Sound here: what is best follows from no sum of what is shown."""

    key = staticmethod(lambda total: total * 7919 % 1009)


@pytest.mark.parametrize(("cls", "way"), [
    (Hotels, "the sum of 'fee' and number 1 of the prompt times 'night', where 'walk' is at most its number 2"),
    (HighestOfTwo, "the sum of 'fee' and 'night' (the last) as texts"),
])  # fmt: skip
def test_totals_that_are_compared_as_texts_are_found(cls, way):
    (finding,) = found(values_are_not_compared_as_texts, cls)
    assert way in finding.message


@pytest.mark.parametrize("cls", [HotelsByValue, HotelsByAnotherRule])
def test_totals_by_value_or_by_nothing_that_is_shown_are_let_alone(cls):
    assert found(values_are_not_compared_as_texts, cls) == []
