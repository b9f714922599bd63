"""Scorers that take wrong answers for right ones: what is accepted is named; exact and tolerant ones are let alone."""

import random
import re
from contextlib import suppress
from typing import Any

import pytest

from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.lazy_answers.copying import copying_is_not_gold
from grpo_env_sdk.checking.teaching.lazy_answers.guessing import no_fixed_answer_is_gold
from grpo_env_sdk.checking.teaching.lazy_answers.hedging import one_answer_at_a_time
from grpo_env_sdk.checking.teaching.wrong_answers.near_misses import near_misses_score_less
from grpo_env_sdk.checking.teaching.wrong_answers.parts_of_gold import every_part_of_gold_counts
from tests.checking.trying import found

TOWNS = ("Paris", "Oslo", "Cairo", "Lima", "Vienna", "Dublin", "Lisbon", "Warsaw", "Tokyo", "Havana", "Quito", "Delhi")
ANIMALS = ("dog", "cat", "fox", "hen", "owl", "cow", "pig", "bat", "ant", "bee", "eel", "emu")


def scored(right: Any, rows: Any) -> type:
    """An environment that scores 1 where `right(said, wanted)`; `rows` are prompts with their answers."""

    class Scored:
        def build_dataset(self, tokenizer: Any) -> Any:
            return [{"prompt": prompt, "wanted": wanted} for prompt, wanted in rows]

        def score_episode(self, model: Any, tokenizer: Any, completion: str, wanted: str) -> float:
            with suppress(ValueError, ZeroDivisionError, re.error):
                return float(right(completion.strip(), wanted))
            return 0.0

        def solve(self, row: Any) -> str:
            return str(row["wanted"])

    return Scored


def differences() -> Any:
    rng = random.Random(1)
    pairs = [(rng.randrange(300, 900), rng.randrange(100, 290)) for _ in range(30)]
    return [(f"What is {a} - {b}?", str(a - b)) for a, b in pairs]


SUMS = differences()
CAPITALS = [(f"Which capital is number {n}?", town) for n, town in enumerate(TOWNS)]
SENTENCES = [(f"Turn ({n}) into the active voice.", f"the {one} bites the rat") for n, one in enumerate(ANIMALS)]


def of(check: Any, right: Any, rows: Any) -> dict[str, str]:
    items = found(check, scored(right, rows), "default")
    return {item.message: str(item.severity) for item in items if isinstance(item, Finding)}


def named_as_error(named: str, findings: dict[str, str]) -> bool:
    return any(named in message and severity == "error" for message, severity in findings.items())


@pytest.mark.parametrize(("named", "right", "rows"), [
    ("two digits swapped", lambda said, wanted: sorted(said) == sorted(wanted), SUMS),
    ("last digits", lambda said, wanted: int(said) % 100 == int(wanted) % 100, SUMS),
    ("first digit", lambda said, wanted: len(str(int(said))) == len(wanted), SUMS),
    ("another order", lambda said, wanted: sorted(said.lower()) == sorted(wanted.lower()), CAPITALS),
    ("letters in front", lambda said, wanted: said.endswith(wanted), CAPITALS),
    ("letters at its end", lambda said, wanted: said.startswith(wanted), CAPITALS),
])  # fmt: skip
def test_a_wrong_answer_that_scores_where_gold_is_in_a_column_is_an_error(named, right, rows):
    assert any(
        named in message and severity == "error"
        for message, severity in of(near_misses_score_less, right, rows).items()
    )


def units(text: str) -> dict[str, str]:
    return {unit: number for number, unit in re.findall(r"(\d+)([HM])", text)}


def test_a_letter_between_others_that_does_not_matter_is_named():
    times = [(f"How long is trip {n}, as an ISO 8601 duration?", f"PT{n % 5}H{n + 10}M") for n in range(20)]
    assert named_as_error("second letter", of(near_misses_score_less, lambda a, b: units(a) == units(b), times))
    numbers = [(f"Which invoice is number {n}?", f"INV{n + 100}") for n in range(20)]
    assert of(near_misses_score_less, lambda a, b: a.strip("INV") == b.strip("INV"), numbers) == {}


