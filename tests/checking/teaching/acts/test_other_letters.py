"""One word of gold again and again in other letters, in games that pay for each new word."""

import pytest

from grpo_env_sdk import MultiTurnEnv, answer_text
from grpo_env_sdk.checking.teaching.amounts.repeating import repeating_one_act_is_not_gold as repeating
from tests.checking.trying import found

HERBS = ("basil", "thyme", "sage", "mint", "dill", "oregano", "chives", "parsley", "tarragon", "chervil")


class Herbs(MultiTurnEnv):
    """Sound: each of four herbs counts once, however it is written."""

    max_turns, needed = 6, 4

    def build_dataset(self, tokenizer):
        asked = "Garden {}: name {} herbs of it, one in each message."
        beds = [[HERBS[(n + step) % len(HERBS)] for step in range(6)] for n in range(16)]
        return [{"prompt": asked.format(n, self.needed), "bed": bed} for n, bed in enumerate(beds)]

    def setup(self, row):
        self.named = set()

    def known_as(self, said):
        return said.lower()

    def step(self, action):
        said = answer_text(action).strip()
        if said.lower() not in self.row["bed"] or self.known_as(said) in self.named:
            return "No.", 0.0, False, False, {}
        self.named.add(self.known_as(said))
        return "Yes.", 1 / self.needed, len(self.named) == self.needed, False, {}

    def solve(self, row):
        return row["bed"][: self.needed]


class AsWritten(Herbs):
    """What was said before is looked up as it was written, and whether it is a herb is not."""

    def known_as(self, said):
        return said


class AnyOne(AsWritten):
    """Sound: one herb is enough."""

    needed = 1


@pytest.mark.parametrize(("cls", "many"), [(AsWritten, 1), (Herbs, 0), (AnyOne, 0)])
def test_a_word_in_other_letters_is_the_same_word(cls, many):
    findings = found(repeating, cls)
    assert len(findings) == many
    assert all("repeated" in one.message for one in findings)
