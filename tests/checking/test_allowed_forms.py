"""Right answers in forms that a prompt allows: refused ones are named, and what the prompt rules out is not tried."""

import pytest

from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.allowed_forms import forms_that_a_prompt_allows_are_accepted
from tests.checking.trying import asking, found


def messages(write):
    items = found(forms_that_a_prompt_allows_are_accepted, asking(write, 12))
    return [item.message for item in items if isinstance(item, Finding)]


@pytest.mark.parametrize(("form", "write"), [
    ("the decimals", lambda n, rng: (f"What is {n} / 2, to two decimals?", f"{n / 2:.1f}")),
    ("an explanation", lambda n, rng: (f"What is {n} + 5? Show your work.", str(n + 5))),
    ("the case", lambda n, rng: (f"({n}) Is {n} > 5? True or False?", "true" if n > 5 else "false")),
    ("a decimal", lambda n, rng: (f"Half of {2 * n + 1}, as a fraction or a decimal?", f"{2 * n + 1}/2")),
    ("LaTeX", lambda n, rng: (f"Reduce {2 * n + 1}/{4 * n + 4} to a fraction.", f"{2 * n + 1}/{4 * n + 4}")),
    ("thousands", lambda n, rng: (f"What is 12,000 + {n}?", str(12_000 + n))),
    ("the currency", lambda n, rng: (f"Ada has $7 and gets ${n} more. How much has she?", str(7 + n))),
    ("other spaces", lambda n, rng: (f"Give {n} as x in JSON.", f'{{"x":{n}}}')),
    ("another order", lambda n, rng: (f"Give x={n} and y=1 in JSON.", f'{{"x": {n}, "y": 1}}')),
    ("its values", lambda n, rng: (f"Name {n}, {n + 1} and 9, with commas.", f"{n},{n + 1},9")),
    ("the whole option", lambda n, rng: (f"Which is {n}?\nA) {n + 1}\nB) {n}\nC) {n + 2}", "ABC"[n % 3])),
])  # fmt: skip
def test_a_form_that_the_prompt_allows_is_named_where_it_is_refused(form, write):
    (message,) = messages(write)
    assert form in message
    assert "12 rows" in message


@pytest.mark.parametrize("write", [
    lambda n, rng: (f"What is {n} + 5?", str(n + 5)),
    lambda n, rng: (f"What is {n} / 2, to one decimal?", f"{n / 2:.1f}"),
    lambda n, rng: (f"Think it through without explaining: what is {n} + 5?", str(n + 5)),
    lambda n, rng: (f"Write WORD{'abcdefghijkl'[n]} in lower case.", f"word{'abcdefghijkl'[n]}"),
    lambda n, rng: (f"Half of {2 * n + 1}, as a fraction such as 3/2?", f"{2 * n + 1}/2"),
    lambda n, rng: (f"What is 12,000 + {n}? Only digits.", str(12_000 + n)),
    lambda n, rng: (f"Solve $x = {n} + 2$.", str(n + 2)),
    lambda n, rng: (f"Give {n} as x in compact JSON.", f'{{"x":{n}}}'),
    lambda n, rng: (f"Which letter is {n}?\nA) {n + 1}\nB) {n}\nC) {n + 2}", "ABC"[n % 3]),
])  # fmt: skip
def test_an_exact_comparison_that_the_prompt_announces_is_let_alone(write):
    assert messages(write) == []


def test_a_form_that_costs_a_little_is_let_alone():
    class Lenient(asking(lambda n, rng: (f"What is {n} + 5? Show your work.", str(n + 5)), 12)):
        def score_episode(self, model, tokenizer, completion, wanted):
            return float(completion == wanted) if len(completion) < 5 else 0.8 * completion.endswith(wanted)

    assert list(found(forms_that_a_prompt_allows_are_accepted, Lenient)) == []
