"""Games that promise different questions: the same one each time, drawn well, or asked until it is right."""

import random

import pytest

from grpo_env_sdk import MultiTurnEnv, answer_text
from grpo_env_sdk.checking.episode.same_questions import questions_that_are_promised_to_differ_differ as check
from tests.checking.trying import found
from tests.gallery.broken.same_flash_card import FlashCards


class Sums(MultiTurnEnv):
    """A wrong answer is told the right one; there is no `solve`."""

    max_turns = 4
    reward_range = (0, 1)
    again = ""

    def build_dataset(self, tokenizer):
        asked = "Sheet {}: I ask you four different sums. Say the number alone. The first: what is {} + {}?"
        return [{"prompt": asked.format(seed, *self.pair(random.Random(seed))), "seed": seed} for seed in range(12)]

    def pair(self, rng):
        return rng.randint(10, 90), rng.randint(10, 90)

    def draws(self):
        return random.Random(self.row["seed"])

    def setup(self, row):
        self.rng = random.Random(row["seed"])
        self.asked = self.pair(self.rng)

    def step(self, action):
        total = sum(self.asked)
        right = answer_text([action]) == str(total)
        self.asked = self.asked if self.again and not right else self.pair(self.draws())
        told = "Right." if right else self.again or f"No, {total}."
        return f"{told} What is {self.asked[0]} + {self.asked[1]}?", right / 4, self.turns >= 4, False, {}


class DrawnOnce(Sums):
    def draws(self):
        return self.rng


class AskedUntilRight(DrawnOnce):
    again = "Try again."


class DealtOnce(FlashCards):
    """Each card is another one, as gold shows."""

    def card(self, seed):
        return random.Random(seed + 100 * self.turns if self.turns else seed).choice(
            ["alpha", "beta", "gamma", "delta"]
        )


@pytest.mark.parametrize(("cls", "count"), [(Sums, 1), (DrawnOnce, 0), (AskedUntilRight, 0), (DealtOnce, 0)])
def test_one_question_in_all_turns_is_found_where_different_ones_are_promised(cls, count):
    assert len(found(check, cls)) == count
