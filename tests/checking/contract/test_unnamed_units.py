"""C174: gold in a unit that no prompt names, and gold in the unit of its prompt or in one that it names."""

import pytest

from grpo_env_sdk.checking.contract.unnamed_units import gold_is_in_a_unit_that_is_named
from tests.checking.trying import asking, found

WALK = "A path is {0} metres long, and Ana walks it {1} times. How far does she walk?"
FILMS = "One film lasts {0} minutes, and another one {1}. How long do they last together?"


def asked(ask, gold):
    return asking(lambda n, rng: (ask.format(41 + 15 * n, 7 + 3 * n), f"{gold(41 + 15 * n, 7 + 3 * n):.9g}"), 10)


@pytest.mark.parametrize(("env", "unit"), [
    (asked(WALK, lambda a, b: a * b / 1000), "kilometres"),
    (asked(WALK.replace("metres", "m"), lambda a, b: a * b * 100), "centimetres"),
    (asked(FILMS, lambda a, b: (a + b) * 60), "seconds"),
])  # fmt: skip
def test_gold_in_a_unit_that_is_not_named_is_an_error(env, unit):
    (finding,) = found(gold_is_in_a_unit_that_is_named, env)
    assert (finding.severity, f"gold is in {unit}" in finding.message) == ("error", True)


@pytest.mark.parametrize("env", [
    asked(WALK, lambda a, b: a * b),
    asked(f"{WALK} Answer in kilometres.", lambda a, b: a * b / 1000),
    asked(f"{WALK} Antwort in km.", lambda a, b: a * b / 1000),
    asked(f"{WALK} One thousand of them are one answer.", lambda a, b: a * b / 1000),
    asked("Of {0} people {1} % came, in 5 minutes. How many are that?", lambda a, b: a * b / 100),
    asked("A shop sells {0} jars at {1} cents. What do they cost, such as 3.20 €?", lambda a, b: a * b / 100),
])  # fmt: skip
def test_gold_in_units_of_the_prompt_is_let_be(env):
    assert found(gold_is_in_a_unit_that_is_named, env) == []


def test_scorers_that_take_either_unit_are_let_be():
    class Either(asked(WALK, lambda a, b: a * b / 1000)):
        def score_episode(self, model, tokenizer, completion, wanted):
            return float(completion in (wanted, f"{1000 * float(wanted):g}"))

    assert found(gold_is_in_a_unit_that_is_named, Either) == []
