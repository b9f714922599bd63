"""Trainings that are killed at random moments, and disks that are full: they go on with the same numbers."""

import os
import random
import time
from contextlib import nullcontext
from pathlib import Path

import pytest
import transformers
from quick import quick_run
from test_interrupting import LONG, flags, numbers_of, start

from grpo_env_sdk.cli import main
from grpo_env_sdk.errors import GrpoEnvError
from grpo_env_trl.bridges import callbacks
from grpo_env_trl.runs.run_folder import RunFolder
from tests.full_disk import no_file_above

KILLS = int(os.environ.get("GRPO_ENV_TEST_KILLS", "6"))
STEPS = 12


def steps_of(run):
    return [entry["step"] for entry in RunFolder(Path(run)).logged()]


@pytest.mark.parametrize("size", [300, 60_000])
def test_a_training_whose_disk_is_full_from_the_start_is_one_line_and_begins_or_resumes(size, models, workplace):
    words = ["lessons:Spell", "--model", models(), *flags(**LONG)]
    with no_file_above(size), pytest.raises(GrpoEnvError, match="cannot be written") as caught:
        quick_run("lessons:Spell", models(), "run", **LONG)
    assert "\n" not in str(caught.value)
    begun = (workplace / "run").exists()
    assert ("--resume" in str(caught.value)) == begun
    assert main(["train", *(("--resume", "run") if begun else words), "--quiet"]) == 0
    assert steps_of("run") == [*range(1, LONG["max_steps"] + 1)]


SAVED_BY = {
    "model": (transformers.PreTrainedModel, "save_pretrained"),
    "tokenizer": (transformers.PreTrainedTokenizerBase, "save_pretrained"),
    "optimizer": (transformers.Trainer, "_save_optimizer_and_scheduler"),
    "random state": (transformers.Trainer, "_save_rng_state"),
    "trainer state": (transformers.TrainerState, "save_to_json"),
    "environment state": (callbacks, "save_state"),
    "marker": (callbacks, "mark_whole"),
}
"""What writes each part of a checkpoint."""


@pytest.mark.slow
@pytest.mark.parametrize("part", SAVED_BY)
def test_a_disk_that_is_full_at_any_file_of_a_checkpoint_is_one_line_and_the_training_goes_on(
    part, models, workplace, monkeypatch
):
    model, (place, name) = models(), SAVED_BY[part]
    save, calls = getattr(place, name), []

    def on_a_full_disk(*args, **kwargs):
        calls.append(name)
        with no_file_above(0) if len(calls) == 2 else nullcontext():  # the second checkpoint
            return save(*args, **kwargs)

    monkeypatch.setattr(place, name, on_a_full_disk)
    settings = LONG | {"eval_rows": 0, "max_steps": 6}
    with pytest.raises(GrpoEnvError, match=r"cannot be written any more: .*\. Free some space, then") as caught:
        quick_run("lessons:Spell", model, "run", **settings)
    assert "\n" not in str(caught.value)
    assert list(RunFolder(Path("run")).checkpoints()) == [2]
    assert main(["train", "--resume", "run", "--quiet"]) == 0
    assert steps_of("run") == [*range(1, 7)]


@pytest.mark.slow
def test_killed_at_random_moments_from_its_start_on_a_training_has_the_numbers_of_one_that_was_not(models, workplace):
    settings = LONG | {"max_steps": STEPS}
    words = ("lessons:Spell", "--model", models(), *flags(**settings))
    rng = random.Random(15)
    for _ in range(KILLS):
        begun = (workplace / "run/config.yaml").exists()
        logged = steps_of("run") if begun else []
        process = start(*(("--resume", "run") if begun else words))
        if rng.random() < 0.5:  # else it is killed while it starts
            while process.poll() is None and steps_of("run") == logged:
                time.sleep(0.01)
        time.sleep(rng.uniform(0, 1))
        process.kill()
        process.communicate()
    process = start(*(("--resume", "run") if (workplace / "run/config.yaml").exists() else words))
    _, told = process.communicate(timeout=900)
    assert process.returncode == 0 or "is finished" in told, told
    quick_run("lessons:Spell", models(), "whole", **settings)
    assert steps_of("run") == [*range(1, STEPS + 1)]
    assert numbers_of("run") == numbers_of("whole")
