"""A class that acts as it is read, in the process of a training."""

import pytest

from grpo_env_sdk.cli import main
from tests.hostile import odd_classes


@pytest.mark.parametrize("act", ["interrupt", "exit", "own"])
@pytest.mark.parametrize("name", ["Hook__getattr___Plain", "Property_reward_range_Calling", "Value_max_turns_Stepping"])
def test_a_class_that_acts_as_it_is_read_ends_a_training_with_one_line(name, act, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ODD_CLASSES_ACT", act)
    assert main(["train", f"{odd_classes.__name__}:{name}", "--max-steps", "1", "--output-dir", "run"]) == 2
    errors = capfd.readouterr().err
    assert f"Reading {odd_classes.__name__}:{name} raised" in errors
    assert len(errors.splitlines()) == 1
    assert not (tmp_path / "run").exists()
