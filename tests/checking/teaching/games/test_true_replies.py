"""Guessing games whose replies are untrue, and games whose replies only look so."""

import pytest

from grpo_env_sdk import MultiTurnEnv, answer_text
from grpo_env_sdk.checking.teaching.games.true_replies import replies_to_guesses_are_true
from tests.checking.trying import found
from tests.gallery.broken.compared_as_words import Eggs


class CountedEggs(Eggs):
    """Sound: numbers are compared as numbers."""

    def is_more(self, said, eggs):
        return int(said) > eggs


class TurnedRound(Eggs):
    """Too high is said of all that is too low."""

    def is_more(self, said, eggs):
        return int(said) < eggs


class NearOrFar(Eggs):
    """Sound: the replies say how far off a guess is, and nothing of the side."""

    def step(self, action):
        reply, *rest = super().step(action)
        said = answer_text([action]).strip()
        far = said.isdecimal() and abs(int(said) - self.row["eggs"]) > 5
        return ("Far off." if far else "Close.") if reply.startswith("Too") else reply, *rest


class Liar(Eggs):
    """Sound: the prompt says that some replies are lies."""

    def build_dataset(self, tokenizer):
        rows = super().build_dataset(tokenizer)
        return [{**row, "prompt": f"{row['prompt']} One reply in four is a lie."} for row in rows]


class Rivers(MultiTurnEnv):
    """A river with blanks; a letter is shown where it is for the first time."""

    max_turns = 14
    RIVERS = ("danube", "garonne", "mississippi", "orinoco", "volga", "havel", "murray", "loire", "seine", "niger")
    rule = ""

    def build_dataset(self, tokenizer):
        ask = "Which river is it: {}? Say LETTER and a letter, or RIVER and its name.{}"
        return [{"prompt": ask.format(" ".join("_" * len(one)), self.rule), "river": one} for one in self.RIVERS]

    def setup(self, row):
        self.places = set()

    def places_of(self, letter):
        return {self.row["river"].find(letter)}

    def step(self, action):
        said, river = answer_text([action]).strip().lower(), self.row["river"]
        if said.startswith("river "):
            return "The end.", float(said[6:] == river), True, False, {}
        self.places |= self.places_of(said[-1:])
        shown = " ".join(letter if n in self.places else "_" for n, letter in enumerate(river))
        return f"So far: {shown}", 0.0, False, False, {}

    def solve(self, row):
        return [f"LETTER {row['river'][0]}", f"RIVER {row['river']}"]


class AllPlaces(Rivers):
    """Sound: a letter is shown in all its places."""

    def places_of(self, letter):
        return {n for n, other in enumerate(self.row["river"]) if other == letter}


class OneAtATime(Rivers):
    """Sound: the prompt says that only the first place is shown."""

    rule = " I show just the first place of a letter."


@pytest.mark.parametrize(("cls", "said"), [(Eggs, "side"), (TurnedRound, "side"), (Rivers, "letters")])
def test_replies_that_are_not_true_are_found(cls, said):
    (finding,) = found(replies_to_guesses_are_true, cls)
    assert said in finding.message


@pytest.mark.parametrize("cls", [CountedEggs, NearOrFar, Liar, AllPlaces, OneAtATime])
def test_replies_that_are_true_are_let_be(cls):
    assert found(replies_to_guesses_are_true, cls) == []
