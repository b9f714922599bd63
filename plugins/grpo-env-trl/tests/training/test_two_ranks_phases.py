"""A process of two that dies, or is asked to end, in any phase of a training: a clear end and a whole checkpoint."""

import signal
from pathlib import Path

import pytest
from test_interrupting import wait_for
from test_two_ranks_end import LAST, begin, ended, resumes

from grpo_env_trl.runs.run_folder import RunFolder

pytestmark = pytest.mark.slow
CONTINUES = "grpo-env train --resume run --num-processes 2"


def lines(told):
    """What the command itself said."""
    return [line for line in told.splitlines() if line.startswith("grpo-env: ")]


def test_killed_before_there_is_a_run_it_leaves_none(models, workplace):
    process = begin(models, how="killed early")
    told = ended(process)
    assert process.returncode == 2
    (line,) = lines(told)
    assert "Process 1 of 2 was ended by SIGKILL" in line
    assert line.endswith("No run was written by then.")
    assert "Traceback" not in told
    assert not Path("run").exists()


@pytest.mark.parametrize("rank", [0, 1])
def test_killed_while_it_saves_it_leaves_the_last_whole_checkpoint(rank, models, workplace):
    process = begin(models, how="killed saving", rank=rank, when=str(LAST), after=0)
    told = ended(process)
    assert process.returncode == 2
    (line,) = lines(told)
    assert f"Process {rank} of 2 was ended by SIGKILL" in line
    assert line.endswith(CONTINUES)
    assert "Traceback" not in told
    step = max(RunFolder(Path("run")).checkpoints())
    assert f"Continue after step {step}" in line
    steps, every = resumes()
    assert steps == every


@pytest.mark.parametrize(("when", "steps"), [("run/heldout/before", 0), ("run/model/config.json", 2)])
def test_killed_while_held_out_rows_are_measured_it_can_be_resumed(when, steps, models, workplace):
    process = begin(models, when=when, after=0, eval_rows=8, max_steps=2)
    told = ended(process)
    assert process.returncode == 2
    (line,) = lines(told)
    assert "Process 1 of 2 was ended by SIGKILL" in line
    assert ("Continue after step 2" if steps else "There is no checkpoint yet; begin again") in line
    assert line.endswith(CONTINUES)
    assert "Traceback" not in told
    assert max(RunFolder(Path("run")).checkpoints(), default=0) == steps


def test_sigterm_twice_saves_as_once_does(models, workplace):
    process = begin(models, how="never", after=10**6)
    wait_for(LAST, process)
    process.send_signal(signal.SIGTERM)
    process.send_signal(signal.SIGTERM)
    told = ended(process)
    assert process.returncode == 130
    assert told.count(CONTINUES) == 1
    assert "Traceback" not in told


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_asked_to_end_while_the_preflight_plays_it_ends_at_once(number, models, workplace):
    process = begin(models, "--limit-call", "600", how="hangs", rank=-1, after=0)
    for file in ("here", "pid-0", "pid-1"):  # one that is late imports, or builds its rows
        wait_for(Path(file), process)
    process.send_signal(number)
    told = ended(process)
    assert process.returncode == 130
    assert "Traceback" not in told
    assert not Path("run").exists()


@pytest.mark.parametrize("rank", [0, 1])
def test_a_disk_that_is_full_for_one_process_is_one_line_and_leaves_a_whole_checkpoint(rank, models, workplace):
    process = begin(models, how="full disk", rank=rank, when=str(LAST), after=0)
    told = ended(process)
    assert process.returncode == 2
    (line,) = lines(told)
    assert "cannot be written" in line
    assert "grpo-env train --resume run" in line
    assert "Traceback" not in told
    assert max(RunFolder(Path("run")).checkpoints()) >= 2
    steps, every = resumes()
    assert steps == every


@pytest.mark.parametrize("rank", [0, 1])
def test_a_frozen_process_is_named_once_the_others_waited_long_enough_and_the_training_goes_on(rank, models, workplace):
    process = begin(models, "--ddp-timeout", "60", how="frozen", rank=rank, when=str(LAST), after=0)
    told = ended(process)
    assert process.returncode == 2
    assert len(lines(told)) == 1, told
    (line,) = lines(told)
    assert f"Process {rank} of 2 gave no sign of life" in line
    assert "60 s (--ddp-timeout)" in line
    assert line.endswith(CONTINUES)
    assert "Traceback" not in told
    steps, every = resumes()
    assert steps == every


def test_a_process_whose_episodes_take_too_long_for_the_others_is_named(models, workplace):
    words = ("--ddp-timeout", "60", "--limit-call", "600")
    process = begin(models, *words, how="hangs", when=str(LAST), after=0)
    told = ended(process)
    assert process.returncode == 2
    (line,) = lines(told)
    assert "Process 1 of 2 kept the others waiting for more than 60 s" in line
    assert line.endswith(CONTINUES)
    assert "Traceback" not in told


@pytest.mark.parametrize(("rank", "who"), [(1, "Process 1 of 2: "), (-1, "")])
def test_what_processes_warn_of_is_shown_once_and_with_the_number_where_it_is_not_the_first(
    rank, who, models, workplace
):
    process = begin(models, how="warns", rank=rank, after=0, max_steps=3)
    told = ended(process)
    assert process.returncode == 0, told
    assert told.count("the judge is tired") == 1
    assert who + "the judge is tired" in told


def test_a_process_with_other_rows_is_refused_before_anything_is_written(models, workplace):
    process = begin(models, how="other rows")
    told = ended(process)
    assert process.returncode == 2
    (line,) = lines(told)
    assert "Process 1 has other rows of ending:Ends than process 0 (" in line
    assert "Traceback" not in told
    assert not Path("run").exists()
