"""Settings that TRL looks at only when the training begins: one line, and nothing is left behind."""

import pytest
from quick import flags

from grpo_env_sdk.cli import main

LATE = {
    "--lr-scheduler-type warmup_stable_decay": "num_decay_steps",
    "--dataloader-persistent-workers": "num_workers > 0",
    "--torch-compile-mode nonsense": "nonsense",
    "--eval-on-start": "eval_dataset",
}


@pytest.mark.parametrize("words", LATE)
def test_what_is_wrong_before_the_first_step_is_one_line(words, models, workplace, capsys):
    told = ["train", "environments:Parts", "--model", models(), *flags(eval_rows=0), *words.split()]
    assert main(told) == 2
    lines = [line for line in capsys.readouterr().err.splitlines() if line.startswith("grpo-env: ")]
    assert len(lines) == 1
    assert LATE[words] in lines[0]
    assert [*workplace.iterdir()] == []
