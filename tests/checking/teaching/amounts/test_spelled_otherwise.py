"""Repeats in another spelling, with gold and without, and games where these are no repeats or earn nothing."""

import pytest

from grpo_env_sdk import answer_text
from grpo_env_sdk.checking.teaching.amounts.spelled_otherwise import repeats_are_repeats_in_any_spelling as check
from tests.checking.trying import found
from tests.gallery.broken.strings_in_capitals import GROUPS, Instruments


class WithoutSolve(Instruments):
    """What is right is seen from what a message is compared with."""

    solve = None

    def step(self, action):
        said = answer_text([action]).strip()
        if said in self.named or said.lower() not in GROUPS[self.row["group"]]:
            return "No.", 0.0, False, False, {}
        self.named.add(said)
        return "Yes.", 1 / 3, len(self.named) == 3, False, {}


class InOneForm(Instruments):
    def step(self, action):
        return super().step({"role": "assistant", "content": answer_text([action]).strip().casefold()})


class CaseCounts(Instruments):
    def step(self, action):
        said = answer_text([action])
        return super().step({"role": "assistant", "content": said if said.islower() else "?"})


class TwiceIsFine(Instruments):
    """The same word counts again as it is, which other checks report where it is a mistake."""

    def step(self, action):
        self.named = set()
        return super().step(action)


@pytest.mark.parametrize(("cls", "count"), [(WithoutSolve, 1), (InOneForm, 0), (CaseCounts, 0), (TwiceIsFine, 0)])
def test_a_right_word_in_another_spelling_is_a_repeat(cls, count):
    assert len(found(check, cls)) == count
