"""Functions whose results come in the wrong order."""

import pytest

from grpo_env_sdk.checking.evidence.prompts.result_orders import asks_for_an_order
from grpo_env_sdk.checking.teaching.graders_of_code.order_of_results import results_in_the_wrong_order_fail as check
from tests.checking.trying import found
from tests.gallery.broken.counted_not_ordered import Stops


class AsTold(Stops):
    """Sound: results are compared as they are."""

    def same(self, result, wanted):
        return result == wanted


class OrderIsFree(Stops):
    asked = "Write a Python function {} that shall {}. The order of the result does not matter."


class OneStop(Stops):
    """No result has an order, so that nothing is proven by one that is the same from its end to its start."""

    def line(self):
        return ["Quay"]


class Recursive(AsTold):
    """Sound: gold calls itself."""

    def build_dataset(self, tokenizer):
        code = "def {0}(stops):\n    return stops and {0}(stops[1:]) + stops[:1]\n"
        return [row | {"code": code.format(row["name"])} for row in super().build_dataset(tokenizer)]


class RecursiveAndCounted(Recursive, Stops):
    same = Stops.same


@pytest.mark.parametrize("cls", [Stops, RecursiveAndCounted])
def test_results_that_may_come_from_last_to_first_are_found(cls):
    (finding,) = found(check, cls)
    assert "from last to first scores as much as gold on 4 of 4 rows" in finding.message


@pytest.mark.parametrize("cls", [AsTold, OrderIsFree, OneStop, Recursive])
def test_results_that_are_compared_with_their_order_or_have_none_are_not_reported(cls):
    assert found(check, cls) == []


@pytest.mark.parametrize(("prompt", "asked"), [
    ("Return the words in alphabetical order.", True),
    ("It returns the names, the longest first.", True),
    ("Return the words in any order.", False),
    ("Given numbers in ascending order, return the two that add up to k.", False),
    ("Return all pairs of a sorted list that add up to k.", False),
    ("Return the first even number.", False),
    ("Return the items in the order of the list, or in reverse; the order is not checked.", False),
])  # fmt: skip
def test_what_asks_for_results_in_an_order(prompt, asked):
    assert asks_for_an_order(prompt) == asked
