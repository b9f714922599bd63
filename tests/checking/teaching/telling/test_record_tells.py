"""Fields of records that name the choice among other words, while the prompt's rules are to decide it."""

import random

import pytest

from grpo_env_sdk import ToolEnv, call_message, reward, tool
from grpo_env_sdk.checking.teaching.telling.record_tells import records_do_not_tell_the_choice
from tests.checking.trying import found

RULES = (
    "Put a parcel on a shelf. If it is heavier than 20 kilograms, it goes to the floor. If it is lighter and marked as "
    "fragile, it goes to the rack. Any other parcel goes to the belt."
)


class Parcels(ToolEnv):
    """The record of a parcel says where it was stored."""

    max_turns = 5
    rules, key, written = RULES, "stored_by", "crew of the {}"

    def build_dataset(self, tokenizer):
        rows = []
        for number in range(18):
            rng = random.Random(number)
            weight, fragile = rng.choice([rng.randint(1, 19), rng.randint(21, 60)]), rng.random() < 0.5
            shelf = "floor" if weight > 20 else "rack" if fragile else "belt"
            rows.append({"prompt": f"{self.rules} It is parcel {number}.", "weight": weight, "fragile": fragile,
                         "shelf": shelf})  # fmt: skip
        return rows

    def setup(self, row):
        self.put = []

    @tool
    def weigh(self) -> dict:
        """Weigh the parcel and read its marks."""
        told = {"kilograms": self.row["weight"], "fragile": self.row["fragile"]}
        return {**told, self.key: self.written.format(self.row["shelf"])} if self.key else told

    @tool
    def put_on(self, shelf: str) -> str:
        """Put it on a shelf."""
        self.put.append(shelf)
        return "Done."

    @reward
    def right(self, shelf):
        return self.put == [shelf]

    def solve(self, row):
        yield call_message("weigh")
        yield call_message("put_on", shelf=row["shelf"])
        yield "It is stored."


class Bare(Parcels):
    key = ""


class AllNamed(Parcels):
    """The field names every shelf."""

    written = "floor or rack, {}"


class OfItsText(Parcels):
    """What is written on the parcel is what the rules are to read."""

    key = "text"


class AsTheRulesSay(Parcels):
    """The field is what the rules are about."""

    rules = RULES.replace("heavier than", "stored by hand and above")


class LookedUp(Parcels):
    """Nothing has to be decided: the shelf is to be looked up."""

    rules = (
        "Put a parcel on a shelf: the floor, the rack or the belt. Look up who keeps it, and store it there if you can."
    )


def test_a_field_that_names_the_choice_among_other_words_is_reported():
    (finding,) = found(records_do_not_tell_the_choice, Parcels)
    assert "'stored_by' of its reply names the 'shelf'" in finding.message
    assert finding.severity == "warning"


@pytest.mark.parametrize("cls", [Bare, AllNamed, OfItsText, AsTheRulesSay, LookedUp])
def test_other_fields_are_let_be(cls):
    assert not found(records_do_not_tell_the_choice, cls)
