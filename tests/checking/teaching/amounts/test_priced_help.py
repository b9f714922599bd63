"""Help that is charged for its exact word only, and help with one price."""

import pytest

from grpo_env_sdk import answer_text, reward
from grpo_env_sdk.checking.teaching.amounts.priced_help import help_has_its_price_however_it_is_asked_for as check
from tests.checking.trying import found
from tests.gallery.broken.clues_for_nothing import Ciphers


class ChargedWhereGiven(Ciphers):
    def setup(self, row):
        super().setup(row)
        self.given = False

    def step(self, action):
        self.given = self.given or "clue" in answer_text([action]).lower()
        return super().step(action)

    @reward
    def points(self, messages):
        return self.won * (0.5 if self.given else 1.0)


class OnlyTheWordHelps(Ciphers):
    """Any other message is a try, and free of charge while it is not understood."""

    def step(self, action):
        said = answer_text([action]).strip()
        if said != "clue" and said != self.row["word"]:
            return "I know the word clue, and yours.", 0.0, False, False, {}
        return super().step(action)


class ClueForFullStop(Ciphers):
    """The word is found with a full stop too, and only charged without."""

    def step(self, action):
        said = answer_text([action]).strip()
        return super().step({"role": "assistant", "content": said.rstrip(".") if said == "clue." else said})


@pytest.mark.parametrize(("cls", "count"), [(ChargedWhereGiven, 0), (OnlyTheWordHelps, 0), (ClueForFullStop, 1)])
def test_help_costs_the_same_in_any_words(cls, count):
    assert len(found(check, cls)) == count
