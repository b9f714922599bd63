"""Settings that TRL looks at only when the training begins: one line, and nothing is left behind."""

import json
import shutil

import pytest
from quick import flags

from grpo_env_sdk.cli import main


def cut(folder):
    (folder / "model.safetensors").write_bytes((folder / "model.safetensors").read_bytes()[:5000])


def small(folder):
    change(folder / "config.json", vocab_size=50)


def greedy(folder):
    change(folder / "generation_config.json", do_sample=False, temperature=0.6, eos_token_id=[1])


def change(path, **values):
    path.write_text(json.dumps(json.loads(path.read_text()) | values))


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


@pytest.mark.parametrize(
    ("spoil", "named"),
    [(cut, "download or a copy"), (small, "num_embeddings"), (greedy, "GenerationConfig is invalid")],
)
def test_a_model_that_cannot_be_loaded_or_saved_is_one_line(spoil, named, models, workplace, tmp_path_factory, capsys):
    model = tmp_path_factory.mktemp("model") / "spoilt"
    spoil(shutil.copytree(models(), model))
    assert main(["train", "environments:Parts", "--model", str(model), *flags(eval_rows=0)]) == 2
    (line,) = [line for line in capsys.readouterr().err.splitlines() if line.startswith("grpo-env: ")]
    assert named in line
    assert [*workplace.iterdir()] == []


def test_settings_of_the_model_s_class_that_it_has_not_are_one_line(models, workplace, capsys):
    words = ["--set", 'model_init_kwargs={"zzz": 1}']
    assert main(["train", "environments:Parts", "--model", models(), *flags(eval_rows=0), *words]) == 2
    assert "unexpected keyword argument 'zzz'" in capsys.readouterr().err
    assert [*workplace.iterdir()] == []