TICKETS = [(f"A ticket costs {'$€'[n % 2]}{n + 3}. What do two cost?", f"{'$€'[n % 2]}{2 * n + 6}") for n in range(24)]
CODES = [(f"Encode {n} exactly.", f"{'aBcD' if n % 2 else 'eFgH'}{n + 10}iJ") for n in range(24)]


SQUARES = [(f"Where does knight {n} end?", f"{'abcdefgh'[n % 8]}{n % 7 + 1}") for n in range(24)]


def consonants(text: str) -> str:
    return re.sub("[aeiou ]", "", text.lower())


@pytest.mark.parametrize(("named", "right", "rows"), [
    ("another first letter", lambda said, wanted: len(said) == 2 and said[1] == wanted[1], SQUARES),
    ("another last digit", lambda said, wanted: len(said) == 2 and said[0] == wanted[0], SQUARES),
    ("vowels exchanged", lambda said, wanted: consonants(said) == consonants(wanted), CAPITALS),
    ("another currency", lambda said, wanted: said.strip("$€") == wanted.strip("$€"), TICKETS),
    ("capitals for small letters", lambda said, wanted: said.lower() == wanted.lower(), CODES),
])  # fmt: skip
def test_signs_and_capitals_that_say_something_count(named, right, rows):
    assert named_as_error(named, of(near_misses_score_less, right, rows))
    assert of(near_misses_score_less, lambda said, wanted: said == wanted, rows) == {}


@pytest.mark.parametrize("rows", [SUMS, CAPITALS])
def test_an_exact_scorer_is_let_alone(rows):
    assert of(near_misses_score_less, lambda said, wanted: said == wanted, rows) == {}


def test_a_tolerance_is_let_alone():
    close = lambda said, wanted: abs(int(said) - int(wanted)) <= 0.05 * int(wanted)  # noqa: E731
    about = [(f"About {prompt}", wanted) for prompt, wanted in SUMS]
    assert of(near_misses_score_less, close, about) == {}


@pytest.mark.parametrize(("named", "right", "rows"), [
    ("two of its words", lambda said, wanted: sorted(said.split()) == sorted(wanted.split()), SENTENCES),
    (
        "in each other's place",
        lambda said, wanted: sorted(re.findall(r"\b\d+\b", said)) == sorted(re.findall(r"\b\d+\b", wanted)),
        [(f"Balance ({n}).", f"{n + 2} H2 + {n + 9} O2 -> {n + 5} H2O") for n in range(12)],
    ),
    (
        "that it corrects",
        lambda said, wanted: said.replace("é", "e") == wanted.replace("é", "e"),
        [(f"Mit Akzent:\n{animal} cafe bebe.", f"{animal} café bébé.") for animal in ANIMALS],
    ),
])  # fmt: skip
def test_what_is_exchanged_in_gold_and_still_scores_is_an_error(named, right, rows):
    assert any(
        named in message and severity == "error"
        for message, severity in of(every_part_of_gold_counts, right, rows).items()
    )


@pytest.mark.parametrize(("right", "named"), [
    (lambda said, wanted: round(float(said)) == round(float(wanted)), "which are rounded before comparing"),
    (lambda said, wanted: int(float(said)) == int(float(wanted)), "which are cut off before comparing"),
    (lambda said, wanted: abs(float(said) - float(wanted)) < 0.6, ""),
    (lambda said, wanted: float(said) == float(wanted), ""),
])  # fmt: skip
def test_decimals_that_are_lost_before_comparing_are_an_error_and_a_tolerance_is_none(right, named):
    rng = random.Random(2)
    sums = [(f"Sum ({n}), to two decimals?", f"{rng.randint(1000, 9999) / 100:.2f}") for n in range(60)]
    findings = of(every_part_of_gold_counts, right, sums)
    assert named_as_error(named, findings) if named else findings == {}


