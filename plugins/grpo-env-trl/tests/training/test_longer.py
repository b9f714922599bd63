"""A finished training goes on for more steps where its last checkpoint is whole."""

import subprocess
import sys
from pathlib import Path

import pytest
import torch
from lessons import Spell
from quick import quick_run
from test_interrupting import LONG, At, environment, interrupt, numbers_of
from transformers import TrainerCallback

from grpo_env_sdk.cli import main
from grpo_env_sdk.errors import UsageError
from grpo_env_sdk.runs.reading import open_run
from grpo_env_trl.runs.resuming import KEPT
from grpo_env_trl.runs.run_folder import RunFolder

SETTINGS = LONG | {"lr_scheduler_type": "constant_with_warmup", "warmup_steps": 1}


def test_with_a_constant_rate_it_logs_the_numbers_of_one_training(models, workplace):
    quick_run(Spell, models(), "whole", **SETTINGS)
    quick_run("lessons:Spell", models(), "run", **SETTINGS | {"max_steps": 2})
    before = open_run("run").summary()["heldout"]["before"]
    assert main(["train", "--resume", "run", "--max-steps", "4", "--quiet"]) == 0
    assert numbers_of("run") == numbers_of("whole")
    assert (open_run("run").summary()["steps"], open_run("run").summary()["heldout"]["before"]) == (4, before)


def test_a_linear_rate_goes_on_as_that_of_the_new_number_and_an_interrupted_one_names_it(models, workplace, capsys):
    quick_run("lessons:Spell", models(), "run", **LONG | {"max_steps": 2})
    assert main(["train", "--resume", "run"]) == 2
    assert "--model run, or --resume run with a --max-steps above 2." in capsys.readouterr().err
    stopped = quick_run(
        "lessons:Spell", models(), None, resume="run", callbacks=[At(3, interrupt)], **LONG | {"max_steps": 5}
    )
    assert (stopped.steps, stopped.finished, open_run("run").summary()) == (3, False, None)
    assert not Path("run/heldout/after").exists()
    capsys.readouterr()
    assert main(["train", "--resume", "run", "--max-steps", "4"]) == 0
    assert "4 steps, the last 1 in " in capsys.readouterr().err
    rates = [entry["learning_rate"] for entry in RunFolder(Path("run")).logged()]
    assert rates == pytest.approx([1e-3, 5e-4, 6e-4, 2.5e-4])
    assert open_run("run").summary()["steps"] == 4


def test_until_its_first_further_step_it_stays_finished(models, workplace):
    quick_run("lessons:Spell", models(), "run", **LONG | {"max_steps": 1})
    before = open_run("run").summary()
    with pytest.raises(UsageError, match="no step"):
        quick_run("lessons:Spell", models(), None, resume="run", callbacks=[Fails()], **LONG | {"max_steps": 2})
    assert open_run("run").summary() == before
    assert Path("run/heldout/after/summary.json").exists()


class Fails(TrainerCallback):
    """Ends a training as its first step would begin."""

    def on_train_begin(self, *args, **kwargs):
        raise RuntimeError("no step")


def test_without_its_last_checkpoint_it_is_refused(models, workplace, capsys):
    quick_run("lessons:Spell", models(), "run", max_steps=1)
    assert main(["train", "--resume", "run", "--max-steps", "2"]) == 2
    told = capsys.readouterr().err
    assert "'run' is finished. To train its model further: --model run" in told
    assert "above" not in told


def test_what_an_optimizer_keeps_in_a_checkpoint_cannot_be_set():
    def kept(**changes):
        from trl import GRPOConfig

        args = GRPOConfig(output_dir="unused", bf16=False, use_cpu=True, **changes)
        from transformers import Trainer

        _, found = Trainer.get_optimizer_cls_and_kwargs(args)
        return {**found, "weight_decay": args.weight_decay}

    usual = kept()
    changes = {"learning_rate": 0.5, "weight_decay": 0.5, "adam_beta1": 0.5, "adam_beta2": 0.5, "adam_epsilon": 0.5}
    assert all(kept(**{name: value}) != usual for name, value in changes.items())
    assert changes.keys() <= set(KEPT)
    groups = torch.optim.AdamW([torch.zeros(1)]).param_groups[0]
    assert {"lr", "betas", "eps", "weight_decay"} <= groups.keys()


def test_a_finished_run_is_refused_before_torch_is_imported(models, workplace):
    quick_run("lessons:Spell", models(), "run", max_steps=1)
    code = (
        "import sys; from grpo_env_sdk.cli import main\n"
        "print(main(['train', '--resume', 'run', '--max-steps', '1']), 'torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment())
    assert (done.stdout, "'run' is finished" in done.stderr) == ("2 False\n", True)
