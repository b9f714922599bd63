"""A weight that moves in training."""

import json

import pytest

from grpo_env_sdk import SingleTurnEnv, evaluate
from grpo_env_sdk.checking.evidence.author_code.score_code import score_functions
from grpo_env_sdk.errors import ConfigError
from grpo_env_sdk.rewards import AdaptiveWeight, Rubric, exact_match, length


def adaptive(**options):
    return AdaptiveWeight(exact_match(weight=2), **options)


def moved(weight, *means):
    for mean in means:
        weight.observe(mean)
    return weight.weight


def test_it_rises_while_the_model_struggles():
    assert moved(adaptive(), 0.1) == pytest.approx(2.4)
    assert moved(adaptive(), 0.1, 0.2) == pytest.approx(2.88)


def test_it_falls_as_the_model_succeeds():
    assert moved(adaptive(), 0.9) == pytest.approx(1.8)


@pytest.mark.parametrize("mean", [0.3, 0.5, 0.8])
def test_it_stands_still_between(mean):
    assert moved(adaptive(), mean) == 2.0


def test_it_stays_within_its_bounds():
    assert moved(adaptive(), *[0.0] * 100) == pytest.approx(20.0)
    assert moved(adaptive(), *[1.0] * 100) == pytest.approx(0.2)
    assert moved(adaptive(bounds=(0.5, 2.0)), *[0.0] * 100) == pytest.approx(4.0)


def test_it_is_deterministic():
    means = [0.1, 0.9, 0.5, 0.95, 0.2]
    assert moved(adaptive(), *means) == moved(adaptive(), *means)


def test_its_state_is_plain_data_that_can_be_restored():
    old = adaptive()
    moved(old, 0.1, 0.1, 0.9)
    new = adaptive()
    new.restore(json.loads(json.dumps(old.state())))
    assert moved(new, 0.1) == moved(old, 0.1)


def test_its_first_weight_is_the_one_it_was_made_with():
    weight = adaptive()
    moved(weight, 0.1)
    assert (weight.first_weight, weight.name, weight.range) == (2.0, "exact_match", (0.0, 1.0))


def test_elsewhere_than_in_training_the_first_weight_counts():
    weight = AdaptiveWeight(exact_match())
    moved(weight, *[0.0] * 100)
    rubric = Rubric([weight, length(longest=1)])
    assert rubric.combine([1.0, 0.0]).value == 0.5
    assert rubric.combine([1.0, 0.0], training=True).value == pytest.approx(10 / 11)


def test_a_function_can_be_weighed_too():
    def right(completion, answer):
        return completion == answer

    weight = AdaptiveWeight(right)
    weight.check(["answer"])
    assert weight.call({"completion": "a", "answer": "a"}) is True


@pytest.mark.parametrize(
    "options",
    [
        {"low": 0.8, "high": 0.3},
        {"low": 0.5, "high": 0.5},
        {"up": 0.9},
        {"down": 1.1},
        {"down": -1.0},
        {"bounds": (2.0, 3.0)},
        {"bounds": (0.0, 3.0)},
    ],
)
def test_what_could_not_move_is_refused(options):
    with pytest.raises(
        ConfigError, match=r"AdaptiveWeight cannot work with low=.*\. It needs low < high, 0 < down <= 1"
    ):
        adaptive(**options)


def test_it_is_listed_as_any_other_reward():
    class Own(SingleTurnEnv):
        rewards = (AdaptiveWeight(exact_match()),)

        def build_dataset(self, tokenizer):
            return [{"prompt": "hi", "answer": "hi"}]

    assert evaluate(Own, "echo", split="all").summary["reward"]["mean"] == 1.0


def test_checks_read_the_code_of_a_reward_whose_weight_moves():
    def half(completion):
        return len(completion) / 2

    class Env:
        def __init__(self):
            self.rewards = [AdaptiveWeight(half)]

    assert [one.function for one in score_functions(Env())] == [half]
