import math

import pytest

from grpo_env_sdk.checking.findings.finding import Finding, Undecided
from grpo_env_trl.learning.result import LearningResult, MeanReward
from grpo_env_trl.learning.verdict import verdict


def result(before, after, gold=1.0, error=0.02, steps=40, zero_spread=0.2, sampled=None, held_out=True, **more):
    history = [
        {"reward": reward, "frac_reward_zero_std": zero_spread, "step": step}
        for step, reward in enumerate(sampled or [before] * steps)
    ]
    start, end, best = (None if mean is None else MeanReward(mean, error) for mean in (before, after, gold))
    gain = None if before is None else MeanReward(after - before, error)
    history.append({"train_loss": 0.1})
    return LearningResult(start, best, 200, held_out, end, gain, history=history, **more)


def test_a_gain_beyond_noise_and_a_quarter_of_the_way_to_gold_is_learnt():
    found = verdict(result(0.2, 0.8))
    assert isinstance(found, Finding)
    assert found.severity == "info"
    assert found.message == "Learned: Held-out reward went from 0.20 to 0.80 in 40 steps (gold 1.00)."


@pytest.mark.parametrize(
    ("run", "why", "would_help"),
    [
        (result(None, 0.5), "Too few rows or steps were scored", "100 rows"),
        (result(0.2, 0.8, steps=0, sampled=[]), "Too few rows or steps", "100 rows"),
        (result(0.95, 0.95), "the mean reward is 0.95, and that of gold 1.00: too close", "solve"),
        (result(0.5, 0.5, error=0.2), "the mean reward is 0.50, and that of gold 1.00: too close", "more rows"),
        (
            result(0.5, 0.5, gold=0.5, error=0.2),
            "the mean reward is 0.50, and that of gold 0.50: too close",
            "more rows",
        ),
        (result(1.0, 1.0, zero_spread=1.0), "the mean reward is 1.00, and that of gold 1.00: too close", "harder rows"),
        (
            result(9.3, 9.5, gold=9.9, reward_range=(0.0, 10.0)),
            "the mean reward is 9.30, and that of gold 9.90: too close",
            "solve",
        ),
        (result(0.2, 0.6, error=0.15), "with 200 rows this may be noise", "more rows"),
        (result(0.1, 0.3), "which is still far from gold (1.00)", "real model"),
        (
            result(0.0, 0.0, zero_spread=0.97),
            "in 97% of the groups all answers had the same reward",
            "partial progress",
        ),
    ],
)
def test_what_cannot_be_told_says_why_and_what_would_help(run, why, would_help):
    found = verdict(run)
    assert isinstance(found, Undecided)
    assert why in found.why
    assert would_help in found.would_help


@pytest.mark.parametrize(
    ("run", "message"),
    [
        (result(0.5, 0.5, gold=0.5, error=0.0), "Nothing to learn: all answers had the same reward, 0.50, like gold"),
        (result(0.5, 0.5, gold=0.55), "Nothing to learn: gold scores 0.55, and a model that chooses at random 0.50"),
        (result(0.5, 0.5, gold=0.45), "Nothing to learn: gold scores 0.45"),
        (result(0.7, 0.7, gold=0.0), "Upside down: gold scores 0.00, and a model that chooses at random 0.70"),
    ],
)
def test_a_reward_that_gold_does_not_raise_says_so(run, message):
    found = verdict(run)
    assert isinstance(found, Finding)
    assert found.severity is None
    assert found.message.startswith(message)


def test_gold_without_an_upper_end_of_rewards_is_not_called_no_better():
    assert isinstance(verdict(result(0.5, 0.5, gold=0.55, reward_range=(0.0, math.inf))), Undecided)


def test_a_reward_that_stays_flat_in_spite_of_a_spread_is_not_learnt():
    found = verdict(result(0.3, 0.31))
    assert found.message == (
        "Not learned: Held-out reward went from 0.30 to 0.31 in 40 steps (gold 1.00), with a spread in 80% of groups."
    )
    assert "copy and compare" in found.hint


def test_a_fall_beyond_noise_is_not_learnt_although_it_ends_without_spread():
    assert verdict(result(0.3, 0.0, zero_spread=0.9)).message.startswith("Not learned: ")
    assert isinstance(verdict(result(0.03, 0.0, zero_spread=0.9)), Undecided)


def test_what_rises_on_the_rows_trained_on_alone_is_learnt_by_heart():
    rising = [0.2 + 0.015 * step for step in range(40)]
    assert "Memorized" in verdict(result(0.2, 0.22, sampled=rising)).message
    elsewhere = verdict(result(0.2, 0.22, sampled=rising, held_out=False))
    assert isinstance(elsewhere, Undecided)
    assert elsewhere.why.startswith("The reward in training went from 0.27 to 0.72 in 40 steps, which is still far")


def test_a_worth_takes_its_error_from_the_side_of_the_interval_that_is_not_cut():
    cut = MeanReward.of({"mean": 0.95, "low": 0.754, "high": 1.0})
    assert cut.error == pytest.approx(0.1)
    assert MeanReward.of({"mean": 1.0, "low": None, "high": None}) is None


def test_a_gain_without_any_noise_is_beyond_it():
    assert MeanReward(1.0).z_score == math.inf
    assert MeanReward(-1.0).z_score == -math.inf
    assert MeanReward(0.0).z_score == 0.0
    assert MeanReward(1.0, 0.5).z_score == 2.0


def test_a_rise_in_training_is_set_against_the_noise_of_its_steps():
    run = result(0.2, 0.2, sampled=[0.1, 0.3] * 5 + [0.2] * 20 + [0.5, 0.7] * 5)
    assert run.quarters == pytest.approx((0.2, 0.6))
    assert run.rise.mean == pytest.approx(0.4)
    assert run.rise.z_score == pytest.approx(6 * math.sqrt(2))
    assert result(0.2, 0.2, steps=1).rise.z_score == 0.0
