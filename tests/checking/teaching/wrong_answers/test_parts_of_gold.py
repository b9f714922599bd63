"""Signs, spaces, twins and values of the prompt that count as gold are named, and what only looks so is let alone."""

import re

import pytest

from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.wrong_answers.marks_in_gold import (
    inner_sign_turned,
    last_sign_turned,
    other_bound,
    without_marks,
)
from grpo_env_sdk.checking.teaching.wrong_answers.parts_of_gold import every_part_of_gold_counts
from tests.checking.trying import asking, found


def severities(write, right, count=24):
    class Scored(asking(write, count)):
        def score_episode(self, model, tokenizer, completion, wanted):
            return float(right(completion.strip(), wanted))

    return {one.message: one.severity for one in found(every_part_of_gold_counts, Scored) if isinstance(one, Finding)}


def exact(said, wanted):
    return said == wanted


def amount(text):
    return float(text.replace(",", ""))


LETTERS = "ABCDEFGHIJKL"
IONS = lambda n, rng: (f"Write ion {n}.", f"{LETTERS[n % 12]}{n % 5 + 2}^2{'+-'[n % 2]}")  # noqa: E731
MIXED = lambda n, rng: (f"Half of {n + 9} eighths, as a mixed number?", f"{n + 1} {n % 7 + 1}/8")  # noqa: E731
BALANCES = lambda n, rng: (f"Balance {n}, to the cent?", f"{rng.randint(10_000, 90_000) + 0.37:,.2f}")  # noqa: E731
QUALITIES = lambda n, rng: (f"Interval {n}: M, m or P?", f"{'Mm'[n % 2]}{n // 2 % 4 + 2}")  # noqa: E731
UNITS = lambda n, rng: (f"How much is load {n}?", ("5mW", "5MW", "7mg", "7mG", "2kB", "2KB")[n % 6])  # noqa: E731
HOSTS = lambda n, rng: (f"The network of 10.0.{n}.9?", f"10.0.{n}.0/24")  # noqa: E731
PLANES = lambda n, rng: (f"The indices of plane {n}?", rf"(1 {n} \bar{{{n % 9}}})")  # noqa: E731
NAMES = lambda n, rng: (  # noqa: E731
    f"Is {'Ada'} or is {'Ben'} or is {'Cleo'} older, if the rule is {n}?", ("Ada", "Ben", "Cleo")[n % 3]
)  # fmt: skip
RANGES = lambda n, rng: (f"Where is f{n} defined?", f"[{n}, {n + 7})")  # noqa: E731


@pytest.mark.parametrize(("named", "write", "right"), [
    ("with + for -", IONS, lambda said, wanted: re.sub(r"\W", "", said) == re.sub(r"\W", "", wanted)),
    ("space of its mixed number", MIXED, lambda said, wanted: said.replace(" ", "") == wanted.replace(" ", "")),
    (
        "slightly larger amount", BALANCES,
        lambda said, wanted: abs(amount(said) - amount(wanted)) <= 0.005 * amount(wanted),
    ),
    ("marks in and over", PLANES, lambda said, wanted: re.findall(r"\d+", said) == re.findall(r"\d+", wanted)),
    ("what the prompt tells apart", QUALITIES, lambda said, wanted: said.lower() == wanted.lower()),
    ("value of that form", HOSTS, lambda said, wanted: said[:6] == wanted[:6] and said[-3:] == wanted[-3:]),
    ("such number or name", NAMES, lambda said, wanted: said in ("Ada", "Ben", "Cleo")),
    ("other bound", RANGES, lambda said, wanted: re.findall(r"\d+", said) == re.findall(r"\d+", wanted)),
])  # fmt: skip
def test_what_makes_another_answer_and_still_scores_is_an_error(named, write, right):
    assert "error" in [severity for message, severity in severities(write, right).items() if named in message]
    assert severities(write, exact) == {}


def test_codes_that_differ_in_capitals_alone_are_a_warning_where_no_prompt_tells_them_apart():
    (severity,) = severities(UNITS, lambda said, wanted: said.lower() == wanted.lower()).values()
    assert severity == "warning"


def test_the_second_number_of_a_pair_counts():
    pairs = lambda n, rng: (f"Where is {n}?", f"({n % 9 + 1},{n % 7 + 2})")  # noqa: E731
    messages = severities(pairs, lambda said, wanted: said.partition(",")[0] == wanted.partition(",")[0])
    assert any("another number 2 of 2" in message for message in messages)


@pytest.mark.parametrize(("write", "right"), [
    (  # one word with and without capitals
        lambda n, rng: (f"Is {n} odd?", ("yes", "Yes", "no", "No")[n % 4]),
        lambda said, wanted: said.lower() == wanted.lower(),
    ),
    (  # the letters of options, and an article
        lambda n, rng: (f"Pick a letter ({n}).\nA) one\nB) two", "aAbB"[n % 4]),
        lambda said, wanted: said.lower() == wanted.lower(),
    ),
    (  # capitals that the prompt says make no difference
        lambda n, rng: (f"M or m, number {n}? Capitals do not matter.", f"{'Mm'[n % 2]}{n // 2 % 4}"),
        lambda said, wanted: said.lower() == wanted.lower(),
    ),
    (  # a tolerance that is said
        lambda n, rng: (f"Balance {n}, to the cent, within 1 percent?", f"{7000 + n + 0.21:.2f}"),
        lambda said, wanted: abs(float(said) - float(wanted)) < 70,
    ),
    (  # a tolerance of rounding
        lambda n, rng: (f"Balance {n}, to the cent?", f"{7000 + n + 0.21:.2f}"),
        lambda said, wanted: abs(float(said) - float(wanted)) <= 0.05,
    ),
    (  # the same with a comma before the decimals
        lambda n, rng: (f"Solde {n}, au centime ?", f"{100 + n},{21 + n}"),
        lambda said, wanted: abs(float(said.replace(",", ".")) - float(wanted.replace(",", "."))) <= 0.09,
    ),
    (  # hyphens and spaces of codes and words
        lambda n, rng: (f"Which code has {n}?", f"AB-{n + 10} X"),
        lambda said, wanted: re.sub(r"\W", "", said) == re.sub(r"\W", "", wanted),
    ),
    (  # one of several right addresses
        lambda n, rng: (f"Name any address in the network of 10.0.{n}.9.", f"10.0.{n}.1"),
        lambda said, wanted: said.rpartition(".")[0] == wanted.rpartition(".")[0],
    ),
])  # fmt: skip
def test_other_writings_and_tolerances_are_let_alone(write, right):
    assert severities(write, right) == {}


@pytest.mark.parametrize(("change", "text", "changed"), [
    (last_sign_turned, "Mg^{2+}", "Mg^{2-}"),
    (last_sign_turned, "18+", None),
    (last_sign_turned, "ANTI-", None),
    (inner_sign_turned, "(-2, 3)", "(2, 3)"),
    (inner_sign_turned, "3x^2 - 4x + 1", "3x^2 + 4x + 1"),
    (inner_sign_turned, "2 - 3i", None),
    (inner_sign_turned, "2024-01-05", None),
    (other_bound, "x <= -3", "x >= -3"),
    (other_bound, "A > B", None),
    (lambda text: without_marks(text, "How heavy?"), "3.5 kg", "35 kg"),
    (lambda text: without_marks(text, "At what time?"), "10.30 Uhr", None),
])  # fmt: skip
def test_marks_are_changed_where_they_mean_something(change, text, changed):
    assert change(text) == changed
