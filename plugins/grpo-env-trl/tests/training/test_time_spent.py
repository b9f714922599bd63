"""One line, while a training runs and at its end, where one thing takes most of its time."""

from dataclasses import replace
from types import SimpleNamespace

import pytest
from test_recording import batch

from grpo_env_trl.training.time_spent import TimeSpent

LONG = {"step_time": 40.0, "time/environment": 2.0, "time/model": 12.0, "time/ranks": 0.4}


def logged(steps=3, every=1, **changed):
    entry = LONG | {name.replace("time_", "time/").replace("sampler_", "sampler/"): at for name, at in changed.items()}
    return [{"step": (number + 1) * every} | entry for number in range(steps)]


def told(history, uses_vllm=False, a_generation=1, in_order=False, device="cuda"):
    """The lines of a training that logged these, one after another, and the line at its end."""
    lines, so_far = [], []
    numbers = {"steps_per_generation": a_generation, "num_iterations": 1, "gradient_accumulation_steps": 1}
    args = SimpleNamespace(use_vllm=uses_vllm, device=SimpleNamespace(type=device), **numbers)
    spent = TimeSpent(so_far, lines.append, args, in_order)
    for step, seconds in enumerate((3.0, 41.26, 2.0)):
        seen = batch(step)
        timings = {"policy": 1.0, "tools": seconds - 1, "score": 0.0}
        seen.episodes[1] = replace(seen.episodes[1], timings=timings)
        spent.seen(seen)
    for entry in history:
        so_far.append(entry)
        spent.on_log(None, None, None)
    meanwhile = list(lines)
    spent.say_at_the_end()
    return meanwhile, lines[len(meanwhile) :]


@pytest.mark.parametrize(
    ("changed", "uses_vllm", "parts"),
    [
        ({"time_environment": 25.0}, False, ["62%", "tools", "--per-device-train-batch-size"]),
        ({"time_model": 32.0}, False, ["80%", "--max-turn-tokens", "--use-vllm"]),
        ({"time_model": 32.0}, True, ["80%", "--max-turn-tokens", "more GPUs"]),
        ({"time_model": 32.0, "sampler_rows": 3.2}, False, ["3 requests at once", "--per-device-train-batch-size"]),
        ({"time_ranks": 22.0}, False, ["55%", "other processes", "--limit-call"]),
    ],
)
def test_what_takes_most_of_the_time_is_named_with_what_to_change_and_the_slowest_episode(changed, uses_vllm, parts):
    (meanwhile,), (end,) = told([*logged(**changed), {"step": 3, "eval_loss": 1.0}], uses_vllm)
    for line in (meanwhile, end):
        assert all(part in line for part in [*parts, "sums-v1, row 1: 41.3 seconds (policy 1.0, tools 40.3)"])
        assert "\n" not in line
    assert (" goes into " in meanwhile, " went into " in end) == (True, True)


def test_vllm_is_recommended_only_where_it_samples():
    (line,), _ = told(logged(time_model=32.0), device="cpu")
    assert "--max-turn-tokens" in line
    assert "--use-vllm" not in line


def test_scores_that_wait_for_each_other_need_no_larger_batch():
    (line,), _ = told(logged(time_environment=30.0), in_order=True)
    assert "parallel = True" in line
    assert "--per-device-train-batch-size" not in line


def test_it_is_said_once_and_again_where_something_else_takes_over():
    slow_model = logged(4, time_model=32.0)
    slow_tools = [entry | {"step": entry["step"] + 4} for entry in logged(16, time_environment=36.0, time_model=0.0)]
    meanwhile, (end,) = told(slow_model + slow_tools)
    assert ["sampling" in line for line in meanwhile] == [True, False]
    assert "environments" in end


def test_an_entry_of_several_steps_counts_as_so_many():
    quick = {"step_time": 5.0, "time_model": 4.0}
    assert told(logged(3, **quick)) == ([], [])
    assert len(told(logged(3, every=10, **quick))[0]) == 1


def test_a_batch_of_episodes_that_serves_several_steps_counts_once():
    assert told(logged(time_model=38.0, every=4), a_generation=4) == ([], [])
    assert len(told(logged(time_model=38.0 * 4, every=4), a_generation=4)[0]) == 1


def test_where_nothing_dominates_or_all_was_quick_or_few_steps_were_made_there_is_no_advice():
    for history in (logged(), logged(step_time=1.0, time_model=0.9), logged(1, step_time=99.0, time_model=98.0), []):
        assert told(history) == ([], [])
