"""One line at the end of a training, where one thing took most of its time."""

from dataclasses import replace

import pytest
from test_recording import batch

from grpo_env_trl.training.time_spent import TimeSpent

LONG = {"step_time": 100.0, "time/environment": 5.0, "time/model": 30.0, "time/ranks": 1.0}


def advice(**changed):
    spent = TimeSpent()
    for step, seconds in enumerate((3.0, 41.26, 2.0)):
        seen = batch(step)
        timings = {"policy": 1.0, "tools": seconds - 1, "score": 0.0}
        seen.episodes[1] = replace(seen.episodes[1], timings=timings)
        spent.seen(seen)
    return spent.advice([LONG | {name.replace("_", "/"): value for name, value in changed.items()}, {"eval_loss": 1.0}])


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"time_environment": 62.0}, ["62%", "tools", "--per-device-train-batch-size"]),
        ({"time_model": 80.0}, ["80%", "--max-turn-tokens", "--use-vllm"]),
        (
            {"time_model": 80.0, "sampler_rows": 3.2},
            ["80%", "3 requests at once", "--per-device-train-batch-size"],
        ),
        ({"time_ranks": 55.0}, ["55%", "other processes", "--limit-call"]),
    ],
)
def test_what_took_most_of_the_time_is_named_with_what_to_change_and_the_slowest_episode(changed, told):
    line = advice(**changed)
    assert all(part in line for part in [*told, "sums-v1, row 1: 41.3 seconds (policy 1.0, tools 40.3)"])
    assert "\n" not in line


def test_where_nothing_dominates_or_all_was_quick_there_is_no_advice():
    assert advice() is None
    assert TimeSpent().advice([{"step_time": 1.0, "time/model": 0.9}]) is None
    assert TimeSpent().advice([]) is None
