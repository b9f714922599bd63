"""Replies to nonsense that tell the rows of a guessing game apart, and replies that may."""

import itertools

import pytest

from grpo_env_sdk import MultiTurnEnv
from grpo_env_sdk.checking.teaching.telling.replies_tell_rows import nonsense_does_not_tell_rows_apart as apart
from tests.checking.trying import found

CODES = ["".join(letters) for letters in itertools.product("RGB", repeat=3)][1:13]


class Safe(MultiTurnEnv):
    """The safe tells where it is blocked only to who presses something."""

    max_turns = 6
    reward_range = (0, 1)

    def build_dataset(self, tokenizer):
        text = "Guess the hidden code of three letters, R, G and B. Write `open CODE` once, or `press LETTER` before."
        return [{"prompt": text, "code": code} for code in CODES]

    def step(self, action):
        verb, _, rest = str(action["content"]).strip().partition(" ")
        if verb == "open":
            return self.opened(rest), float(rest == self.row["code"]), True, False, {}
        if verb == "press" and rest in ("R", "G", "B"):
            return ("A click." if rest in self.row["code"] else "Nothing."), 0.0, False, False, {}
        return self.not_understood(), 0.0, False, False, {}

    def opened(self, code):
        return "It is over."

    def not_understood(self):
        return "Please write `open CODE` or `press LETTER`."


class TellsASum(Safe):
    """Not the code, but a number that only this code has."""

    def not_understood(self):
        return f"Unknown command (state {hash_of(self.row['code'])})."


class InGerman(Safe):
    def build_dataset(self, tokenizer):
        text = "A secret code (geheim): Rate drei aus R, G, B. Schreib einmal `open CODE`, vorher `press LETTER`."
        return [{"prompt": text, "code": code} for code in CODES]

    def not_understood(self):
        first, *rest = self.row["code"]
        return f"Das verstehe ich nicht. Bitte nur Befehle wie `press {'RGB'.index(first)}{len(set(rest))}`" + (
            f", Zähler {hash_of(self.row['code'])}."
        )


class SolvedByTheAuthor(TellsASum):
    def solve(self, row):
        return ["press R", f"open {row['code']}"]


class ShowsItsDial(SolvedByTheAuthor):
    """Whatever is done, the dial is shown, so that it is there to be read."""

    def step(self, action):
        reply, *rest = super().step(action)
        over = "over" in reply
        return reply if over else f"{reply} The dial stands at {hash_of(self.row['code'])}.", *rest


class DrawsTheReply(SolvedByTheAuthor):
    """Another word each time, which says nothing about the row."""

    count = itertools.count()

    def not_understood(self):
        return f"Please try again, request {next(DrawsTheReply.count)}."


def hash_of(code):
    return sum(3**place * "RGB".index(letter) for place, letter in enumerate(code))


@pytest.mark.parametrize(
    ("cls", "count"),
    [(Safe, 0), (TellsASum, 1), (InGerman, 1), (SolvedByTheAuthor, 1), (ShowsItsDial, 0), (DrawsTheReply, 0)],
)
def test_what_nonsense_is_answered_with(cls, count):
    assert len(found(apart, cls)) == count
