"""The command that goes on with a training, and what is said where other processes do."""

import pytest

from grpo_env_sdk import evaluate, open_run
from grpo_env_sdk.ext import command_to_continue as by_the_run
from grpo_env_trl import continuing
from grpo_env_trl.continuing import command_to_continue, note_other_processes, processes_before
from grpo_env_trl.settings import TrainSettings
from tests.environments import Guess

LAUNCHED = {"WORLD_SIZE": "2", "LOCAL_WORLD_SIZE": "2"}


@pytest.fixture
def together(monkeypatch):
    """So many processes were started together."""

    def launch(**environ):
        for name, value in environ.items():
            monkeypatch.setenv(name, value)

    monkeypatch.setattr(continuing, "is_attached", lambda: False)
    return launch


def test_the_flags_that_start_processes_are_in_the_command():
    assert command_to_continue("my run", TrainSettings()) == "grpo-env train --resume 'my run'"
    settings = TrainSettings(num_processes=2, accelerate_config="zero3")
    assert command_to_continue("run", settings).endswith("--resume run --num-processes 2 --accelerate-config zero3")


def test_other_steps_than_those_of_the_run_are_in_the_command():
    settings = TrainSettings(resume="run", grpo={"max_steps": 8}, sources={"max_steps": "flag"})
    assert command_to_continue("run", settings) == "grpo-env train --resume run --max-steps 8"


def test_what_another_launcher_started_on_this_machine_goes_on_with_as_many_processes(together):
    together(**LAUNCHED)
    assert command_to_continue("run", TrainSettings()) == "grpo-env train --resume run --num-processes 2"
    together(ACCELERATE_USE_FSDP="true")
    assert command_to_continue("run", TrainSettings()) == "grpo-env train --resume run"


def test_several_machines_of_another_launcher_are_left_to_it(together):
    together(WORLD_SIZE="16", LOCAL_WORLD_SIZE="8")
    assert command_to_continue("run", TrainSettings()) == "grpo-env train --resume run"


def test_a_batch_of_another_size_is_said_with_how_to_keep_it(together):
    assert [*note_other_processes(1, 4)] == []
    assert [*note_other_processes(None, 4)] == []
    (note,) = note_other_processes(2, 4)
    assert "2 processes trained this run, and 1 goes on: a batch has 4 completions, not 8" in note
    assert note.endswith("As before: --num-processes 2")
    (note,) = note_other_processes(2, None)
    assert "completions" not in note
    together(**LAUNCHED)
    assert "1 process trained this run, and 2 go on: a batch has 8 completions, not 4" in next(
        note_other_processes(1, 8)
    )


def test_a_run_without_a_checkpoint_knows_the_processes_that_began_it(tmp_path):
    evaluate(Guess, "gold", split="all", rows=2, out=tmp_path / "run")
    run = open_run(tmp_path / "run")
    assert processes_before(run) is None
    run.manifest |= {"resume_with": {"num_processes": 2}, "training": {}}
    assert processes_before(run) == 2
    assert by_the_run(run).endswith("--num-processes 2")
