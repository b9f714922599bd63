"""Whether a nearer number earns more, where prompts promise that."""

import math

import pytest

from grpo_env_sdk import SingleTurnEnv, answer_text
from grpo_env_sdk.checking.teaching.wrong_answers.nearness import nearer_numbers_earn_more
from tests.checking.trying import found

PROMISE = "How far is it to town {}, in km? The nearer your number, the higher the reward."


def towns(score, asked=PROMISE, first=120):
    class Towns(SingleTurnEnv):
        def build_dataset(self, tokenizer):
            return [{"prompt": asked.format(n), "km": first + 13 * n * n} for n in range(12)]

        def score_episode(self, model, tokenizer, completion, km):
            try:
                return score(answer_text(completion).strip(), km)
            except ValueError:
                return 0.0

        def solve(self, row):
            return str(row["km"])

    return Towns


def alike(said, km):
    return sum(one == other for one, other in zip(said, str(km), strict=False)) / max(len(said), 4)


@pytest.mark.parametrize("score", [
    alike,
    lambda said, km: 1.0 if float(said) == km else 0.3,
    lambda said, km: 1.0 if float(said) == km else min(1.0, abs(float(said) - km) / 10_000),
])  # fmt: skip
def test_a_number_far_off_that_earns_as_much_is_found(score):
    (finding,) = found(nearer_numbers_earn_more, towns(score, first=1_000))
    assert "the prompt promises more for nearer ones" in finding.message
    assert finding.severity == "error"


@pytest.mark.parametrize("score", [
    lambda said, km: max(0.0, 1 - abs(float(said) - km) / km),
    lambda said, km: math.exp(-abs(float(said) - km)),
    lambda said, km: max(0.0, 1 - abs(math.log(float(said) / km))) if float(said) > 0 else 0.0,
    lambda said, km: float(abs(float(said) - km) <= 5),
    lambda said, km: float(float(said) == km),
])  # fmt: skip
def test_a_number_that_counts_by_its_distance_is_let_alone(score):
    assert list(found(nearer_numbers_earn_more, towns(score))) == []


def test_likeness_that_nobody_calls_nearness_is_let_alone():
    asked = "What is the number of account {}? Each right digit counts."
    assert list(found(nearer_numbers_earn_more, towns(alike, asked, first=1_000))) == []
