"""Calls in JSON that an answer writes as its text, for functions that the prompt declares."""

import json
import re
from typing import Any

import pytest

from grpo_env_sdk import answer_text
from grpo_env_sdk.checking.teaching.acts.written_calls import made_up_arguments_do_not_score as made_up
from tests.checking.trying import found

ORDERS = [
    ("Water the roses for 4 minutes.", "water", {"bed": "roses", "minutes": 4}),
    ("Cut the hedge to 150 cm.", "cut", {"plant": "hedge", "height": 150}),
    ("The tulips need 7 minutes of water.", "water", {"bed": "tulips", "minutes": 7}),
    ("Please cut the lilac to 90 cm.", "cut", {"plant": "lilac", "height": 90}),
    ("Water the leeks, 3 minutes.", "water", {"bed": "leeks", "minutes": 3}),
    ("Bring the yew down to 210 cm.", "cut", {"plant": "yew", "height": 210}),
    ("Nine minutes of water for the beans.", "water", {"bed": "beans", "minutes": 9}),
]


class Garden:
    """The arguments that are given are compared, and none is missed."""

    FUNCTIONS = "- water(bed: str, minutes: int)\n- cut(plant: str, height: int)"
    ASKED = 'Write one call: <tool>{"function": ..., "parameters": {...}}</tool>'

    def build_dataset(self, tokenizer: Any) -> Any:
        return [
            {"prompt": f"You have these functions:\n{self.FUNCTIONS}\n{self.ASKED}\n\n{order}", "case_idx": n}
            for n, (order, _, _) in enumerate(ORDERS)
        ]

    def score_episode(self, model: Any, tokenizer: Any, completion: Any, case_idx: int) -> float:
        written = re.fullmatch(r"<tool>(.*)</tool>", answer_text(completion).strip(), re.DOTALL)
        try:
            call = json.loads(written[1]) if written else {}
        except ValueError:
            return 0.0
        _, name, wanted = ORDERS[case_idx]
        given = call.get("parameters")
        return float(call.get("function") == name and isinstance(given, dict) and self.fits(given, wanted))

    def fits(self, given: Any, wanted: Any) -> bool:
        return all(wanted.get(key) == value for key, value in given.items())


class NameAlone(Garden):
    """Nothing but the name is compared, and nothing says so."""

    def fits(self, given: Any, wanted: Any) -> bool:
        return True


class WholeCalls(Garden):
    """All arguments are compared."""

    def fits(self, given: Any, wanted: Any) -> bool:
        return bool(given == wanted)


class WithDefaults(Garden):
    """The functions have values of their own."""

    FUNCTIONS = '- water(bed: str = "roses", minutes: int = 5)\n- cut(plant: str = "hedge", height: int = 100)'


class ChoiceOfFunction(NameAlone):
    """The name is all that is asked for."""

    ASKED = 'Choose the function; leave the arguments empty: <tool>{"function": ..., "parameters": {}}</tool>'


def test_calls_that_lack_all_their_arguments_are_found() -> None:
    (finding,) = found(made_up, Garden)
    assert finding.severity == "error"
    assert "7 of 7" in finding.message


def test_where_wrong_arguments_score_too_it_is_a_warning() -> None:
    (finding,) = found(made_up, NameAlone)
    assert finding.severity == "warning"


@pytest.mark.parametrize("cls", [WholeCalls, WithDefaults, ChoiceOfFunction])
def test_calls_that_are_compared_as_the_prompt_says_are_let_be(cls: type) -> None:
    assert found(made_up, cls) == []


class OneFunction(Garden):
    """A single function, declared amid a sentence."""

    ASKED = 'You can call water(bed: string, minutes: integer) as <tool>{"function": ..., "parameters": {...}}</tool>.'
    FUNCTIONS = ""

    def build_dataset(self, tokenizer: Any) -> Any:
        rows = [row for row in super().build_dataset(tokenizer) if ORDERS[row["case_idx"]][1] == "water"]
        return [{**row, "prompt": f"Day {day}. {row['prompt']}"} for day in (1, 2) for row in rows]


def test_one_function_amid_a_sentence_is_read_too() -> None:
    (finding,) = found(made_up, OneFunction)
    assert "<tool>" in finding.message
