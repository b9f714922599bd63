"""`grpo-env train` that is asked to end outside its steps, and what another command line may change as it goes on."""

import json
import signal
from pathlib import Path

import pytest
from quick import flags, quick_run
from test_interrupting import UNMEASURED, At, interrupt

from grpo_env_sdk.cli import main
from grpo_env_sdk.runs.reading import open_run
from grpo_env_trl.interrupted import says_how_to_go_on
from grpo_env_trl.settings import read_settings
from grpo_env_trl.setup.preparing import prepare
from grpo_env_trl.training.display import Display
from grpo_env_trl.training.session import run_training

LEAVER = """
import os
import signal
from pathlib import Path

from lessons import Spell

from grpo_env_sdk import reward


class Leaver(Spell):
    def leave(self, where):
        if Path("leave").read_text() == where:
            Path("leave").write_text("")
            os.kill(os.getpid(), signal.SIGTERM)

    def build_dataset(self, tokenizer):
        self.leave("before")
        return super().build_dataset(tokenizer)

    @reward(weight=0.0)
    def stayed(self, completion):
        if Path("run/model").exists():
            self.leave("after")
        return 1.0
"""


@pytest.fixture
def leaves(workplace, models, monkeypatch, capsys):
    """Trains an environment that ends its own process by SIGTERM: gives exit code, stdout and stderr."""
    monkeypatch.syspath_prepend(str(workplace))
    (workplace / "leaver.py").write_text(LEAVER)
    kept = {"eval_rows": 2, "save_strategy": "steps", "save_steps": 2}

    def run(where, *words):
        (workplace / "leave").write_text(where)
        code = main(["train", *(words or ("leaver:Leaver", "--model", models(), *flags(**kept))), "--json"])
        return code, *capsys.readouterr()

    return run


def test_sigterm_while_the_start_is_checked_leaves_nothing(leaves, workplace):
    code, out, told = leaves("before")
    assert (code, json.loads(out)["error"]["message"]) == (130, "Interrupted.")
    assert "Interrupted" not in told
    assert not (workplace / "run").exists()
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_sigterm_after_the_last_step_says_how_to_go_on(leaves, workplace):
    code, out, told = leaves("after")
    again = "grpo-env train --resume run"
    assert (code, json.loads(out)) == (130, {"run": "run", "finished": False, "resume_command": again})
    assert told.splitlines()[-3:] == ["Continue with:", "  grpo-env train --resume run", "Interrupted."]
    code, out, _ = leaves("", "--resume", "run")
    assert (code, json.loads(out)["finished"]) == (0, True)
    assert None not in [value for part in open_run("run").summary()["heldout"].values() for value in part.values()]


def test_what_checkpoints_and_measurements_depend_on_stays_as_it_was(models, workplace, capsys):
    quick_run("lessons:Spell", models(), "run", callbacks=[At(2, interrupt)], **UNMEASURED)
    files = sorted(Path("run").rglob("*"))
    for flag, value, told in (
        ("--optim", "sgd", "optim is adamw_torch_fused"),
        ("--peft", "true", "use_peft is None"),
        ("--eval-rows", "3", "eval_rows is None"),
        ("--trainer", "async", "trainer is grpo"),
        ("--learning-rate", "1", "learning_rate is 0.001"),
        ("--lr", "1", "learning_rate is 0.001"),
        ("--weight-decay", "0.5", "weight_decay is None"),
        ("--adam-beta2", "0.5", "adam_beta2 is 0.999"),
    ):
        assert main(["train", "--resume", "run", flag, value]) == 2
        refused = f"--resume uses the settings of the run, so {flag} cannot be set: {told}. Leave it out"
        assert refused in capsys.readouterr().err
    for flag, value, told in (("--out", "other", "not in --out other"), ("--max-steps", "1", "--max-steps 2 ends it")):
        assert main(["train", "--resume", "run", flag, value]) == 2
        assert told in capsys.readouterr().err
    assert sorted(Path("run").rglob("*")) == files
    assert not Path("other").exists()
    assert (
        main(
            [
                "train",
                "--resume",
                "run",
                "--quiet",
                "--optim",
                "adamw_torch_fused",
                "--learning-rate",
                "1e-3",
                "--out",
                "run",
            ]
        )
        == 0
    )


def test_the_printed_config_is_json_where_that_is_asked_for(models, workplace, capsys):
    assert main(["train", "lessons:Spell", "--model", models(), "--print-config", "--json", *flags()]) == 0
    assert json.loads(capsys.readouterr().out)["max_steps"] == 2


class InterruptedIn(Display):
    """Presses Ctrl-C in the middle of a stage."""

    def __init__(self, stage):
        super().__init__(quiet=True)
        self.stages, self.chosen = [], stage

    def progress(self, what, done, of):
        self.stages.append(what)
        if what.endswith(self.chosen) and 1 < done < of:
            signal.raise_signal(signal.SIGINT)


@pytest.mark.parametrize("stage", ["demonstrating", "imitating"])
def test_ctrl_c_while_the_demo_model_is_built_ends_there_and_says_that_nothing_was_kept(stage, workplace, capsys):
    setup = prepare(read_settings(["demo.small_environments:Shelf", *flags(eval_rows=0)]))
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt), says_how_to_go_on(setup), InterruptedIn(stage) as display:
            run_training(setup, display)
    finally:
        signal.signal(signal.SIGINT, before)
    assert display.stages[-1].endswith(stage)
    assert capsys.readouterr().err.splitlines()[-1] == "Nothing was kept: the first step had not begun."
    assert not (workplace / "run").exists()
