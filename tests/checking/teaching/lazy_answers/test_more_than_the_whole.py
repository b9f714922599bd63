"""Values that have to add up: the whole for each of them, where sums are compared and where they are not."""

import json
from math import isclose

import pytest

from grpo_env_sdk.checking.teaching.lazy_answers.more_than_the_whole import values_add_up_to_the_whole
from tests.checking.trying import found

LISTED = "Box {n}: which colour has the ball?\nA: red\nB: blue\nC: green\n"
JSON = "A JSON object with a probability for each of A, B and C; the three add up to 1."


def parsed(said):
    """The values by their keys, of an object in JSON or of labels."""
    try:
        given = json.loads(said)
    except (ValueError, RecursionError):
        pairs = [one.partition(": ") for one in said.replace("\n", ", ").split(", ")]
        given = {key: float(value) for key, _, value in pairs if value.replace(".", "").isdigit()}
    return given if isinstance(given, dict) and set(given) == set("ABC") else None


def likely(score, asked=JSON, gold=None):
    class Boxes:
        def build_dataset(self, tokenizer):
            return [{"prompt": LISTED.format(n=n) + asked, "right": "ABC"[n * n % 3]} for n in range(9)]

        def score_episode(self, model, tokenizer, completion, right):
            given = parsed(completion)
            return float(score(given, right)) if given else 0.0

    if gold is not None:
        Boxes.solve = lambda self, row: gold(row["right"])
    return Boxes


def own(given, right):
    return min(1.0, given[right])


def summed(given, right):
    return given[right] * isclose(sum(given.values()), 1)


def surely(right):
    return json.dumps({mark: int(mark == right) for mark in "ABC"})


def findings(cls):
    return [(one.severity, one.message) for one in found(values_add_up_to_the_whole, cls, "default")]


@pytest.mark.parametrize("asked", [
    JSON, "Say how likely each is, from 0 to 1, as lines such as `A: 0.2`. Their sum must be 1.",
])  # fmt: skip
@pytest.mark.parametrize("gold", [None, surely])
def test_the_whole_for_each_value_is_found(asked, gold):
    ((severity, message),) = findings(likely(own, asked, gold))
    assert (severity, "are all 1 " in message, "9 of 9 rows" in message) == ("error", True, True)


@pytest.mark.parametrize("cls", [
    likely(summed),
    likely(summed, gold=surely),
    likely(lambda given, right: given[right] / (sum(given.values()) or 1)),
    likely(lambda given, right: 1 - (1 - given[right]) ** 2 - sum(given[one] ** 2 for one in given if one != right)),
    likely(own, "A JSON object with a mark from 0 to 1 for each of A, B and C."),
    likely(lambda given, right: 1.0),
], ids=["summed", "summed, with gold", "divided", "Brier", "no sum", "any"])  # fmt: skip
def test_sums_that_are_compared_or_never_asked_for_are_let_alone(cls):
    assert findings(cls) == []


def test_numbers_of_gold_that_do_not_add_up_are_no_parts():
    class Sums:
        def build_dataset(self, tokenizer):
            return [
                {"prompt": f"Two numbers add up to {n}. Write a sum such as 1 + 2 = 3.", "n": n} for n in range(5, 15)
            ]

        def score_episode(self, model, tokenizer, completion, n):
            return float(completion.split()[-1:] == [str(n)])

        def solve(self, row):
            return f"2 + {row['n'] - 2} = {row['n']}"

    assert findings(Sums) == []
