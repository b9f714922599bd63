"""The files of `docs/scale.md`: what they start, as the launch reads it, on machines with eight GPUs each."""

import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from grpo_env_trl.launching import accelerate_config
from grpo_env_trl.launching.accelerate_config import read_config
from grpo_env_trl.launching.plan import launch_plan
from grpo_env_trl.settings import read_settings

PAGE = Path(__file__).parents[4] / "docs" / "scale.md"
TOLD = f"""#!{sys.executable}
import json, os, sys
told = {{name: value for name, value in os.environ.items() if name.startswith("SLURM_")}}
with open("started", "a") as file:
    print(json.dumps([os.path.basename(sys.argv[0]), sys.argv[1:], told]), file=file)
"""
SRUN = f"""#!{sys.executable}
import os, re, subprocess, sys
words = sys.argv[1:]
given = {{}}
while words[0].startswith("--"):
    name, _, value = words.pop(0).partition("=")
    given[name] = value
tasks = int(given.get("--ntasks", os.environ["NODES"]))
for task in range(tasks):
    own = {{"STEP_NUM_TASKS": tasks, "PROCID": task, "STEP_NUM_NODES": tasks, "STEP_ID": 1}}
    subprocess.run(words, env=os.environ | {{f"SLURM_{{name}}": str(value) for name, value in own.items()}}, check=True)
"""
STAND_INS = {
    "grpo-env": TOLD, "vllm": TOLD, "srun": SRUN, "curl": "#!/bin/sh\n",
    "scontrol": '#!/bin/sh\nfor n in $(seq 0 "$NODES"); do echo "node$n"; done\n',
}  # fmt: skip
"""What stands in for the commands of a cluster: the two that would run write down how they were started."""


def block(title):
    """A file of the page."""
    return re.search(rf'```\w+ title="{re.escape(title)}"\n(.*?)```', PAGE.read_text(encoding="utf-8"), re.DOTALL)[1]


@pytest.fixture(autouse=True)
def deepspeed_is_there(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    look = importlib.util.find_spec
    monkeypatch.setattr(accelerate_config, "find_spec", lambda name: name == "deepspeed" or look(name))


def started(title):
    """The trainings that a file starts as a job: their settings, and what srun says to each."""
    script, commands = block(title), Path("commands")
    nodes = re.search(r"--nodes=(\d+)", script)
    commands.mkdir()
    for name, text in STAND_INS.items():
        (commands / name).write_text(text)
        (commands / name).chmod(0o755)
    environ = os.environ | {
        "PATH": f"{commands.absolute()}:{os.environ['PATH']}", "NODES": nodes[1] if nodes else "1",
        "SLURM_JOB_ID": "17", "SLURM_JOB_NODELIST": "node[0-4]",
    }  # fmt: skip
    subprocess.run(["bash", "-c", script], env=environ, check=True, timeout=60)
    lines = [json.loads(line) for line in Path("started").read_text().splitlines()]
    return [(read_settings(words[1:]), told) for name, words, told in lines if name == "grpo-env"]


def test_the_config_for_deepspeed_is_eight_processes_that_share_all():
    Path("zero3.yaml").write_text(block("zero3.yaml"))
    config = read_config("zero3.yaml")
    assert (config.kind, config.processes, config.stage) == ("DEEPSPEED", 8, 3)
    settings = read_settings(["hotel-v1", "--model", "some/model", "--accelerate-config", "zero3.yaml"])
    assert launch_plan(settings, {}, lambda: 8).processes == 8


@pytest.mark.parametrize(("title", "machines"), [("train.slurm", 2), ("train-70b.slurm", 4)])
def test_a_job_trains_one_model_on_all_of_its_machines(title, machines):
    plans = [launch_plan(settings, told, lambda: 8) for settings, told in started(title)]
    assert [plan.machine for plan in plans] == [*range(machines)]
    assert {(plan.processes, plan.machines, plan.local, plan.address) for plan in plans} == {
        (8 * machines, machines, 8, "node0")
    }


def test_a_job_with_a_server_leaves_two_gpus_to_it():
    ((settings, told),) = started("train-with-server.slurm")
    assert launch_plan(settings, told, lambda: 8).processes == 6
