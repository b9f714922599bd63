"""Two processes train together on a CPU: the first one writes and prints, once."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from quick import flags, quick_run
from test_interrupting import wait_for

from grpo_env_sdk import GrpoEnvError, evaluate
from grpo_env_sdk.runs.reading import open_run
from grpo_env_trl.runs.run_folder import RunFolder

TORCHRUN = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2"]
MANY = ["--num-processes", "2"]
TWO = {"per_device_train_batch_size": 2}


def start(*words, launcher=None):
    """A training of two processes, which the command itself starts, or a launcher."""
    here = Path(__file__).parent
    told = {"PYTHONPATH": os.pathsep.join([str(here), str(here.parent), *sys.path]), "OMP_NUM_THREADS": "1"}
    command = [*(launcher or [sys.executable]), "-m", "grpo_env_sdk", "train", *words, *([] if launcher else MANY)]
    return subprocess.Popen(
        command, text=True, env=os.environ | told, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def weights_seen():
    """The different weights of the model that each process saw, in training and on held-out rows."""
    return [list(dict.fromkeys(Path(f"weights-{rank}.txt").read_text().splitlines())) for rank in (0, 1)]


def test_two_processes_train_one_model_and_the_first_alone_writes_the_run(models, workplace):
    process = start("lessons:Weigh", "--model", models(), "--json", *flags(**TWO, out=None))
    out, told = process.communicate(timeout=900)
    assert process.returncode == 0, told
    (run,) = Path("runs").iterdir()
    assert len(out.splitlines()) == 1
    assert str(run) in out
    assert told.count("2 steps in ") == told.count("Open the report:") == 1
    summary = open_run(run).summary()
    assert (summary["steps"], summary["finished"]) == (2, True)
    assert [entry["step"] for entry in RunFolder(run).logged()] == [1, 2]
    assert {path.name for path in run.iterdir()} >= {"config.yaml", "heldout", "model", "report.html"}
    assert {path.name for path in run.glob("heldout/*")} == {"before", "before-greedy", "after", "after-greedy"}
    first, second = weights_seen()
    assert first == second
    assert len(first) == 3  # before the first step, after it, and at the end


@pytest.mark.slow
def test_two_processes_train_on_the_rows_that_the_first_one_chooses(models, workplace):
    evaluate("lessons:Spell", "random", split="train", samples=2, out="base")
    chosen = ("--rows-of", "base", "--pass-rate", "0,0.6", "--dry-run", "--json")
    process = start("lessons:Spell", "--model", models(), *chosen, *flags(**TWO, out=None))
    out, told = process.communicate(timeout=900)
    assert process.returncode == 0, told
    (line,) = out.splitlines()
    found = json.loads(line)
    assert found["rows_of"]["kept"] == len(found["config"]["rows"]) > 0
    assert told.count("rows have a pass rate from 0 to 0.6 in base") == told.count("base has 2 samples of a row") == 1


@pytest.mark.slow
def test_train_in_a_program_starts_two_processes_and_returns_the_run_that_they_wrote(models, workplace, monkeypatch):
    here = Path(__file__).parent
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(here), str(here.parent), *sys.path]))
    made = quick_run("lessons:Weigh", models(), "run", **TWO, num_processes=2)
    assert (made.run, made.steps, made.finished) == (Path("run"), 2, True)
    assert [entry["step"] for entry in made.metrics] == [1, 2]
    assert made.heldout == open_run("run").summary()["heldout"]
    assert {"before", "after"} <= {*made.heldout}
    first, second = weights_seen()
    assert first == second
    with pytest.raises(GrpoEnvError, match="process of the training failed"):
        quick_run("lessons:Weigh", models(), "broken", **TWO, num_processes=2, env_config={"broken_in": 1})


@pytest.mark.slow
def test_two_processes_share_the_held_out_rows_and_measure_what_one_does(models, workplace):
    process = start("lessons:Spell", "--model", models(), *flags(**TWO | {"eval_rows": 5}))
    told = process.communicate(timeout=900)[1]
    assert process.returncode == 0, told
    alone = quick_run("lessons:Spell", models(), "alone", eval_rows=5)
    together = open_run("run").summary()["heldout"]
    assert together["before"] == alone.heldout["before"]
    for name in ("before", "before-greedy"):
        first, second = (open_run(f"{run}/heldout/{name}").episodes() for run in ("run", "alone"))
        rows = {one.row_index: one.messages for one in first}
        assert len(rows) == 5
        assert rows == {one.row_index: one.messages for one in second}


@pytest.mark.slow
def test_ctrl_c_saves_one_checkpoint_and_two_processes_go_on_from_it(models, workplace):
    long = flags(**TWO, max_steps=60, save_strategy="steps", save_steps=2)
    process = start("lessons:Weigh", "--model", models(), *long)
    wait_for(Path("run/checkpoints/checkpoint-2/grpo_env_checkpoint.json"), process)
    process.send_signal(signal.SIGINT)
    told = process.communicate(timeout=900)[1]
    assert process.returncode == 130
    assert told.count("Finishing this step and saving a checkpoint") == 1
    assert told.count("grpo-env train --resume run --num-processes 2") == 1
    assert "KeyboardInterrupt" not in told
    assert open_run("run").summary() is None
    last = max(RunFolder(Path("run")).checkpoints().values(), key=lambda path: path.stat().st_mtime)
    assert {path.name for path in last.glob("rng_state_*")} == {"rng_state_0.pth", "rng_state_1.pth"}
    again = start("--resume", "run", "--max-steps", "60")
    told = again.communicate(timeout=900)[1]
    assert again.returncode == 0, told
    assert [entry["step"] for entry in RunFolder(Path("run")).logged()] == [*range(1, 61)]
    first, second = weights_seen()
    assert first == second


@pytest.mark.slow
def test_two_processes_go_on_with_the_rows_that_come_next_in_a_later_pass_over_them(models, workplace):
    many = {"num_generations": 2, "eval_rows": 0, "sample_every": 1, "rows": 4}  # two steps are a pass
    process = start("lessons:Spell", "--model", models(), *flags(**TWO | many, max_steps=3, save_strategy="steps"))
    told = process.communicate(timeout=900)[1]
    assert process.returncode == 0, told
    again = start("--resume", "run", "--max-steps", "6")
    told = again.communicate(timeout=900)[1]
    assert again.returncode == 0, told
    alone = quick_run("lessons:Spell", models(), "alone", max_steps=6, **many)
    assert rows_of_steps(Path("run")) == rows_of_steps(alone.run)


def rows_of_steps(run):
    """Which rows were trained in which step."""
    return Counter((episode.metrics["step"], episode.row_index) for episode in open_run(run).episodes())


@pytest.mark.slow
def test_what_no_process_can_train_is_said_once(models, workplace):
    process = start("lessons:Weigh", "--model", models(), *flags(**TWO | {"num_generations": 1}))
    told = process.communicate(timeout=900)[1]
    assert process.returncode == 2
    (line,) = [line for line in told.splitlines() if "grpo-env: " in line]
    assert "num_generations is 1" in line
    assert not Path("run").exists()


@pytest.mark.slow
def test_what_goes_wrong_in_the_second_process_alone_ends_both(models, workplace):
    process = start("lessons:Weigh", "--model", models(), "--env-config", '{"broken_in": 1}', *flags(**TWO))
    told = process.communicate(timeout=900)[1]
    assert process.returncode == 2
    assert told.count("Process 1 of 2: ") == 1
    assert "Traceback" not in told
    assert "not in this process" in told
    assert not Path("run").exists()


@pytest.mark.slow
def test_two_processes_build_one_demo_model(workplace):
    process = start("hotel-v1", *flags(**TWO, max_steps=1))
    told = process.communicate(timeout=900)[1]
    assert process.returncode == 0, told
    assert told.count("imitating 25/25") == 1  # an eighth, as so few steps are a trial
    assert open_run("run").summary()["steps"] == 1


@pytest.mark.slow
def test_two_launchers_that_meet_train_one_model_as_two_machines_do(models, workplace):
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    meet = ["--nnodes", "2", "--nproc_per_node", "1", "--rdzv_backend", "c10d"]
    launcher = [*TORCHRUN[:3], *meet, "--rdzv_endpoint", f"127.0.0.1:{port}"]
    words = ["lessons:Weigh", "--model", models(), *flags(**TWO, use_cpu=True)]
    both = [start(*words, launcher=launcher) for _ in range(2)]
    told = [process.communicate(timeout=900)[1] for process in both]
    assert [process.returncode for process in both] == [0, 0], told
    assert sum(text.count("Open the report:") for text in told) == 1
    assert [entry["step"] for entry in RunFolder(Path("run")).logged()] == [1, 2]
    first, second = weights_seen()
    assert first == second


@pytest.mark.slow
def test_two_processes_train_on_two_environments_although_one_has_rows_of_one_only(models, workplace):
    sizes = TWO | {"num_generations": 2, "max_steps": 3, "eval_rows": 0, "reward_func": "counted:place_of"}
    Path("counted.py").write_text("def place_of(place, **columns):\n    return [float(one) / 100 for one in place]\n")
    process = start("lessons:Weigh", "lessons:Spell", "--model", models(), "--json", *flags(**sizes))
    out, told = process.communicate(timeout=900)
    assert process.returncode == 0, told
    (run,) = {json.loads(line)["run"] for line in out.splitlines()}
    assert list(open_run(run).summary()["environments"]) == ["lessons:Weigh", "lessons:Spell"]
    for entry in RunFolder(Path(run)).logged():  # each process has the one prompt of one environment
        assert {"env/lessons:Weigh/reward", "env/lessons:Spell/reward", "env/lessons:Spell/rewards/called"} <= {*entry}
        means = [entry[f"env/lessons:{name}/reward"] for name in ("Weigh", "Spell")]
        assert entry["rewards/score/mean"] == pytest.approx(sum(means) / 2)
    assert Path("weights-0.txt").exists()
    assert not Path("weights-1.txt").exists()  # which had no row of Weigh
