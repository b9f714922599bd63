"""Graders that run code where it can read what they expect, and one that keeps it outside."""

import pytest

from grpo_env_sdk.checking.teaching.graders_of_code.code_graders import code_has_to_work
from tests.checking.trying import found

HARNESS = """
{code}
cases = {cases}
for given, wanted in cases:
    if scaled(given) != wanted:
        raise SystemExit(1)
"""


class Scaled:
    """Write a function that multiplies by a number."""

    def build_dataset(self, tokenizer):
        text = "Write a Python function scaled(x) that returns x times {k}, without imports."
        return [{"prompt": text.format(k=k), "k": k} for k in range(2, 10)]

    def passes(self, code, k):
        raise NotImplementedError

    def score_episode(self, model, tokenizer, completion, k):
        code = completion.strip().removeprefix("```python").removesuffix("```")
        if "import" in code or "_" in code or "class" in code or "lambda" in code:
            return 0.0
        try:
            return float(self.passes(code, k))
        except (Exception, SystemExit):
            return 0.0


class ReadsLocals(Scaled):
    def passes(self, code, k):
        for x in (3, 8):
            space = {"expected": x * k}
            exec(code, space)
            if space["scaled"](x) != space["expected"]:
                return False
        return True


class ReadsProgram(Scaled):
    def passes(self, code, k):
        exec(HARNESS.format(code=code, cases=[(x, x * k) for x in (3, 8)]), {})
        return True


class CallsReference(Scaled):
    def passes(self, code, k):
        space = {"reference": lambda x: x * k}
        exec(code, space)
        return all(space["scaled"](x) == x * k for x in (3, 8))


class KeptOutside(Scaled):
    def passes(self, code, k):
        space = {}
        exec(code, space)
        expected = [x * k for x in (3, 8)]
        return [space["scaled"](x) for x in (3, 8)] == expected


@pytest.mark.parametrize(("cls", "name"), [
    (ReadsLocals, "'expected'"), (ReadsProgram, "'wanted'"), (CallsReference, "'reference'"),
])  # fmt: skip
def test_a_name_that_code_can_read_is_found(cls, name):
    (finding,) = found(code_has_to_work, cls)
    assert name in finding.message


def test_a_grader_that_compares_outside_is_let_alone():
    assert found(code_has_to_work, KeptOutside) == []
