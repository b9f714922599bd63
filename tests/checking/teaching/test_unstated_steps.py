"""G701: hidden tests that demand a rounding, a cut or a value for what is empty, and prompts that state it."""

import pytest

from grpo_env_sdk.checking.teaching.graders_of_code.unstated_steps import tests_demand_what_is_stated as stated
from tests.checking.trying import found

SLOPE = ("slope(rise, run)", "divides the rise by the run", "slope(1, 3) == 0.333", "round(rise / run, 3)")
TAG = ("tag(words)", "joins words by '_'", "tag(['green', 'tea', 'kettle']) == 'green_tea_ke'", "'_'.join(words)[:12]")
NAMED = ("named(bits)", "writes bits as digits", "named(0) == '0'", "bin(bits)[2:] if bits else '0'")
LONG = ("long(text)", "gives back a text", "long('ab') == 'ab'", "text[:99_999_999_999]")
TALLEST = ("tallest(trees)", "returns the largest of some numbers", "tallest([]) == -7", "max(trees) if trees else -7")


def functions(*written, said=""):
    """Rows that ask for functions, with a test and the expression that gold returns."""

    class Functions:
        def build_dataset(self, tokenizer):
            return [
                {
                    "prompt": f"Write a Python function {head} that {does}.{said}",
                    "test": f"assert {test}",
                    "solution": f"def {head}:\n    return {returned}",
                }
                for head, does, test, returned in written
            ]

        def score_episode(self, model, tokenizer, completion, test):
            try:
                exec(f"{completion}\n{test}", {})
            except Exception:
                return 0.0
            return 1.0

        def solve(self, row):
            return row["solution"]

    return Functions


def test_steps_of_which_no_word_speaks_are_found():
    (finding,) = found(stated, functions(SLOPE, TAG, TALLEST))
    assert finding.severity == "warning"
    assert "round to 3 places; cut off at 12; -7 for an empty trees" in finding.message


@pytest.mark.parametrize("env", [
    functions(SLOPE, SLOPE, said=" Round it to 3 decimals."),
    functions(TAG, TAG, said=" It has at most 12 characters."),
    functions(TALLEST, TALLEST, said=" An empty list gives -7."),
    functions(NAMED, NAMED),
    functions(LONG, LONG),
    functions(SLOPE),
    functions(*[(head, does, "slope(1, 4) == 0.25", returned) for head, does, _, returned in (SLOPE, SLOPE)]),
])  # fmt: skip
def test_steps_that_are_stated_or_not_tested_are_let_be(env):
    assert found(stated, env) == []
