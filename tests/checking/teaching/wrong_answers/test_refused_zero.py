"""G683: the right answer 0, taken for none; and zeros that stand for something else."""

import pytest

from grpo_env_sdk.checking.teaching.wrong_answers.refused_zero import the_right_answer_zero_is_accepted as accepted
from tests.checking.trying import found


def summing(score, ask="What is {a} + {b}?", least=-3, **more):
    """Sums of two numbers, every fifth one of them 0, scored by a function of the answer and the sum."""

    class Sums:
        def build_dataset(self, tokenizer):
            pairs = [(n + 2, n % 7 + 1 if n % 5 else -n - 2) for n in range(40)]
            pairs = [(a, b if (a + b) % 2 or a + b == 0 else least * a) for a, b in pairs]
            return [{"prompt": f"{n}: {ask.format(a=a, b=b)}", "total": a + b} for n, (a, b) in enumerate(pairs)]

        def score_episode(self, model, tokenizer, completion, total):
            return float(score(completion.strip(), total))

    return type("Sums", (Sums,), more)


def falsy(text, total):
    value = int(text) if text.lstrip("-").isdecimal() else None
    return bool(value) and value == total


def labelled(text, total):
    return "Sum: " in text and falsy(text.removeprefix("Sum: "), total)


def right(text, total):
    return text == str(total)


def no_total(text, total):
    return bool(total) and text == str(total)


def or_words(*words):
    return lambda text, total: text == str(total) if total else text in words


@pytest.mark.parametrize(("env", "severity"), [
    (summing(falsy), "error"),
    (summing(no_total), "error"),
    (summing(falsy, least=3), "warning"),
    (summing(labelled, "{a} + {b}? Say 'Sum: N'."), "error"),
])  # fmt: skip
def test_a_right_zero_that_loses_is_named(env, severity):
    (finding,) = found(accepted, env)
    assert (finding.severity, "The right answer 0 loses" in finding.message) == (severity, True)


@pytest.mark.parametrize("env", [
    summing(right),
    summing(or_words("none")),
    summing(or_words("it is balanced"), "What is {a} + {b}, or is it balanced? Say 'it is balanced' if so."),
    summing(or_words("keine"), "What is {a} + {b}? Unless it comes to naught: then there is no sum."),
    summing(lambda text, total: bool(text)),
    summing(lambda text, total: text.isalpha()),
    summing(falsy, solve=lambda self, row: str(row["total"])),
])  # fmt: skip
def test_zeros_that_win_or_stand_for_something_else_are_let_be(env):
    assert found(accepted, env) == []
