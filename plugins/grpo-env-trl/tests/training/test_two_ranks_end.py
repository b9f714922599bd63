"""However a training of two processes ends, it ends soon and clearly, leaves nothing running, and can be resumed."""

import json
import signal
import time
from pathlib import Path

import pytest
from quick import flags
from test_interrupting import wait_for
from test_two_ranks import TWO, start

from grpo_env_sdk.runs.reading import open_run
from grpo_env_trl.runs.run_folder import RunFolder

pytestmark = pytest.mark.slow
LONG = TWO | {"max_steps": 40, "save_strategy": "steps", "save_steps": 1, "eval_rows": 0}
LATE = """
import os, time

if os.environ["RANK"] == "1":
    time.sleep(3600)

from ending import Ends as Late
"""
LAST = Path("run/checkpoints/checkpoint-2/grpo_env_checkpoint.json")


def begin(models, *words, how="killed", rank=1, after=16, when=".", **changes):
    config = json.dumps({"how": how, "rank": rank, "after": after, "when": when})
    return start("ending:Ends", "--model", models(), "--env-config", config, *words, *flags(**LONG | changes))


def ended(process):
    """What it printed, with nothing left running."""
    told = process.communicate(timeout=900)[1]
    for rank in (0, 1):
        assert not is_running(int(Path(f"pid-{rank}").read_text()))
    return told


def is_running(pid):
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False


def resumes(*words):
    """The steps of the run, once it was resumed for one more."""
    step = max(RunFolder(Path("run")).checkpoints())
    process = start("--resume", "run", "--max-steps", str(step + 1), *words)
    told = process.communicate(timeout=900)[1]
    assert process.returncode == 0, told
    return [entry["step"] for entry in RunFolder(Path("run")).logged()], [*range(1, step + 2)]


def test_a_killed_process_ends_the_training_and_is_named(models, workplace):
    process = begin(models)
    told = ended(process)
    assert process.returncode == 2
    assert "Traceback" not in told
    last = told.splitlines()[-1]
    assert "Process 1 of 2 was ended by SIGKILL" in last
    assert "Continue after step " in last
    assert last.endswith("grpo-env train --resume run --num-processes 2")


def test_sigterm_saves_and_ends_as_ctrl_c_does(models, workplace):
    process = begin(models, how="never", after=10**6)
    wait_for(LAST, process)
    process.send_signal(signal.SIGTERM)
    told = ended(process)
    assert process.returncode == 130
    assert told.count("grpo-env train --resume run --num-processes 2") == 1
    steps, every = resumes()
    assert steps == every


def test_a_second_ctrl_c_ends_processes_that_hang(models, workplace):
    process = begin(models, "--limit-call", "600", how="hangs")
    wait_for(Path("here"), process)
    process.send_signal(signal.SIGINT)
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    told = ended(process)
    assert process.returncode == 130
    assert "Traceback" not in told
    assert open_run("run").summary() is None


def test_an_environment_that_hangs_in_one_process_fails_there_and_the_training_goes_on(models, workplace):
    process = begin(models, "--limit-call", "1", how="hangs", max_steps=6, sample_every=1)
    told = ended(process)
    assert process.returncode == 0, told
    summary = open_run("run").summary()
    assert summary["steps"] == 6
    assert "episodes failed, all in process 1 of 2, most often with: " in told
    errors = [episode.error for episode in open_run("run").episodes()]
    assert len(errors) == 6 * 2 * TWO["per_device_train_batch_size"]  # of both processes
    assert {type(error) for error in errors} > {type(None)}


@pytest.mark.parametrize("after", [0, 16])
def test_an_environment_that_always_fails_ends_both_processes_with_the_cause(after, models, workplace):
    process = begin(models, how="fails", rank=-1, after=after)
    told = ended(process)
    assert process.returncode == 2, told
    assert told.count("the judge has gone home") >= 1
    assert told.count("grpo-env: ") == 1
    assert "Traceback" not in told


@pytest.mark.parametrize(("rank", "after"), [(1, 20), (0, 8)])  # the preflight plays 8
def test_an_environment_that_fails_for_good_in_one_process_ends_both_and_can_be_resumed(rank, after, models, workplace):
    process = begin(models, how="fails", rank=rank, after=after)
    told = ended(process)
    assert process.returncode == 2, told
    assert f"of process {rank} of 2 failed, most often with: " in told
    assert "the judge has gone home" in told
    assert told.count("grpo-env: ") == 1
    assert "Traceback" not in told
    step = max(RunFolder(Path("run")).checkpoints())
    assert f"Stopped after step {step}: " in told
    assert step < LONG["max_steps"]


@pytest.mark.parametrize("how", ["hangs", "holds the interpreter"])
def test_processes_end_with_the_command_that_started_them(how, models, workplace):
    process = begin(models, how=how)
    wait_for(Path("here"), process)
    process.kill()
    process.communicate()
    deadline = time.monotonic() + 300
    while any(is_running(int(Path(f"pid-{rank}").read_text())) for rank in (0, 1)) and time.monotonic() < deadline:
        time.sleep(0.1)
    ended(process)


def test_each_process_has_workers_of_its_own_and_one_that_dies_costs_its_episode(models, workplace):
    words = ("--env-pool", "process", "--env-workers", "1")
    process = begin(models, *words, how="killed", rank=0, after=8, max_steps=8, sample_every=1)  # the preflight plays 8
    told = process.communicate(timeout=900)[1]
    assert process.returncode == 0, told
    assert open_run("run").summary()["steps"] == 8
    assert "was killed (SIGKILL)" in json.dumps([str(episode.error) for episode in open_run("run").episodes()])
    assert not any(is_running(int(Path(f"pid-{rank}").read_text())) for rank in (0, 1))


def test_code_that_one_process_never_gets_ready_ends_both_before_anything_is_written(models, workplace):
    Path("late.py").write_text(LATE)
    words = ("--env-pool", "process", "--limit-build", "60")
    process = start("late:Late", "--model", models(), *words, *flags(**LONG))
    told = process.communicate(timeout=900)[1]
    assert process.returncode == 2, told
    assert "Process 1 of 2: late:Late: a process for its episodes was not ready within 60 s." in told
    assert told.count("grpo-env: ") == 1
    assert "Traceback" not in told
    assert not Path("run").exists()
