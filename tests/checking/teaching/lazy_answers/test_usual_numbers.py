"""Constants that earn most of gold where answers are numbers."""

import random

import pytest

from grpo_env_sdk.checking.evidence.attempts.usual_numbers import number_runs, usual_numbers, usual_numbers_of_columns
from grpo_env_sdk.checking.teaching.lazy_answers.guessing import no_fixed_answer_is_gold as guessed
from tests.checking.trying import found


def test_each_number_has_what_is_usual_in_its_place():
    texts = ["(3.50, 20 km)", "(4.00, 30 km)", "(5.10, 70 km)", "unknown"]
    answers = dict(usual_numbers(texts))
    assert answers["the mean in the place of each number"] == "(4.20, 40 km)"
    assert answers["the median in the place of each number"] == "(4.00, 30 km)"
    assert len(answers) == 2  # nothing is frequent
    assert dict(usual_numbers(["7", "7", "9", "40"]))["the most frequent one in the place of each number"] == "7"
    assert list(usual_numbers(["a 1", "b 2", "c 3", "d 4"])) == []


def test_columns_are_written_as_texts_show_it():
    rows = [{"prompt": "", "id": n, "warm": 10.5 + n, "wet": [n, 2 * n]} for n in range(4)]
    (shown,) = number_runs([f"Day {n}, such as [1.5; 2; 3]." for n in range(3)])
    answers = [text for _, text in usual_numbers_of_columns(rows, {"id", "warm", "wet"}, [shown])]
    assert answers == ["12.0, 2, 3", "12.0, 2, 3", "[12.0; 2; 3]", "[12.0; 2; 3]"]
    assert list(usual_numbers_of_columns(rows, {"id"}, [shown])) == []


def gauges(scale: float, solvable: bool) -> type:
    """The height and flow of a river, scored by how near they are in relation to a scale."""

    class Gauges:
        def build_dataset(self, tokenizer):
            rng = random.Random(3)
            text = "Height and flow at gauge {}? Two numbers with a slash, such as 120 / 14.5. The nearer the better."
            drawn = ((rng.randint(100, 300), round(rng.uniform(5, 60), 1)) for _ in range(40))
            return [{"prompt": text.format(n), "height": a, "flow": b} for n, (a, b) in enumerate(drawn)]

        def score_episode(self, model, tokenizer, completion, height, flow):
            try:
                high, much = map(float, completion.split(" / "))
            except ValueError:
                return 0.0
            return max(0.0, 1 - abs(high - height) / scale - abs(much - flow) / scale)

        if solvable:

            def solve(self, row):
                return f"{row['height']} / {row['flow']}"

    return Gauges


@pytest.mark.parametrize("solvable", [True, False])
def test_a_constant_that_earns_nearly_all_of_gold_is_found(solvable):
    (finding,) = [item for item in found(guessed, gauges(2_000.0, solvable)) if hasattr(item, "severity")]
    assert "in the place of each number" in finding.message
    assert finding.severity == "error"
    assert [item for item in found(guessed, gauges(80.0, solvable)) if hasattr(item, "severity")] == []
