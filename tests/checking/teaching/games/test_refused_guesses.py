"""Guesses that are refused, where marks of guesses are compared with the rule."""

import random
from typing import Any

from grpo_env_sdk import MultiTurnEnv, answer_text
from grpo_env_sdk.checking.teaching.games.guess_marks import marks_count_each_letter_once as marks
from tests.checking.trying import found

CODES = ["".join(random.Random(n).sample("ABCDEF", 4)) for n in range(14)]


class Flags(MultiTurnEnv):
    """Four different flags, and a guess with a flag twice is refused."""

    max_turns = 6
    reward_range = (0, 1)

    def build_dataset(self, tokenizer: Any) -> Any:
        rules = (
            "Bulls and cows with flags, game {}: four different letters from A to F. I say how many are in place "
            "and how many elsewhere."
        )
        return [{"prompt": rules.format(n), "code": code} for n, code in enumerate(CODES)]

    def step(self, action: Any) -> Any:
        said, code = answer_text(action).strip().upper(), self.row["code"]
        if said == code:
            return "4 in place", 1.0, True, False, {}
        return self.said(said, code), 0.0, False, False, {}

    def said(self, said: str, code: str) -> str:
        if len(set(said)) < 4:
            return "All four flags have to differ."
        exact = sum(a == b for a, b in zip(said, code, strict=False))
        return f"{exact} in place, {len(set(said) & set(code)) - exact} elsewhere"

    def solve(self, row: Any) -> Any:
        return [row["code"]]


class Signs(Flags):
    """The marks are signs, and the refusal is as short as they are."""

    def said(self, said: str, code: str) -> str:
        if len(set(said)) < 4:
            return "NEIN"
        return "".join("+" if a == b else "?" if a in code else "-" for a, b in zip(said, code, strict=False))


class Twice(Flags):
    """A letter that is there twice in the guess is counted twice."""

    def said(self, said: str, code: str) -> str:
        exact = sum(a == b for a, b in zip(said, code, strict=False))
        return f"{exact} in place, {sum(a in code for a in said) - exact} elsewhere"


class TwiceInSigns(Flags):
    """The same with a sign for each letter."""

    def said(self, said: str, code: str) -> str:
        return "".join("G" if a == b else "Y" if a in code else "B" for a, b in zip(said, code, strict=False))


def test_refusals_of_guesses_with_a_letter_twice_are_no_marks() -> None:
    assert found(marks, Flags, "quick") == []
    assert found(marks, Signs, "quick") == []


def test_wrong_marks_of_such_guesses_are_still_found() -> None:
    for cls in (Twice, TwiceInSigns):
        (finding,) = found(marks, cls, "quick")
        assert "twice" in finding.message
