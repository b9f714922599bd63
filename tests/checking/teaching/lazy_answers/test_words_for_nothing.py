"""Words and tools that earn nothing, as a prompt says, in every turn."""

import pytest

from grpo_env_sdk import SingleTurnEnv, ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.checking.teaching.lazy_answers.words_for_nothing import what_is_said_to_earn_nothing_earns_nothing
from tests.checking.trying import found
from tests.gallery.broken.stations_passed import Tour


class OnlyRightOnesCount(Tour):
    """Sound: SKIP passes a station and earns nothing."""

    def setup(self, row):
        super().setup(row)
        self.right = 0

    def step(self, action):
        self.right += answer_text(action).strip() == self.row["tour"][self.passed][1]
        return super().step(action)

    @reward
    def stations(self):
        return self.right / 4


class SkippingIsAllowed(Tour):
    """Sound: nothing is said of its points."""

    def build_dataset(self, tokenizer):
        rows = super().build_dataset(tokenizer)
        return [{**row, "prompt": row["prompt"].replace(" That gives no points.", "")} for row in rows]


class Sides(SingleTurnEnv):
    """Sound: LEFT and RIGHT are the answers, of which a wrong one earns nothing."""

    def build_dataset(self, tokenizer):
        asked = "Sign {}: where is the exit, LEFT or RIGHT, where a wrong answer earns nothing? It is on the {} hand."
        return [{"prompt": asked.format(n, ("left", "right")[n % 2]), "side": n % 2} for n in range(16)]

    @reward
    def right(self, completion, side):
        return answer_text(completion) == ("LEFT", "RIGHT")[side]

    def solve(self, row):
        return ("LEFT", "RIGHT")[row["side"]]


class Abstaining(Sides):
    """A text that earns nothing, as it says, is paid for."""

    def build_dataset(self, tokenizer):
        rows = super().build_dataset(tokenizer)
        return [{**row, "prompt": f"{row['prompt']} You may answer UNSURE, which earns nothing."} for row in rows]

    @reward
    def right(self, completion, side):
        return 0.5 if answer_text(completion) == "UNSURE" else super().right(completion, side)


class NothingForAbstaining(Abstaining):
    @reward
    def right(self, completion, side):
        return Sides.right(self, completion, side)


class Parcels(ToolEnv):
    """Parcels that are handed over or put back, which counts as well."""

    max_turns = 6
    paid = 1

    def build_dataset(self, tokenizer):
        asked = "Hand over parcels {} to {} with hand_over. A parcel that you put back with put_back earns nothing."
        return [{"prompt": asked.format(n, n + 2), "first": n} for n in range(12)]

    def setup(self, row):
        self.done = 0

    @tool
    def hand_over(self, parcel: int) -> str:
        """Hand a parcel over."""
        self.done += self.row["first"] <= parcel <= self.row["first"] + 2
        return "Done."

    @tool
    def put_back(self) -> str:
        """Put the next parcel back."""
        self.done += self.paid
        return "It is back."

    @reward
    def all_done(self):
        return min(self.done, 3) / 3

    def solve(self, row):
        for number in range(3):
            yield call_message("hand_over", parcel=row["first"] + number)
        yield "Done."


class PutBackForNothing(Parcels):
    paid = 0


@pytest.mark.parametrize(("cls", "name"), [(Tour, "SKIP"), (Abstaining, "UNSURE"), (Parcels, "put_back")])
def test_what_earns_something_although_it_is_said_to_earn_nothing_is_found(cls, name):
    (finding,) = found(what_is_said_to_earn_nothing_earns_nothing, cls)
    assert f"It says that {name} earns nothing, but {name} " in finding.message
    assert finding.severity == "error"


@pytest.mark.parametrize("cls", [OnlyRightOnesCount, SkippingIsAllowed, Sides, NothingForAbstaining, PutBackForNothing])
def test_what_earns_nothing_or_may_earn_something_is_no_finding(cls):
    assert found(what_is_said_to_earn_nothing_earns_nothing, cls) == []
