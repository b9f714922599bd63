import math

import pytest

from grpo_env_sdk import Episode
from grpo_env_sdk.evaluation.metrics import Metrics, Prices
from grpo_env_sdk.evaluation.result import rows_of_passes
from grpo_env_sdk.types import Fault


def episode(row, sample, reward, **more):
    stop = "terminated" if "error" not in more else "env_error"
    return Episode(**{
        "env": "toy-v1", "row": {"prompt": "p", "level": "easy" if row < 2 else "hard"}, "seed": 1, "row_index": row,
        "sample": sample, "messages": [{"role": "user", "content": "p"}, {"role": "assistant", "content": "four"}],
        "opening": 1, "stop_reason": stop, "reward": reward, "turns": 2,
        "timings": {"policy": 0.5, "tools": 0.0, "environment": 0.0, "score": 0.0}, **more,
    })  # fmt: skip


def tallied(*episodes, **options):
    tally = Metrics(**options)
    for each in episodes:
        tally.add(each)
    return tally.summary()


def test_means_are_over_scored_episodes_and_failures_are_counted_by_cause():
    fault = Fault("environment", "step", "KeyError", "x")
    found = tallied(episode(0, 0, 1.0), episode(1, 0, 0.5), episode(2, 0, None, error=fault))
    assert found["reward"]["mean"] == 0.75
    assert (found["episodes"], found["scored"], found["rows"], found["scored_rows"]) == (3, 2, 3, 2)
    assert found["errors"] == {"environment step: KeyError": 1}
    assert found["stop_reasons"] == {"terminated": 2, "env_error": 1}


def test_the_example_of_a_cause_has_the_end_of_a_long_message_which_says_why():
    fault = Fault("policy", "generate", "RuntimeError", f"Task <{'x' * 900}> is attached to a different loop")
    [example] = tallied(episode(0, 0, None, error=fault))["error_examples"].values()
    assert example.startswith("row 0: Task <x")
    assert example.endswith("attached to a different loop")
    assert len(example) < 300


def test_a_missing_verdict_does_not_become_zero():
    assert tallied(episode(0, 0, None))["reward"]["mean"] is None


def test_a_named_reward_that_abstains_is_counted():
    parts = ({"facts": None, "form": 1.0}, {"facts": None, "form": 0.5}, {"facts": 1.0, "form": 1.0})
    found = tallied(*(episode(row, 0, 1.0, rewards=rewards) for row, rewards in enumerate(parts)))
    assert found["abstained"] == {"facts": {"episodes": 2, "of": 3}, "form": {"episodes": 0, "of": 3}}
    assert found["rewards"]["facts"]["mean"] == 1.0
    assert tallied(episode(0, 0, None))["abstained"] == {}


def test_passes_are_the_top_of_the_range_or_what_was_asked_for():
    episodes = [episode(0, 0, 1.0), episode(0, 1, 0.6), episode(1, 0, 0.6), episode(1, 1, 0.0)]
    assert tallied(*episodes)["pass_at_k"] == {"1": 0.25, "2": 0.5}
    assert tallied(*episodes, pass_at=0.5)["pass_at_k"] == {"1": 0.75, "2": 1.0}
    assert tallied(*episodes, pass_at=0.5)["pass_all_k"]["2"] == 0.5
    assert tallied(*episodes, reward_range=(0.0, 2.0))["pass_at_k"]["1"] == 0.0


def test_a_lost_sample_takes_its_row_alone_out_of_the_pass_rates_that_need_it():
    episodes = [episode(row, sample, 1.0) for row in range(3) for sample in range(4)]
    found = tallied(*episodes[:-1], episode(2, 3, None))
    assert found["pass_rows"] == {"1": 3, "2": 3, "4": 2}
    assert found["pass_at_k"] == found["pass_all_k"] == {"1": 1.0, "2": 1.0, "4": 1.0}
    few = rows_of_passes(found)
    assert few == {"1": "", "2": "", "4": " over 2 of 3 rows"}


