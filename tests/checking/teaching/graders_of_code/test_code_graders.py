"""Code that solves nothing is tried wherever gold has code, in the language of gold."""

import json
import subprocess
import sys

from grpo_env_sdk import SingleTurnEnv, ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.checking.teaching.graders_of_code.code_graders import code_has_to_work
from grpo_env_sdk.checking.teaching.graders_of_code.code_tricks import TABLE, tricks_for
from tests.checking.trying import found

BODIES = {"double": "2 * n", "square": "n * n", "negative": "-n", "next_one": "n + 1", "half": "n // 2"}


class Submitted(ToolEnv):
    """The code of a call has to define the function, and nothing else."""

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"Submit the function {name}(n).", "name": name, "body": body} for name, body in BODIES.items()
        ]

    def setup(self, row):
        self.code = ""

    @tool
    def submit(self, code: str) -> str:
        """Submit code."""
        self.code = code
        return "Thanks."

    @reward
    def defined(self, name):
        return f"def {name}(" in self.code

    def solve(self, row):
        return [call_message("submit", code=f"def {row['name']}(n):\n    return {row['body']}"), "Done."]


class Compared(Submitted):
    """Sound: the text has to be gold's."""

    @reward
    def defined(self, name, body):
        return self.code == f"def {name}(n):\n    return {body}"


class Patterns(SingleTurnEnv):
    """A pattern only has to match what it is for."""

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Write a regular expression for {n} digits.", "digits": n} for n in range(2, 8)]

    @reward
    def matches(self, completion, digits):
        import re

        try:
            return re.fullmatch(completion, "7" * digits) is not None
        except re.error:
            return 0.0

    def solve(self, row):
        return rf"\d{{{row['digits']}}}"


def test_code_in_a_call_is_replaced_as_well():
    (finding,) = found(code_has_to_work, Submitted)
    assert "Code that does nothing" in finding.message
    assert found(code_has_to_work, Compared) == []


def test_a_pattern_that_matches_everything_is_tried():
    (finding,) = found(code_has_to_work, Patterns)
    assert "matches everything" in finding.message


class Lambdas(SingleTurnEnv):
    """Compares from the side of what the answer returns."""

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Reply with a lambda that adds {n} to a number.", "n": n} for n in range(2, 12)]

    @reward
    def right(self, completion, n):
        code = answer_text(completion)
        if not code.startswith("lambda"):
            return 0.0
        try:
            return float(all(eval(code)(x) == x + n for x in (1, 5, 40)))
        except Exception:
            return 0.0

    def solve(self, row):
        return f"lambda x: x + {row['n']}"


def test_a_lambda_whose_result_equals_everything_is_tried():
    (finding,) = found(code_has_to_work, Lambdas)
    assert "equals everything" in finding.message


class Halves(SingleTurnEnv):
    """Looks only at how long the result is."""

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"Write the function halves_{n}(xs), which divides each by {n}.", "n": n} for n in range(2, 12)
        ]

    @reward
    def right(self, completion, n):
        names = {}
        try:
            exec(answer_text(completion), names)
            return len(names[f"halves_{n}"]([3, 1, 2])) == 3
        except Exception:
            return False

    def solve(self, row):
        return f"def halves_{row['n']}(xs):\n    return [x / {row['n']} for x in xs]"


def test_code_that_returns_what_it_is_given_is_tried():
    (finding,) = found(code_has_to_work, Halves)
    assert "returns what it is given" in finding.message


class Piped(SingleTurnEnv):
    """Compares pairs of results, as many as there are."""

    child = """
import json, sys
asked, names = json.load(sys.stdin), {}
exec(asked["code"], names)
print(json.dumps({str(n): names[asked["name"]](n) for n in (3, 4, 5)}))
"""

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Write the function add_{n}(x), which adds {n} to x.", "n": n} for n in range(2, 8)]

    @reward
    def right(self, completion, n):
        asked = json.dumps({"code": answer_text(completion), "name": f"add_{n}"})
        child = [sys.executable, "-I", "-S", "-c", self.child]
        try:
            ran = subprocess.run(child, input=asked, capture_output=True, text=True, timeout=2)
            return self.compared(json.loads(ran.stdout), {str(x): x + n for x in (3, 4, 5)})
        except (ValueError, AttributeError, subprocess.TimeoutExpired):
            return False

    def compared(self, results, expected):
        return all(expected[x] == result for x, result in results.items())

    def solve(self, row):
        return f"def add_{row['n']}(x):\n    return x + {row['n']}"


class WholePiped(Piped):
    """Sound: all results have to be there."""

    def compared(self, results, expected):
        return results == expected


def test_no_results_at_all_are_tried():
    (finding,) = found(code_has_to_work, Piped)
    assert "Code that prints {} as its results and ends" in finding.message
    assert found(code_has_to_work, WholePiped) == []


class WithResults(WholePiped):
    """Sends the cases whole, with what is to come out."""

    child = """
import json, sys
asked = json.load(sys.stdin)
exec(asked["code"], globals())
results = {}
for one in asked["cases"]:
    results[str(one["args"][0])] = globals()[asked["name"]](*one["args"])
print(json.dumps(results))
"""
    sent = ("args", "want")

    @reward
    def right(self, completion, n):
        cases = [{"args": [x], "want": x + n} for x in (3, 4, 5)]
        cases = [{name: case[name] for name in self.sent} for case in cases]
        asked = json.dumps({"code": answer_text(completion), "name": f"add_{n}", "cases": cases})
        child = [sys.executable, "-I", "-S", "-c", self.child]
        try:
            ran = subprocess.run(child, input=asked, capture_output=True, text=True, timeout=2)
            return self.compared(json.loads(ran.stdout), {str(x): x + n for x in (3, 4, 5)})
        except (ValueError, AttributeError, subprocess.TimeoutExpired):
            return False


class WithoutResults(WithResults):
    """Sound: sends the arguments alone."""

    sent = ("args",)


def test_results_among_the_cases_of_a_child_are_looked_up():
    (finding,) = found(code_has_to_work, WithResults)
    assert "looks up its arguments among its tests" in finding.message
    assert found(code_has_to_work, WithoutResults) == []


def test_a_table_of_the_examples_is_built_from_the_prompt():
    prompt = "Write double(n). Examples: double(4) == 8; double(1) -> 2. It takes numbers, such as double(x) == y."
    (table,) = (group[TABLE] for group in tricks_for("def double(n):\n    return 2 * n", prompt) if TABLE in group)
    names = {}
    exec(table, names)
    assert [names["double"](n) for n in (4, 1, 3)] == [8, 2, None]


def test_a_text_that_is_no_code_has_no_tricks():
    assert tricks_for("Paris is the capital (of France).", "What is the capital?") == []


def test_code_that_exits_comes_before_what_takes_more_tries():
    first, second, *_ = tricks_for("def double(n):\n    return 2 * n", "Write double(n).")
    assert "does nothing" in next(iter(first))
    assert "exits with 0" in next(iter(second))
