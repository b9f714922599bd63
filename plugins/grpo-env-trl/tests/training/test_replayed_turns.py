"""One process or two: the same turns give the same gradients, metrics and weights; sampled again, the same turns."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import replaying
from quick import flags
from test_shared_model import SHARING, sharing
from test_two_ranks import TORCHRUN, TWO, start

from grpo_env_sdk.runs.reading import open_run
from grpo_env_trl.runs.run_folder import RunFolder

pytestmark = pytest.mark.slow
OF_THE_MACHINE = ("time/", "step_time", "sampler/", "train_runtime", "train_samples_per", "train_steps_per")


def measured(entries):
    """The logged metrics, without those of how fast each process was."""
    return [{name: entry[name] for name in entry if not name.startswith(OF_THE_MACHINE)} for entry in entries]


@pytest.fixture(scope="module")
def alone(models, tmp_path_factory):
    """The folder of what one process recorded, and computed when it was given that."""
    folder = tmp_path_factory.mktemp("alone")
    for _ in ("recorded", "replayed"):
        replaying.run(models(), folder)
    return folder


@pytest.mark.parametrize("kind", ["ddp", *SHARING])
def test_two_processes_that_are_given_the_turns_of_one_compute_the_same(kind, models, alone, tmp_path):
    shutil.copytree(alone, tmp_path, dirs_exist_ok=True)
    here = Path(__file__).parent
    told = {"PYTHONPATH": os.pathsep.join([str(here), str(here.parent), *sys.path]), "OMP_NUM_THREADS": "1"}
    launcher = TORCHRUN if kind == "ddp" else sharing(kind)
    command = [*launcher, str(here / "replaying.py"), models(), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | told, timeout=900)
    assert done.returncode == 0, done.stderr
    one, first, second = (json.loads((tmp_path / f"{name}.json").read_text()) for name in ("1-0", "2-0", "2-1"))
    assert first["turns"] + second["turns"] == one["turns"]
    assert first["turns"] != second["turns"]  # so that one process takes part for the other
    assert [entry["grad_norm"] > 0.1 for entry in one["logged"][:-1]] == [True] * replaying.STEPS
    assert measured(first["logged"]) == [pytest.approx(entry, rel=1e-5, abs=1e-9) for entry in measured(one["logged"])]
    assert first["weights"] == pytest.approx(one["weights"], rel=1e-5)
    assert first["weights"] == second["weights"]
    assert first["model is shared"] == (kind in ("fsdp2", "zero3"))


def test_a_sampled_training_of_two_processes_repeats_exactly(models, workplace):
    for run in ("first", "again"):
        process = start("lessons:Spell", "--model", models(), *flags(**TWO, out=run, max_steps=3, sample_every=1))
        told = process.communicate(timeout=900)[1]
        assert process.returncode == 0, told
    first, again = (RunFolder(Path(run)) for run in ("first", "again"))
    assert measured(first.logged()) == measured(again.logged())
    assert any(entry["grad_norm"] for entry in first.logged())
    episodes = [[played(episode) for episode in open_run(run).episodes()] for run in ("first", "again")]
    assert len(episodes[0]) == 3 * TWO["per_device_train_batch_size"]  # those of the process that writes
    assert episodes[0] == episodes[1]
    assert open_run("first").summary()["heldout"] == open_run("again").summary()["heldout"]


def played(episode):
    """What happened in an episode, without how long it took."""
    return episode.row_index, episode.sample, episode.messages, episode.rewards