def test_a_metric_counts_each_row_once():
    values = {(0, 0): 1.0, (0, 1): 1.0, (0, 2): 1.0, (1, 0): 0.0}
    found = tallied(*(episode(*where, 1.0, metrics={"near": value}) for where, value in values.items()))
    assert found["metrics"] == {"near": 0.5}
    endless = tallied(episode(0, 0, 1.0, metrics={"near": math.inf}), episode(1, 0, 1.0, metrics={"near": -math.inf}))
    assert math.isnan(endless["metrics"]["near"])


def test_without_a_highest_reward_nothing_is_a_pass_unless_it_is_said_what_is():
    episodes = [episode(0, 0, 5.0), episode(1, 0, 1.0)]
    assert tallied(*episodes, reward_range=(0.0, math.inf))["pass_at_k"] == {}
    assert tallied(*episodes, reward_range=(0.0, math.inf), pass_at=3.0)["pass_at_k"] == {"1": 0.5}
    assert tallied(*episodes, reward_range=(-math.inf, 5.0))["pass_at_k"] == {"1": 0.5}


def test_a_large_reward_that_is_rounded_still_reaches_the_top():
    assert tallied(episode(0, 0, 3e9 - 1e-6), reward_range=(0.0, 3e9))["pass_at_k"] == {"1": 1.0}


def test_groups_without_spread_are_a_share_of_groups_of_two_or_more():
    found = tallied(episode(0, 0, 1.0), episode(0, 1, 1.0), episode(1, 0, 1.0), episode(1, 1, 0.0), episode(2, 0, 1.0))
    assert found["zero_spread_share"] == 0.5
    assert tallied(episode(0, 0, 1.0))["zero_spread_share"] is None


def test_parts_groups_costs_metrics_and_calls_are_told():
    calls = [{"error": None}, {"error": "unknown_tool"}]
    usage = {"prompt_tokens": 1000, "completion_tokens": 500}
    found = tallied(
        episode(0, 0, 1.0, rewards={"a": 1.0, "b": None}, tool_calls=calls, usage=usage, metrics={"near": 2.0}),
        episode(2, 0, 0.0, rewards={"a": 0.0, "b": 0.5}),
        by="level", prices=Prices(1.0, 2.0),
    )  # fmt: skip
    assert {name: part["mean"] for name, part in found["rewards"].items()} == {"a": 0.5, "b": 0.5}
    groups = found["by"]["groups"].items()
    assert {name: (group["mean"], group["n"]) for name, group in groups} == {"easy": (1.0, 1), "hard": (0.0, 1)}
    assert found["tool_calls"] == {"mean": 1.0, "failed_share": 0.5}
    assert found["cost"] == pytest.approx(0.002)
    assert found["metrics"] == {"near": 2.0}
    assert (found["turns"], found["characters"], found["seconds"]["p50"]) == (2.0, 4.0, 0.5)


def test_rewards_outside_the_declared_range_are_counted():
    assert tallied(episode(0, 0, 1.5), episode(1, 0, 1.0))["out_of_range"] == 1


def test_the_interval_of_a_part_and_of_a_group_ends_where_its_range_does():
    rewards = [1.0, 1.0, 1.0, 0.0]
    found = tallied(
        *(episode(row, 0, reward, rewards={"a": reward, "b": 5 * reward, "c": reward}) for row, reward in
          enumerate(rewards)),
        by="level", part_ranges={"a": (0.0, 1.0), "b": (0.0, 5.0)},
    )  # fmt: skip
    assert found["rewards"]["a"]["high"] == 1.0
    assert found["rewards"]["b"]["high"] == 5.0
    assert found["rewards"]["c"]["high"] > 1.0  # nothing is known of its range
    assert found["by"]["groups"]["hard"]["high"] == 1.0
    assert found["by"]["groups"]["hard"]["low"] == 0.0


def test_a_part_that_leaves_its_range_keeps_its_interval():
    found = tallied(*(episode(row, 0, 1.0, rewards={"a": 3.0 * row}) for row in range(4)), part_ranges={"a": (0, 1)})
    assert found["rewards"]["a"]["high"] > 4.5
