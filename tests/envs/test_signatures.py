"""A method that cannot take what it will be called with is named before anything calls it."""

from functools import wraps

import pytest

from grpo_env_sdk import MultiTurnEnv, evaluate, load
from grpo_env_sdk.errors import ContractError, GrpoEnvWarning


class Once:
    def build_dataset(self, tokenizer):
        return [{"prompt": "Say 3."}]

    def score_episode(self, model, tokenizer, completion):
        return 1.0


class Turns(MultiTurnEnv):
    build_dataset, score_episode = Once.build_dataset, Once.score_episode

    def step(self, action):
        return "", 0.0, True, False, {}


@pytest.mark.parametrize(
    ("base", "name", "method", "told"),
    [
        (Once, "build_dataset", lambda self: [], r"takes \(\) \(.*\)\. It is called as build_dataset\(tokenizer\)\."),
        (
            Once,
            "score_episode",
            lambda self, completion: 1.0,
            r"takes \(completion\) .*called as score_episode\(model, tokenizer, completion, \*\*columns\)\.",
        ),
        (
            Once,
            "score_episode",
            lambda self, completion, answer, source: 1.0,
            r"takes \(completion, answer, source\) .*called as score_episode\(model, tokenizer, completion",
        ),
        (Turns, "setup", lambda self: None, r"takes \(\) .*called as setup\(row\)\."),
        (Turns, "step", lambda self: None, r"takes \(\) .*called as step\(action\)\."),
    ],
)
def test_parameters_that_are_missing_or_in_another_order_are_refused(base, name, method, told):
    with pytest.raises(ContractError, match=told):
        load(type("Odd", (base,), {name: method}))


def without_tokenizer(function):
    """A decorator after which a method takes what it is called with."""

    @wraps(function)
    def called(self, tokenizer):
        return function(self)

    return called


@pytest.mark.parametrize(
    ("base", "name", "method"),
    [
        (Once, "build_dataset", without_tokenizer(lambda self: [{"prompt": "Say 3."}])),
        (Once, "setup", lambda self: None),
        (Once, "step", lambda self: None),
        (Once, "build_dataset", lambda self, tokenizer, split="train": [{"prompt": "Say 3."}]),
        (Once, "solve", lambda self, *args: "3"),
        (Turns, "setup", staticmethod(lambda row: None)),
        (Turns, "step", lambda self, action, *, seed=0: ("", 0.0, True, False, {})),
    ],
)
def test_whatever_takes_them_is_good_and_so_is_a_name_that_no_episode_calls(base, name, method):
    assert load(type("Odd", (base,), {name: method})).traits.kind


def test_a_solve_that_takes_no_row_is_the_authors_own_and_noted():
    cls = type("Odd", (Once,), {"solve": lambda self: "3"})
    assert not load(cls).traits.solvable
    with pytest.warns(
        GrpoEnvWarning, match=r"Odd\.solve takes \(\) .*nothing calls it\. A gold solution is solve\(self, row"
    ):
        assert evaluate(cls, "echo", split="all").summary["reward"]["mean"] == 1.0
