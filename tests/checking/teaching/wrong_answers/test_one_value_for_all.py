"""Answers of several values, with the first in the place of each."""

import json
import re

import pytest

from grpo_env_sdk import SingleTurnEnv, answer_text, reward
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.wrong_answers.near_misses import near_misses_score_less
from grpo_env_sdk.checking.teaching.wrong_answers.text_misses import first_for_all
from tests.checking.trying import found

ROOMS = ["hall", "kitchen", "attic", "cellar", "garage", "porch", "study", "pantry"]


class Lamps(SingleTurnEnv):
    """Flawed: right calls are counted as often as they are made."""

    def build_dataset(self, tokenizer):
        asked = "Put the lamps of the {} and the {} on. Write every call once, each as <call>room.on</call>."
        pairs = zip(ROOMS, [*ROOMS[1:], ROOMS[0]], strict=True)
        return [{"prompt": asked.format(*pair), "wanted": [f"{room}.on" for room in pair]} for pair in pairs]

    @reward
    def done(self, completion, wanted):
        calls = self.calls(re.findall(r"<call>([\w.]+)</call>", answer_text(completion)))
        return all(call in wanted for call in calls) and len(calls) >= len(wanted)

    def calls(self, made):
        return made


class EachOnce(Lamps):
    """Sound: a call that is made again does not count."""

    def calls(self, made):
        return list(dict.fromkeys(made))


class Doubles(SingleTurnEnv):
    """Sound: both values of the list count."""

    def build_dataset(self, tokenizer):
        asked = "Write {} and its double as a JSON list."
        return [{"prompt": asked.format(n), "pair": [n, 2 * n]} for n in range(11, 40)]

    @reward
    def right(self, completion, pair):
        return answer_text(completion) == json.dumps(pair)

    def solve(self, row):
        return json.dumps(row["pair"])


@pytest.mark.parametrize(("text", "changed"), [
    ("<a>1</a> <a>2</a>", "<a>1</a> <a>1</a>"), ("<a>1</a><b>2</b>", None), ("<a>1</a> <a>1</a>", None),
    ("[1, 2, 3]", "[1, 1, 1]"), ('["é", "o"]', '["é", "é"]'), ("[]", None), ("3, 4", "3, 3"), ("a, b", None),
    ("one", None), ('{"a": 1}', None),
])  # fmt: skip
def test_the_first_value_takes_the_place_of_each(text, changed):
    assert first_for_all(text) == changed


def test_one_call_in_place_of_all_is_an_error_without_solve_too():
    of_it = [item for item in found(near_misses_score_less, Lamps) if isinstance(item, Finding)]
    assert ["with its first value in place of all others" in item.message for item in of_it] == [True]
    assert of_it[0].severity == "error"


@pytest.mark.parametrize("cls", [EachOnce, Doubles])
def test_values_that_all_count_are_sound(cls):
    assert not [
        item for item in found(near_misses_score_less, cls) if "in place of all" in getattr(item, "message", "")
    ]
