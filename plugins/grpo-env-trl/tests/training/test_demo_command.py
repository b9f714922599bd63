"""`grpo-env train ENV` with nothing else: what somebody sees who has just cloned this."""

import re
import shutil
from pathlib import Path

import pytest

from grpo_env_sdk.cli import main
from grpo_env_trl.runs.run_folder import RunFolder


@pytest.mark.slow
def test_the_demonstration_says_what_it_is_shows_the_curve_and_both_transcripts_and_the_next_command(workplace, capsys):
    assert main(["train", "hotel-v1", "--max-steps", "3", "--eval-rows", "8", "--out", "run"]) == 0
    told = capsys.readouterr().err
    lines = told.splitlines()
    assert lines[0].startswith("Training the built-in demo model on hotel-v1: 2000 rows, tools, 8 completions per row")
    assert "This is a demonstration: a model of about 0.1M parameters, built from" in told
    assert "building the demo model, imitating 25/25" in lines
    assert re.search(r"^--- row \d+, before: reward \d", told, re.M)
    assert "--- the same row, after: reward " in told
    assert re.search(r"^Reward 0\.\d\d [▁▂▃▄▅▆▇█]{3} 0\.\d\d$", told, re.M)
    assert re.search(r"^Held-out reward before: sampled 0\.\d{3} \[", told, re.M)
    assert lines[-1] == "Train a real model: grpo-env train hotel-v1 --model Qwen/Qwen3-0.6B --peft"
    assert not re.search(r"it/s|Warning|/python3", told)
    assert main(["eval", "hotel-v1", "--model", "run", "--rows", "4", "--json"]) == 0
    assert main(["train", "hotel-v1", "--model", "run", "--max-steps", "1", "--eval-rows", "0", "--out", "on"]) == 0


@pytest.mark.slow
def test_a_demo_training_goes_on_with_the_model_of_its_checkpoint(workplace, capsys):
    words = ["--max-steps", "2", "--save-steps", "1", "--eval-rows", "0", "--batch-size", "8"]
    assert main(["train", "hotel-v1", *words, "--out", "run"]) == 0
    whole = [*RunFolder(Path("run")).logged()]
    Path("run/summary.json").unlink()
    shutil.rmtree("run/checkpoints/checkpoint-2")
    capsys.readouterr()
    assert main(["train", "--resume", "run"]) == 0
    told = capsys.readouterr().err
    assert "building the demo model" not in told
    assert "missing keys" not in told
    again = [*RunFolder(Path("run")).logged()]
    assert [entry["reward"] for entry in again] == [entry["reward"] for entry in whole]
    assert [entry["loss"] for entry in again] == pytest.approx([entry["loss"] for entry in whole])
