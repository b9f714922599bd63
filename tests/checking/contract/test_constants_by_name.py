"""C177: gold that is worked out with the number that prompts state for another name, and gold that has its own."""

import pytest

from grpo_env_sdk.checking.contract.constants_by_name import gold_has_the_constant_of_its_name as right
from tests.checking.trying import asking, found

WORTH = {"crowns": 12, "thalers": 7}
COINS = "A chest holds {n} {name}. How many pence is that? A crown is 12 pence and a thaler is 7 pence."
"""The names are written otherwise in what is stated, as one of several."""
TICKETS = "Zone red costs 3.20 euros, zone blue costs 1.90 euros. What do {n} tickets for the {name} zone cost?"
PRICES = {"red": 3.2, "blue": 1.9}
STONE = "How many {name} are {n} pounds? There are 14 pounds to a stone: a stone = 14, a tod = 28. Give a number."


def asked(text, names, gold):
    def row(n, rng):
        name = names[n % 3 == 0]
        return text.format(n=n + 11, name=name), str(gold(n + 11, name))

    return asking(row, 24)


def coins(gold, text=COINS):
    return asked(text, ("crown coins", "thaler coins"), gold)


WRONG = {
    "a product": coins(lambda n, name: 12 * n),
    "with decimals": asked(TICKETS, ("red", "blue"), lambda n, name: round(n * 3.2, 2)),
    "a quotient": asked(STONE, ("stone", "tod"), lambda n, name: round(n / 14, 2)),
    "several of what is named": asked(COINS, ("crowns", "thalers"), lambda n, name: 12 * n),
    "with other words of refusal": coins(lambda n, name: 12 * n, COINS + " Answer with the number, without a unit."),
    "that of the rarer one": coins(lambda n, name: 7 * n),
}
SOUND = {
    "its own": coins(lambda n, name: n * (12 if "crown" in name else 7)),
    "its own, with decimals": asked(TICKETS, ("red", "blue"), lambda n, name: round(n * PRICES[name], 2)),
    "another formula": coins(lambda n, name: 12 * n + (0 if "crown" in name else 1)),
    "what is not meant": coins(lambda n, name: 12 * n, COINS.replace("{n}", "{n} coins, but no")),
    "both are named": coins(lambda n, name: 12 * n, COINS + " Take a thaler for a crown."),
    "a rule for all rows": coins(lambda n, name: 12 * n, COINS + " Today, what is old counts as much as a crown."),
    "no name is in the rows": asked(COINS, ("old coins", "new coins"), lambda n, name: 12 * n),
    "on some rows of a name": coins(lambda n, name: n * (12 if "crown" in name or n % 2 else 7)),
    "no number on the last row": coins(lambda n, name: 12 * n if n < 34 else "unknown"),
    "one constant": coins(lambda n, name: 12 * n, COINS.partition(" and a thaler")[0] + "."),
}


@pytest.mark.parametrize("kind", WRONG)
def test_gold_with_the_constant_of_another_name_is_an_error(kind):
    (finding,) = found(right, WRONG[kind], "default")
    assert "of 24 rows" in finding.message
    assert (finding.severity, finding.output, finding.expected) == ("error", 0.0, 1.0)


@pytest.mark.parametrize("kind", SOUND)
def test_gold_with_its_own_constant_or_another_rule_is_let_be(kind):
    assert found(right, SOUND[kind], "default") == []


def test_scorers_that_take_the_value_by_the_own_constant_are_let_be():
    class Either(WRONG["a product"]):
        def score_episode(self, model, tokenizer, completion, wanted):
            return float(completion in (wanted, str(int(wanted) // 12 * 7)))

    assert found(right, Either, "default") == []
