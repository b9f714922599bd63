"""Acts that are refused, as it says without a change, before gold's own."""

import random

import pytest

from grpo_env_sdk import MultiTurnEnv, ToolEnv, answer_text, call_message, reward, tool
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


class RefusalsLose(Lockers):
    """Sound: the prompt says what each refusal loses."""

    def build_dataset(self, tokenizer):
        rows = super().build_dataset(tokenizer)
        return [{**row, "prompt": f"{row['prompt']} Each refusal loses half of the reward."} for row in rows]


def where_it_says(sentence):
    """Sound: the prompt says what refused acts are worth."""

    class Says(Lockers):
        def build_dataset(self, tokenizer):
            rows = super().build_dataset(tokenizer)
            return [{**row, "prompt": f"{row['prompt']} {sentence}"} for row in rows]

    return Says


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


class Ponds(ToolEnv):
    """A pond that turns a duck away is counted as its home."""

    max_turns = 8
    closes = " A pond may refuse a duck; then bring it to another pond with reeds."

    def build_dataset(self, tokenizer):
        rng, rows = random.Random(7), []
        for number in range(24):
            *free, full = rng.sample(PONDS, 6)
            ponds = {**dict.fromkeys(free, "open"), full: "full"}
            rows.append({"prompt": f"Bring duck {number + 1} to one pond only.{self.closes}", "ponds": ponds})
        return rows

    def setup(self, row):
        self.homes = []

    @tool
    def list_ponds(self) -> dict[str, str]:
        """The ponds, and what grows there."""
        return dict.fromkeys(self.row["ponds"], "reeds")

    @tool
    def bring(self, pond: str) -> str:
        """Bring the duck to a pond."""
        if pond not in self.row["ponds"]:
            return "There is no such pond."
        self.homes.append(pond)
        if self.row["ponds"].get(pond) != "open":
            self.turned_away()
            return f"{pond} refuses the duck. It is still waiting."
        return f"It lives in {pond}."

    def turned_away(self):
        """Nothing is taken back."""

    @reward
    def one_home(self, ponds):
        return len(self.homes) == 1 and ponds.get(self.homes[0]) == "open"

    def solve(self, row):
        yield call_message("list_ponds")
        yield call_message("bring", pond=next(iter(row["ponds"])))
        yield "It has a home."


PONDS = ("Alder", "Birch", "Cedar", "Dogwood", "Elder", "Fern", "Gorse", "Hazel", "Ivy", "Juniper")


class TakenBack(Ponds):
    """Sound: a duck that is turned away has no home."""

    def turned_away(self):
        self.homes.pop()


class OneTry(Ponds):
    """Sound: the prompt says that there is one try."""

    closes = " You have one try: the first attempt decides."


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


def test_what_only_some_of_the_listed_values_refuse_is_found():
    (finding,) = found(what_is_refused_changes_nothing, Ponds)
    assert "refuses the duck. It is still waiting." in finding.message
    assert finding.severity == "error"


@pytest.mark.parametrize("cls", [
    TakenAfterwards, SaysThatItTakes, TriesCost, LosesPoints, RefusalsLose, NoFuel, FuelIsUsed, TakenBack, OneTry,
])  # fmt: skip
def test_refused_acts_that_change_nothing_or_say_what_they_cost_are_no_finding(cls):
    assert found(what_is_refused_changes_nothing, cls) == []


@pytest.mark.parametrize("sentence", [
    "Each refused call more than halves the score.",
    "You are paid 1 for a locker that is found at once, and 0.4 after one refusal.",
    "Only lockers that were never refused count in full.",
    "Every attempt counts, refused ones too, and the reward is multiplied by 0.4 for it.",
    "Avoid refusals: the score drops by 60% with every one.",
])  # fmt: skip
def test_a_sentence_on_refused_acts_and_the_score_says_what_they_cost(sentence):
    assert found(what_is_refused_changes_nothing, where_it_says(sentence)) == []


@pytest.mark.parametrize("sentence", ["A refused call costs nothing.", "No point is lost where a call is refused."])
def test_a_sentence_that_promises_that_refused_acts_are_free_is_no_price(sentence):
    assert found(what_is_refused_changes_nothing, where_it_says(sentence))
