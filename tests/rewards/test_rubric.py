"""Several rewards as one score."""

import decimal
import fractions
import math

import numpy
import pytest

from grpo_env_sdk import SingleTurnEnv, evaluate, make, reward
from grpo_env_sdk.errors import ContractError, ScoreError
from grpo_env_sdk.rewards import Reward, Rubric, exact_match
from grpo_env_sdk.rewards.rubric import check_score


def giving(value, weight=1.0, name="r", range=(0.0, 1.0)):
    return Reward(lambda completion: value, name, weight, range)


def score(*pairs):
    rubric = Rubric([giving(value, weight, f"r{n}") for n, (value, weight) in enumerate(pairs)])
    return rubric.combine(rubric.call({"completion": ""})).value


@pytest.mark.parametrize(
    ("pairs", "value"),
    [
        ([(0.5, 1)], 0.5),
        ([(1, 3), (0, 1)], 0.75),
        ([(1, 0.5), (1, 0.25)], 1.0),
        ([(1, 1), (1, -1)], 0.0),
        ([(1, 2), (1, -1)], 0.5),
        ([(0, 2), (1, -1)], -0.5),
        ([(1, -1), (0.5, -2)], -2.0),
        ([(1, 1), (0.5, 0)], 1.0),
        ([(0.5, 0)], 0.0),
        ([(None, 3), (0.5, 1)], 0.5),
        ([(1, 1), (None, -5)], 1.0),
        ([(None, 1), (None, 2)], None),
        ([], None),
    ],
)
def test_the_score_is_the_weighted_sum_over_the_positive_weights_that_did_not_abstain(pairs, value):
    assert score(*pairs) == value


def test_each_part_is_kept_by_name_also_those_that_abstain():
    rubric = Rubric([giving(True, name="a"), giving(None, name="b")])
    assert rubric.combine(rubric.call({"completion": ""})).parts == {"a": 1.0, "b": None}


@pytest.mark.parametrize(
    ("rewards", "range"),
    [
        ([], (0.0, 0.0)),
        ([giving(1)], (0.0, 1.0)),
        ([giving(1, 3, "a"), giving(1, 1, "b")], (0.0, 1.0)),
        ([giving(1, 2, "a"), giving(1, -1, "b")], (-0.5, 1.0)),
        ([giving(1, 1, "a", (-1.0, 0.0))], (-1.0, 0.0)),
        ([giving(1, -2, "a")], (-2.0, 0.0)),
        ([giving(1, 1e308, "a"), giving(1, 1e308, "b")], (0.0, math.inf)),
        ([giving(1, 1, "a", (-math.inf, 0.0)), giving(1, 0, "b", (0.0, math.inf))], (-math.inf, 0.0)),
    ],
)
def test_the_range_follows_from_the_weights(rewards, range):
    assert Rubric(rewards).range == range


def test_two_rewards_of_one_name_are_refused_with_the_class():
    class Twice(SingleTurnEnv):
        rewards = (exact_match(name="right"),)

        def build_dataset(self, tokenizer):
            return [{"prompt": "hi", "answer": "hi"}]

        @reward
        def right(self, completion):
            return 1.0

    with pytest.raises(ContractError, match=r"test_rubric:.*Twice has two rewards named 'right'\. Rename one"):
        evaluate(Twice)


class Sums(SingleTurnEnv):
    rewards = (exact_match(),)

    def build_dataset(self, tokenizer):
        return [{"prompt": "hi", "answer": "hi"}]


def test_rewards_given_to_make_are_added_to_the_classs_own():
    env = make("tests.rewards.test_rubric:Sums", rewards=[giving(0.0, name="extra")])
    assert [item.name for item in Rubric.of(env).rewards] == ["exact_match", "extra"]
    assert [item.name for item in Rubric.of(Sums()).rewards] == ["exact_match"]
    assert env.score_episode(None, None, "hi", answer="hi") == 0.5


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (1, 1.0),
        (0.25, 0.25),
        (True, 1.0),
        (False, 0.0),
        (numpy.float32(0.5), 0.5),
        (numpy.float64(0.5), 0.5),
        (numpy.int64(1), 1.0),
        (numpy.bool_(True), 1.0),
        (numpy.array(0.5), 0.5),
        (type("Tensor", (), {"__module__": "torch", "ndim": 0, "item": lambda self: 0.5})(), 0.5),
        (fractions.Fraction(1, 4), 0.25),
        (-3, -3.0),
        (None, None),
    ],
)
def test_numbers_bools_and_scalars_of_numpy_and_torch_are_scores(value, number):
    checked = check_score(value, "it")
    assert checked == number
    assert type(checked) is type(number)


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (math.nan, r"the reward 'r' returned nan, which is not a score\. Return a finite float, or None to abstain\."),
        (math.inf, r"the reward 'r' returned inf, which is not a score\."),
        (-math.inf, r"the reward 'r' returned -inf, which is not a score\."),
        (numpy.float32("nan"), r"the reward 'r' returned .*nan.*, which is not a score\."),
        (10**400, r"the reward 'r' returned 10{5,}\.\.\.0+, which is not a score\. Return a finite float"),
        pytest.param(10**5000, r"the reward 'r' returned <int>, which is not a score\.", id="long"),
        ("1.0", r"the reward 'r' returned '1\.0' \(str\), which is not a score\. Return a float, or None to abstain\."),
        ([1.0], r"the reward 'r' returned \[1\.0\] \(list\), which is not a score\."),
        ({}, r"the reward 'r' returned \{\} \(dict\), which is not a score\."),
        (numpy.array([0.5]), r"the reward 'r' returned array\(\[0\.5\]\) \(ndarray\), which is not a score\."),
        (numpy.str_("a"), r"the reward 'r' returned 'a' \(str\), which is not a score\."),
        (1j, r"the reward 'r' returned 1j \(complex\), which is not a score\."),
        (decimal.Decimal(1), r"the reward 'r' returned Decimal\('1'\) \(Decimal\), which is not a score\."),
    ],
)
def test_anything_else_is_refused_with_its_value(value, told):
    with pytest.raises(ScoreError, match=told):
        check_score(value, "the reward 'r'")


def test_a_long_value_is_cut():
    with pytest.raises(ScoreError) as caught:
        check_score("x" * 10_000, "it")
    assert len(str(caught.value)) < 250


@pytest.mark.parametrize("value", [math.nan, "high", [1.0]])
def test_a_bad_score_is_an_error_of_its_episode_with_the_value(value):
    class Bad(Sums):
        rewards = (giving(value),)

    summary = evaluate(Bad, "echo", split="all").summary
    assert summary["errors"] == {"environment score: ScoreError": 1}
    assert summary["reward"]["mean"] is None
