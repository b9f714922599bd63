import os
import subprocess
import sys
from pathlib import Path

import pytest

from grpo_env_trl.launching.starting import gpu_count
from grpo_env_trl.preflight.launcher import mismatch, requested_processes


@pytest.mark.parametrize(("environ", "parent", "told"), [
    ({}, ["bash"], 1),
    ({"WORLD_SIZE": "4"}, ["torchrun"], 4),
    ({}, ["python", "accelerate", "launch", "--cpu", "--num_processes", "2", "train.py"], 2),
    ({}, ["python", "accelerate", "launch", "--num-processes=3", "train.py"], 3),
    ({}, ["python", "accelerate", "launch", "train.py"], 1),
    ({}, ["make", "--num_processes", "2"], 1),
])  # fmt: skip
def test_how_many_processes_were_asked_for_is_read_from_the_launcher(environ, parent, told):
    assert requested_processes(environ, parent) == told


def test_a_launcher_that_started_one_process_only_is_named_with_the_command_that_works():
    assert str(mismatch(2, 1, separate=False, use_cpu=True)) == (
        "2 processes were requested, but the launcher started 1. This starts them: grpo-env train ... --num-processes 2"
    )
    alone = mismatch(2, 1, separate=True, use_cpu=False)
    assert "each would train on its own: there is no GPU for them." in alone.message
    assert "--use-cpu" in alone.hint


def started_by(launcher, model, folder):
    """A dry run that a real launcher started."""
    words = ["grpo_env_sdk", "train", "hotel-v1", "--model", model, "--rows", "20", "--dry-run"]
    command = [str(Path(sys.executable).parent / launcher[0]), *launcher[1:], *words]
    environ = os.environ | {"OMP_NUM_THREADS": "1"}
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environ, timeout=300)


@pytest.mark.slow
def test_a_launcher_that_starts_less_than_it_was_told_is_refused(models, tmp_path):
    done = started_by(["accelerate", "launch", "--cpu", "--num_processes", "2", "-m"], models("qwen3"), tmp_path)
    assert done.returncode != 0
    assert "2 processes were requested, but the launcher" in done.stderr
    assert "Training " not in done.stderr


@pytest.mark.slow
@pytest.mark.skipif(gpu_count() > 0, reason="it trains on the GPUs")
def test_torchrun_without_a_gpu_trains_on_the_cpu(models, tmp_path):
    done = started_by(["torchrun", "--standalone", "--nproc_per_node", "2", "-m"], models("qwen3"), tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("the processes train together on the CPU") == 1
    assert done.stderr.count("Training ") == 1
