"""Acts that are refused, as it says without a change, before gold's own."""

import pytest

from grpo_env_sdk import MultiTurnEnv, answer_text, tool
from grpo_env_sdk.checking.teaching.acts.refused_then_right import what_is_refused_changes_nothing
from tests.checking.trying import found
from tests.gallery.broken.paid_when_refused import Lockers


class TakenAfterwards(Lockers):
    """Sound: what is refused takes no token."""

    @tool
    def rent(self, locker: int) -> str:
        """Rent a locker for a token."""
        said = super().rent(locker)
        self.tokens += said.startswith("Refused")
        return said


class NotPromised(Lockers):
    """Only the reply says that nothing is taken."""

    def build_dataset(self, tokenizer):
        rows = super().build_dataset(tokenizer)
        return [{**row, "prompt": row["prompt"].partition(" Some lockers")[0]} for row in rows]


class SaysThatItTakes(NotPromised):
    """Sound: the reply does not hide the price."""

    @tool
    def rent(self, locker: int) -> str:
        """Rent a locker for a token."""
        return super().rent(locker).replace("No token was taken", "The token is gone")


class TriesCost(Lockers):
    """Sound: the prompt says that a try costs something."""

    def build_dataset(self, tokenizer):
        rows = super().build_dataset(tokenizer)
        return [{**row, "prompt": f"{row['prompt']} Look before you rent: the first try decides."} for row in rows]


class LosesPoints(Lockers):
    """Sound: the prompt says what a refused act costs, as a number."""

    def build_dataset(self, tokenizer):
        rows = super().build_dataset(tokenizer)
        return [{**row, "prompt": f"{row['prompt']} Whoever opens a wrong locker loses 0.8."} for row in rows]


class Fuel(MultiTurnEnv):
    """A ferry that uses fuel for a harbour where it may not land."""

    max_turns = 4
    counted = 1

    def build_dataset(self, tokenizer):
        asked = (
            "Ferry {}: write 'LAND harbour' with the harbour {}. A refused landing uses nothing; the fuel is for one."
        )
        return [{"prompt": asked.format(n, HARBOURS[n % 4]), "harbour": HARBOURS[n % 4]} for n in range(16)]

    def setup(self, row):
        self.fuel = 1

    def step(self, action):
        harbour = answer_text(action).removeprefix("LAND ").strip()
        if harbour != self.row["harbour"]:
            self.fuel -= self.counted
            return f"Refused: {harbour} expects nobody.", 0.0, False, False, {}
        return "Landed.", float(self.fuel > 0), True, False, {}

    def solve(self, row):
        return [f"LAND {row['harbour']}"]


HARBOURS = ("Sassnitz", "Trelleborg", "Gdynia", "Visby")


class NoFuel(Fuel):
    """Sound: as it says."""

    counted = 0


class FuelIsUsed(Fuel):
    """Sound: the prompt promises nothing."""

    def build_dataset(self, tokenizer):
        rows = super().build_dataset(tokenizer)
        return [{**row, "prompt": row["prompt"].replace(" A refused landing uses nothing;", " Mind:")} for row in rows]


def test_a_token_that_a_refused_act_takes_is_found():
    (finding,) = found(what_is_refused_changes_nothing, Lockers)
    assert "Gold after an act that is refused scores 0, and alone 1, on 8 rows" in finding.message
    assert "No token was taken" in finding.message
    assert finding.severity == "error"


def test_where_only_the_reply_says_so_it_is_a_warning():
    (finding,) = found(what_is_refused_changes_nothing, NotPromised)
    assert finding.severity == "warning"


def test_an_act_of_a_game_that_uses_something_up_although_it_is_refused_is_found():
    (finding,) = found(what_is_refused_changes_nothing, Fuel)
    assert "LAND Trelleborg\" gets 'Refused: Trelleborg expects nobody.'" in finding.message
    assert finding.severity == "error"


@pytest.mark.parametrize("cls", [TakenAfterwards, SaysThatItTakes, TriesCost, LosesPoints, NoFuel, FuelIsUsed])
def test_refused_acts_that_change_nothing_or_say_what_they_cost_are_no_finding(cls):
    assert found(what_is_refused_changes_nothing, cls) == []
