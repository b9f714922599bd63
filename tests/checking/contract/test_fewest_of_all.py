"""C168: gold that is not the fewest values that add up to an amount, and gold that only looks so."""

from itertools import combinations_with_replacement

import pytest

from grpo_env_sdk.checking.contract.fewest_of_all import gold_is_the_fewest
from tests.checking.trying import found

COINS = [[1, 7, 10], [1, 4, 5], [1, 6, 8], [1, 3, 4]]
ASK = "Pay {amount} with the fewest coins of {values}. List them, such as 5, 1."


def greedy(amount, values):
    coins = []
    for value in sorted(values, reverse=True):
        coins += [value] * (amount // value)
        amount %= value
    return coins


def fewest(amount, values):
    lists = (some for count in range(1, 9) for some in combinations_with_replacement(sorted(values)[::-1], count))
    return next(list(some) for some in lists if sum(some) == amount)


def paying(choose, ask=ASK, takes=None):
    """Amounts that are paid with coins; an answer is right where `takes` says so, or where it is gold."""

    class Paying:
        def build_dataset(self, tokenizer):
            rows = [(8 + n % 9, COINS[n % 4]) for n in range(24)]
            return [
                {
                    "prompt": ask.format(amount=amount, values=", ".join(map(str, values))),
                    "due": amount,
                    "coins": values,
                }
                for amount, values in rows
            ]

        def solve(self, row):
            return ", ".join(map(str, choose(row["due"], row["coins"])))

        def score_episode(self, model, tokenizer, completion, row):
            said = [int(part) for part in completion.split(", ") if part.isdecimal()]
            return float(takes(said, row["due"]) if takes else completion == self.solve(row))

    return Paying


@pytest.mark.parametrize("ask", [ASK, "With the smallest number of coins of {values}, pay {amount}, as in 5, 1."])
def test_gold_that_takes_the_largest_first_is_named(ask):
    (finding,) = found(gold_is_the_fewest, paying(greedy, ask))
    assert (finding.severity, "Gold is not the fewest on" in finding.message) == ("error", True)


def test_gold_that_is_longer_by_another_rule_is_a_warning():
    longer = paying(lambda amount, values: [*fewest(amount - 2, values), 1, 1])
    (finding,) = found(gold_is_the_fewest, longer)
    assert finding.severity == "warning"


@pytest.mark.parametrize("env", [
    paying(fewest),
    paying(greedy, takes=lambda said, due: sum(said) == due),
    paying(greedy, ASK.replace("the fewest", "some")),
    paying(greedy, f"{ASK} Always take the largest that fits."),
    paying(greedy, f"{ASK} Use at least two different ones."),
    paying(greedy, ASK.replace("{amount}", "what the tea costs")),
])  # fmt: skip
def test_the_fewest_and_lists_by_other_rules_are_let_be(env):
    assert found(gold_is_the_fewest, env) == []
