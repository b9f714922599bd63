"""Tests of code that are the examples of the prompt, and prompts that show some of them."""

import pytest

from grpo_env_sdk.checking.contract.shown_tests import shown_examples_are_not_all_tests as hidden
from tests.checking.trying import found

NAMES = ("double", "shout", "last", "flip", "evens")


def environment(shown, tests):
    class Functions:
        def build_dataset(self, tokenizer):
            return [
                {"prompt": f"Write {name}(n). " + shown.replace("NAME", name), "tests": tests.replace("NAME", name)}
                for name in NAMES
            ]

        def score_episode(self, model, tokenizer, completion, tests):
            known = {}
            code = completion.removeprefix("```python\n").removesuffix("\n```")
            try:
                exec(code, known)
                exec(tests, known)
            except Exception:
                return 0.0
            return 1.0

    return Functions


@pytest.mark.parametrize("shown", [
    "assert NAME(1) == 'a'\nassert NAME('x, y') == [2]",
    "NAME(1) returns `'a'`, and `NAME('x, y')` -> [2].",
    'Examples: NAME(1) gives "a"; NAME("x, y") = [2].',
])  # fmt: skip
def test_tests_that_are_the_examples_are_named(shown):
    (finding,) = found(hidden, environment(shown, "assert NAME(1) == 'a'\nassert NAME('x, y') == [2]"))
    assert "4 of 4" in finding.message or "5 of 5" in finding.message


@pytest.mark.parametrize("tests", [
    "assert NAME(1) == 'a'\nassert NAME('x, y') == [2]\nassert NAME(7) == 3",
    "assert NAME(1) == 'a'\nassert NAME('x, y') == [2]\nfor n in range(9):\n    assert NAME(n) != n",
])  # fmt: skip
def test_tests_that_are_not_all_shown_are_let_alone(tests):
    assert found(hidden, environment("NAME(1) == 'a', NAME('x, y') == [2]", tests)) == []
