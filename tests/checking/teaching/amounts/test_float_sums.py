"""G697: amounts of calls that add up in one order only, because they are floats."""

import math

import pytest

from grpo_env_sdk import ToolEnv, call_message, reward, tool
from grpo_env_sdk.checking.teaching.amounts.float_sums import decimal_amounts_add_up_in_any_order
from tests.checking.trying import found

SHARES = [
    [0.9, 4.3, 0.5], [3.5, 3.9, 5.0], [1.4, 1.9, 4.5], [5.1, 2.9, 5.0], [3.2, 5.5, 3.0],
    [1.1, 0.7, 1.3], [1.8, 3.6, 2.1], [5.4, 4.8, 3.2], [4.5, 2.4, 5.9], [3.1, 3.7, 5.8],
]  # fmt: skip
ADDED = [[1.27, 7.21, 5.53], [1.48, 5.02, 2.87], [7.12, 2.76, 5.34], [1.56, 3.66, 7.22], [3.89, 5.12, 2.01]]


def moving(is_right, lists=SHARES):
    """Goods are moved in parts; `is_right` judges what was moved, in order, beside what gold moves."""

    class Moving(ToolEnv):
        max_turns = 8

        def build_dataset(self, tokenizer):
            return [
                {"prompt": f"Move {sum(parts):.2f} tons in parts of {sorted(parts)}.", "parts": parts}
                for parts in lists
            ]

        def setup(self, row):
            self.moved = []

        @tool
        def move(self, tons: float) -> str:
            """Move a part.

            Args:
                tons: How much.
            """
            self.moved.append(tons)
            return "Moved."

        @reward
        def whole(self, parts):
            return is_right(self.moved, parts)

        def solve(self, row):
            return [*(call_message("move", tons=part) for part in row["parts"]), "Done."]

    return Moving


def taken_away(parts):
    left = round(sum(parts), 2)
    for part in parts:
        left -= part
    return left


def added(parts):
    total = 0.0
    for part in parts:
        total += part
    return total


@pytest.mark.parametrize("env", [
    moving(lambda moved, parts: len(moved) == 3 and taken_away(moved) == 0),
    moving(lambda moved, parts: added(moved) == added(parts), ADDED),
])  # fmt: skip
def test_a_sum_of_floats_that_has_to_be_exact_is_an_error(env):
    (finding,) = found(decimal_amounts_add_up_in_any_order, env)
    assert (finding.severity, finding.output["reward"]) == ("error", 0.0)
    assert "floats come to another number" in finding.message


@pytest.mark.parametrize("env", [
    moving(lambda moved, parts: sorted(moved) == sorted(parts)),
    moving(lambda moved, parts: math.isclose(added(moved), added(parts)), ADDED),
    moving(lambda moved, parts: moved == parts),
    moving(lambda moved, parts: moved[:1] == parts[:1] and len(moved) == 3),
])  # fmt: skip
def test_rounded_sums_and_orders_that_count_are_let_be(env):
    assert found(decimal_amounts_add_up_in_any_order, env) == []
