"""Two processes that share one model, by FSDP or ZeRO-3: held-out rows are measured there too, in rounds of both."""

import json
import signal
from importlib.util import find_spec
from pathlib import Path

import pytest
from quick import flags, quick_run
from test_interrupting import wait_for
from test_two_ranks import TORCHRUN, TWO, start
from test_two_ranks_end import LAST

from grpo_env_sdk.runs.reading import open_run
from grpo_env_trl.runs.run_folder import RunFolder

pytestmark = pytest.mark.slow
NO_DEEPSPEED = pytest.mark.skipif(find_spec("deepspeed") is None, reason="DeepSpeed is not installed")
ONE_ROW = ("fsdp2", 1)
"""Fewer rows than processes: one takes part for the other all the time."""
SHARING = [pytest.param("fsdp2"), *(pytest.param(kind, marks=NO_DEEPSPEED) for kind in ("zero2", "zero3"))]


def sharing(kind):
    """The words that start two processes which share one model on this CPU."""
    return [*TORCHRUN, str(Path(__file__).with_name("sharded_on_cpu.py")), kind]


def trained(kind, *words, **changes):
    """What the training printed, and its summary."""
    process = start(*words, *flags(**TWO | {"bf16": False} | changes), launcher=sharing(kind))
    told = process.communicate(timeout=900)[1]
    assert process.returncode == 0, told
    return told, open_run("run").summary()


@pytest.mark.parametrize(
    ("kind", "rows"), [ONE_ROW, *(pytest.param(*kind.values, 5, marks=kind.marks) for kind in SHARING)]
)
def test_the_held_out_rows_give_what_one_process_measures(kind, rows, models, workplace):
    sizes = {"eval_rows": rows, "max_steps": 1}
    told, summary = trained(kind, "lessons:Spell", "--model", models(), **sizes)
    assert told.count(f"held-out rows before, greedy {rows}/{rows}") == 1
    alone = quick_run("lessons:Spell", models(), "alone", **sizes)
    assert summary["heldout"]["before"] == alone.heldout["before"]
    assert summary["heldout"]["after"]["greedy"] is not None
    for name in ("before", "before-greedy"):
        first, second = (list(open_run(f"{run}/heldout/{name}").episodes()) for run in ("run", "alone"))
        said = {one.row_index: one.messages for one in first}
        assert len(said) == rows
        assert said == {one.row_index: one.messages for one in second}


@pytest.mark.parametrize("kind", SHARING)
def test_a_checkpoint_that_processes_wrote_in_parts_is_resumed(kind, models, workplace):
    sizes = {"bf16": False, "max_steps": 60, "save_strategy": "steps", "save_steps": 1, "eval_rows": 0}
    process = start("lessons:Spell", "--model", models(), *flags(**TWO | sizes), launcher=sharing(kind))
    wait_for(LAST, process)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=900)
    step = max(RunFolder(Path("run")).checkpoints())
    process = start("--resume", "run", "--max-steps", str(step + 1), launcher=sharing(kind))
    told = process.communicate(timeout=900)[1]
    assert process.returncode == 0, told
    assert f"step {step}/{step + 1}" in told
    assert [entry["step"] for entry in RunFolder(Path("run")).logged()] == [*range(1, step + 2)]


@pytest.mark.parametrize("how", ["hangs", "fails"])
def test_held_out_episodes_that_go_wrong_in_one_process_fail_there_alone(how, models, workplace):
    config = json.dumps({"how": how, "rank": 1, "after": 8})  # after the random episodes, which are to succeed
    words = ["ending:Ends", "--model", models(), "--env-config", config, "--limit-call", "1"]
    _, summary = trained("fsdp2", *words, max_steps=1, eval_rows=4)
    for name in ("before", "after-greedy"):
        errors = [episode.error for episode in open_run(f"run/heldout/{name}").episodes()]
        assert [error is None for error in errors] == [True, False, True, False]
    assert summary["heldout"]["after"]["mean"] is not None


def test_a_scorer_that_asks_the_model_fails_where_processes_share_it_and_waits_for_nobody(models, workplace):
    told, summary = trained("fsdp2", "lessons:Judge", "--model", models(), max_steps=1, eval_rows=4)
    assert "No held-out row was scored" in told
    errors = [episode.error for episode in open_run("run/heldout/before").episodes()]
    assert ["spread over processes" in error.message for error in errors] == [True] * 4
    assert summary["heldout"] is None
