"""Where chances are asked for, the score has to be best for the honest one."""

import json
import math
import re

import pytest

from grpo_env_sdk.checking.teaching.lazy_answers.honest_chances import honest_chances_earn_most
from tests.checking.trying import found


def forecasts(score, asked="`Chance: <a number from 0 to 1>`", scale=1):
    """Outcomes, of which some happen; `score(chance, happened)`."""

    class Forecasts:
        def build_dataset(self, tokenizer):
            return [
                {"prompt": f"It rained on {n} of 30 days. How likely is rain? End with {asked}.", "rain": n * 7 % 3 % 2}
                for n in range(24)
            ]

        def score_episode(self, model, tokenizer, completion, rain):
            given = re.search(r"Chance: ([\d.]+)$", completion)
            chance = float(given[1]) / scale if given else 2.0
            return score(chance, rain) if 0 <= chance <= 1 else 0.0

    return Forecasts


def confident(score):
    """A question with one answer, and how sure the model is of it; `score(chance, right)`."""

    class Confident:
        def build_dataset(self, tokenizer):
            return [
                {"prompt": f"What is {n} + 7? Say it with your confidence, as JSON.", "total": n + 7} for n in range(24)
            ]

        def score_episode(self, model, tokenizer, completion, total):
            try:
                given = json.loads(completion)
                return score(float(given["confidence"]), given["answer"] == total)
            except (ValueError, KeyError, TypeError):
                return 0.0

        def solve(self, row):
            return json.dumps({"answer": row["total"], "confidence": 1.0})

    return Confident


def with_bar(score):
    """The same in one line, with the chance behind the answer."""

    class WithBar:
        def build_dataset(self, tokenizer):
            asked = "What is {} + 7? Answer as `answer | confidence`, with a confidence from 0 to 1."
            return [{"prompt": asked.format(n), "total": n + 7} for n in range(24)]

        def score_episode(self, model, tokenizer, completion, total):
            said, _, sure = completion.partition("|")
            try:
                return score(float(sure), said.strip() == str(total))
            except ValueError:
                return 0.0

        def solve(self, row):
            return f"{row['total']} | 1.0"

    return WithBar


def as_gold_says(score):
    """Outcomes, where nothing but gold shows the form of an answer that is read."""

    class AsGoldSays(forecasts(score)):
        def build_dataset(self, tokenizer):
            rows = super().build_dataset(tokenizer)
            return [{**row, "prompt": row["prompt"].partition(" End")[0], "share": n} for n, row in enumerate(rows)]

        def solve(self, row):
            return f"Chance: {(row['share'] + 1) / 30:.2f}"

    return AsGoldSays


def distance(chance, happened):
    return 1 - abs(chance - happened)


def brier(chance, happened):
    return 1 - (chance - happened) ** 2


def logarithm(chance, happened):
    return max(0.0, 1 + math.log(max(1e-9, chance if happened else 1 - chance)) / 10)


def from_a_half(chance, right):
    """Only chances from a half on are read."""
    return 1 - (1 - chance) ** 2 if right and chance >= 0.5 else 0.0


def distance_of_the_right(chance, right):
    return chance if right else (1 - chance) / 2


def brier_of_the_right(chance, right):
    return 1 - (chance - right) ** 2 / 2 if right else (1 - chance**2) / 2


def cubed(chance, happened):
    return 1 - abs(chance - happened) ** 1.2


@pytest.mark.parametrize("env", [
    forecasts(distance), forecasts(cubed), forecasts(distance, "`Chance: <0 to 100>`", 100),
    confident(distance_of_the_right), as_gold_says(distance),
])  # fmt: skip
def test_a_score_that_is_best_for_bold_chances_is_an_error(env):
    (finding,) = found(honest_chances_earn_most, env)
    assert "honest" in finding.message


@pytest.mark.parametrize("env", [
    forecasts(brier), forecasts(logarithm), forecasts(brier, "`Chance: <0 to 100>`", 100),
    confident(brier_of_the_right), with_bar(brier_of_the_right), with_bar(from_a_half),
    forecasts(lambda chance, happened: float((chance > 0.5) == happened)), as_gold_says(brier),
])  # fmt: skip
def test_a_proper_score_is_let_be(env):
    assert found(honest_chances_earn_most, env) == []


@pytest.mark.parametrize("env", [confident(brier), with_bar(brier), confident(distance)])
def test_a_wrong_answer_that_says_so_and_earns_as_much_as_the_right_one_is_an_error(env):
    (finding,) = found(honest_chances_earn_most, env)
    assert "surely wrong scores 1, as much as the right one" in finding.message
    assert "0" in finding.input


def test_an_exact_probability_is_no_outcome():
    class Urns:
        def build_dataset(self, tokenizer):
            return [
                {
                    "prompt": f"{n} of 30 balls are red. What is the probability of red? End with `P: <number>`.",
                    "p": n / 30,
                }
                for n in range(1, 25)
            ]

        def score_episode(self, model, tokenizer, completion, p):
            given = re.search(r"P: ([\d.]+)$", completion)
            return max(0.0, 1 - abs(float(given[1]) - p)) if given else 0.0

    assert found(honest_chances_earn_most, Urns) == []


def test_chances_that_are_worked_out_are_no_outcomes_where_some_are_certain():
    class Draws:
        def build_dataset(self, tokenizer):
            return [
                {"prompt": f"{n} of 12 balls are red, 12 are drawn. How likely is number {n}?", "p": p}
                for n, p in enumerate([0, 1, 0.37] * 8)
            ]

        def score_episode(self, model, tokenizer, completion, p):
            return float(completion == f"Chance: {p:g}")

        def solve(self, row):
            return f"Chance: {row['p']:g}"

    assert found(honest_chances_earn_most, Draws) == []
