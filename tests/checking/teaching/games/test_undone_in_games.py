"""Acts that are undone and done again inside of a wrapped game are found where they pay each time."""

import pytest

from grpo_env_sdk import MultiTurnEnv, answer_text
from grpo_env_sdk.checking.teaching.amounts.farming import what_was_undone_does_not_pay_again
from tests.checking.trying import found


class Crane:
    """A crane over a row of places, with a crate at one of them."""

    def __init__(self, crate):
        self.place, self.crate, self.lifted, self.elapsed_steps = 0, crate, False, 0
        self.hooks = 4

    def act(self, word):
        """What an act earns."""
        self.elapsed_steps += 1
        if word == "forward":
            self.place = min(5, self.place + 1)
        elif word == "lift" and not self.lifted and self.place == self.crate and self.hooks:
            self.lifted = True
            return self.pay()
        elif word == "lower" and self.lifted:
            self.lifted, self.crate = False, self.place
            return 0.75 if self.place == 5 else 0.0
        return 0.0

    def pay(self):
        return 0.25


class CraneThatPaysOnce(Crane):
    paid = False

    def pay(self):
        earned, self.paid = 0.0 if self.paid else 0.25, True
        return earned


class CraneWithHooks(Crane):
    """Each lifting uses up a hook, so that it cannot go on."""

    def pay(self):
        self.hooks -= 1
        return 0.25


class Wrapped:
    """A game in a wrapper that counts its steps, as those of Gymnasium do."""

    def __init__(self, game):
        self.game, self._elapsed_steps = game, 0

    def act(self, word):
        self._elapsed_steps += 1
        return self.game.act(word)


class Quay(MultiTurnEnv):
    max_turns, reward_range, crane = 16, (0, 1), Crane

    def build_dataset(self, tokenizer):
        text = "A crane stands at place 0, a crate at place {}. Bring it to place 5. The actions: forward, lift, lower."
        return [{"prompt": text.format(place), "place": place} for place in (1, 2, 3, 4)]

    def setup(self, row):
        self.game = Wrapped(self.crane(row["place"]))

    def step(self, action):
        earned = self.game.act(answer_text([action]).strip())
        done = earned == 0.75
        return f"The crane is at {self.game.game.place}.", earned, done, False, {}

    def solve(self, row):
        return [*["forward"] * row["place"], "lift", *["forward"] * (5 - row["place"]), "lower"]


class QuayThatPaysOnce(Quay):
    crane = CraneThatPaysOnce


class QuayWithHooks(Quay):
    crane = CraneWithHooks


def test_an_act_that_is_undone_in_a_wrapped_game_and_pays_again_is_found():
    (finding,) = found(what_was_undone_does_not_pay_again, Quay)
    assert "pays each time" in finding.message
    assert finding.severity == "error"


@pytest.mark.parametrize("cls", [QuayThatPaysOnce, QuayWithHooks])
def test_wrapped_games_that_pay_once_or_use_something_up_are_not_accused(cls):
    assert not found(what_was_undone_does_not_pay_again, cls)