@pytest.mark.parametrize(("said", "right"), [
    (".*", lambda said, wanted: re.fullmatch(said, wanted) is not None),
    ("0/0", lambda said, wanted: int(said.partition("/")[0]) == int(wanted) * int(said.partition("/")[2] or 1)),
])  # fmt: skip
def test_a_pattern_or_an_empty_value_that_always_scores_is_named(said, right):
    (message,) = of(no_fixed_answer_is_gold, right, SUMS)
    assert repr(said) in message


def test_the_arithmetic_of_the_question_as_its_answer_is_named():
    def right(said, wanted):
        a, _, b = said.partition(" - ")
        return int(a) - int(b or 0) == int(wanted)

    (message,) = of(copying_is_not_gold, right, SUMS)
    assert "The arithmetic in the prompt" in message


@pytest.mark.parametrize(("gold", "severity"), [
    (lambda n: f"{n - 7} + 7", "error"), (lambda n: f"{n}", "warning"), (lambda n: f"{n}.0", "warning"),
])  # fmt: skip
def test_a_number_of_the_prompt_that_scores_is_an_error_where_gold_is_something_else(gold, severity):
    def right(said, wanted):
        return sum(map(float, said.split(" + "))) == sum(map(float, wanted.split(" + ")))

    findings = of(copying_is_not_gold, right, [(f"Write an expression for {n}.", gold(n)) for n in range(30, 60)])
    assert list(findings.values()) == [severity]


@pytest.mark.parametrize(("right", "named"), [
    (lambda said, wanted: "</think>" in said and wanted in re.findall(r"\d+", said), True),
    (lambda said, wanted: wanted == said.rpartition("</think>")[2], False),
])  # fmt: skip
def test_gold_in_the_thoughts_before_a_wrong_answer_is_named(right, named):
    rows = [(f"{prompt} Think in <think> and </think>.", wanted) for prompt, wanted in SUMS]

    class Thinking(scored(right, rows)):
        def solve(self, row):
            return f"<think>I subtract.</think>{row['wanted']}"

    messages = [item.message for item in found(one_answer_at_a_time, Thinking, "default")]
    assert any("thoughts alone" in message for message in messages) == named


@pytest.mark.parametrize(("right", "write", "named"), [
    (lambda said, wanted: re.sub(r"\D", "", said) == re.sub(r"\D", "", wanted), "{}/{}", "digit moved"),
    (lambda said, wanted: said.split()[-2:] == wanted.split()[-2:], "{} h {} min", "number 1 of 2"),
])  # fmt: skip
def test_numbers_beside_signs_and_units_are_each_compared(right, write, named):
    rows = [(f"How long is trip {n}?", write.format(n + 12, 2 * n + 15)) for n in range(20)]
    assert any(named in message for message in of(every_part_of_gold_counts, right, rows))
    assert of(every_part_of_gold_counts, lambda said, wanted: said == wanted, rows) == {}


def apples() -> Any:
    rng = random.Random(6)
    drawn = [(rng.randint(2, 4), rng.randint(3, 5), rng.randint(1, 5)) for _ in range(60)]
    text = "Task {}: {} boxes hold {} apples each and {} are eaten. How many are left?"
    return [(text.format(n, a, b, c), str(a * b - c)) for n, (a, b, c) in enumerate(drawn)]


@pytest.mark.parametrize(("width", "severities"), [(lambda gold: 5, {"error"}), (lambda gold: 0.2 * gold, set())])
def test_a_tolerance_of_the_size_of_the_answers_makes_one_number_right_on_many_rows(width, severities):
    findings = of(
        no_fixed_answer_is_gold, lambda said, wanted: abs(float(said) - int(wanted)) <= width(int(wanted)), apples()
    )
    assert set(findings.values()) == severities
