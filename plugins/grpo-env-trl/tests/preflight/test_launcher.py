import os
import subprocess
import sys
from pathlib import Path

import pytest

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
    assert "each would train on its own: there is no GPU for them." in mismatch(2, 1, True, False).message


@pytest.mark.slow
@pytest.mark.parametrize(("launcher", "told"), [
    (["accelerate", "launch", "--cpu", "--num_processes", "2", "-m"], "2 processes were requested, but the launcher"),
    (["torchrun", "--standalone", "--nproc_per_node", "2", "-m"], "each would train on its own"),
])  # fmt: skip
def test_real_launchers_that_start_less_than_they_were_told_are_refused(launcher, told, models, tmp_path):
    words = ["grpo_env_sdk", "train", "hotel-v1", "--model", models("qwen3"), "--rows", "20", "--dry-run"]
    command = [str(Path(sys.executable).parent / launcher[0]), *launcher[1:], *words]
    environ = os.environ | {"OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=environ, timeout=300)
    assert done.returncode != 0
    assert told in done.stderr
    assert "Training " not in done.stderr
