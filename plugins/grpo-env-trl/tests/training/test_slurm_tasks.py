"""Two tasks of srun train together; its variables are set here, as no Slurm runs."""

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from quick import flags
from test_interrupting import wait_for
from test_two_ranks import TWO, start, weights_seen

from grpo_env_trl.runs.run_folder import RunFolder

pytestmark = pytest.mark.slow
LONG = flags(**TWO, max_steps=60, save_strategy="steps", save_steps=2)


def step_of_two(*words):
    """Both tasks of a step of Slurm, each with the output of its own."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    here = Path(__file__).parent
    machines = ["--num-machines", "2", "--main-process-ip", "127.0.0.1", "--main-process-port", str(port)]
    command = [sys.executable, "-m", "grpo_env_sdk", "train", *words, "--num-processes", "2", *machines]
    told = {"STEP_NUM_TASKS": "2", "STEP_NUM_NODES": "2", "JOB_ID": "17", "STEP_ID": "0"}
    common = {f"SLURM_{name}": value for name, value in told.items()} | {
        "PYTHONPATH": os.pathsep.join([str(here), str(here.parent), *sys.path]), "OMP_NUM_THREADS": "1",
    }  # fmt: skip
    return [
        subprocess.Popen(
            command, text=True, env=os.environ | common | {"SLURM_PROCID": str(task)},
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )
        for task in (0, 1)
    ]  # fmt: skip


def ends(tasks):
    """What each task printed on stderr."""
    return [task.communicate(timeout=900)[1] for task in tasks]


def signal_all(number, *tasks):
    """Send a signal to all processes of a job, as Slurm does."""
    for task in tasks:
        for one in [*psutil.Process(task.pid).children(recursive=True), task]:
            one.send_signal(number)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_that_each_process_of_the_job_gets_saves_and_the_next_job_goes_on(number, models, workplace):
    tasks = step_of_two("lessons:Weigh", "--model", models(), *LONG)
    wait_for(Path("run/checkpoints/checkpoint-2/grpo_env_checkpoint.json"), tasks[0])
    signal_all(number, *tasks)
    told = ends(tasks)
    assert [task.returncode for task in tasks] == [130, 130], told
    assert told[0].count("Finishing this step and saving a checkpoint") == 1
    assert "grpo-env train --resume run --num-processes 2 --num-machines 2" in told[0]
    assert "Traceback" not in "".join(told)
    step = max(RunFolder(Path("run")).checkpoints())
    tasks = step_of_two("--resume", "run", "--max-steps", str(step + 1))
    told = ends(tasks)
    assert [task.returncode for task in tasks] == [0, 0], told
    assert [entry["step"] for entry in RunFolder(Path("run")).logged()] == [*range(1, step + 2)]
    first, second = weights_seen()
    assert first == second


def test_a_second_ctrl_c_that_each_process_gets_ends_all_at_once(models, workplace):
    process = start("lessons:Weigh", "--model", models(), *LONG)
    wait_for(Path("run/checkpoints/checkpoint-2/grpo_env_checkpoint.json"), process)
    signal_all(signal.SIGINT, process)
    signal_all(signal.SIGINT, process)
    told = process.communicate(timeout=900)[1]
    assert process.returncode == 130
    assert "Traceback" not in told


def test_what_no_task_can_train_is_said_by_the_first_one(models, workplace):
    tasks = step_of_two("lessons:Weigh", "--model", models(), *flags(**TWO | {"num_generations": 1}))
    told = ends(tasks)
    assert [task.returncode for task in tasks] == [2, 2]
    assert told[0].count("grpo-env: ") == 1
    assert "num_generations is 1" in told[0]
    assert "Traceback" not in told[1]
    assert not Path("run").exists()
