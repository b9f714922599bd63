"""The whole preflight through the command: every problem is told, at once, before a model is loaded."""

import json
import warnings

import pytest

from grpo_env_sdk.cli import main
from grpo_env_sdk.errors import GrpoEnvWarning
from grpo_env_trl.preflight import preflight
from grpo_env_trl.preflight.problem import PreflightError, Problem
from grpo_env_trl.settings import read_settings
from grpo_env_trl.setup.preparing import prepare

ERRANDS = "environments:Errands"
SIZES = ("--batch-size", "32", "--num-generations", "8")


def test_a_training_that_can_begin_is_told_nothing(dry_run, models):
    code, told = dry_run("trials:Sums", "--model", models("qwen3"))
    assert code == 0
    assert told.startswith("Training ")


def test_one_problem_is_its_message_and_its_fix():
    error = PreflightError([Problem("It is dark.", "Make light.")])
    assert (error.message, error.hint, str(error)) == ("It is dark.", "Make light.", "It is dark. Make light.")


def test_several_problems_are_a_line_each_and_a_list_for_programs():
    error = PreflightError([Problem("It is dark.", "Make light."), Problem("It is late.")])
    assert str(error) == "It is dark. Make light.\nIt is late."
    assert error.as_json()["error"]["problems"] == [
        {"message": "It is dark.", "hint": "Make light."}, {"message": "It is late.", "hint": ""},
    ]  # fmt: skip


def test_all_that_is_wrong_is_told_at_once(dry_run, models, tmp_path):
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "notes.txt").touch()
    code, told = dry_run(ERRANDS, "--model", models("gemma3"), "--rows", "2", *SIZES, "--out", "taken")
    assert code == 2
    lines = told.splitlines()
    assert lines[0] == "grpo-env: 'taken' is not empty. Take another --out."
    assert lines[1].startswith("There are 2 rows to train on, and one batch needs 4")
    assert lines[2].startswith("The chat template of ")
    assert "cannot render tool calls" in lines[2]
    assert len(lines) == 3


def test_under_json_every_problem_is_an_object(monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(tmp_path)
    words = ["train", "trials:Sums", "--rows", "2", *SIZES, "--beta", "0.1", "--json", "--dry-run"]
    assert main(words) == 2
    told = json.loads(capsys.readouterr().out)["error"]
    assert [problem["message"].split()[0] for problem in told["problems"]] == ["There", "beta"]


def test_what_may_go_wrong_is_a_warning_or_goes_to_whoever_asks_for_it(models, tmp_path):
    words = ["trials:Sums", "--model", models("qwen3"), "--max-completion-length", "60"]
    setup = prepare(read_settings(words), tmp_path / "run")
    told = []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        preflight(setup, told.append)
    assert ["max_completion_length is 60" in line for line in told] == [True]
    with pytest.warns(GrpoEnvWarning, match="max_completion_length is 60"):
        preflight(setup)


@pytest.mark.parametrize(("model", "told"), [
    ("./nowhere/model", "There is no folder './nowhere/model', which looks like a path."),
    ("nobody/nothing", "There is no model 'nobody/nothing': no such folder, not in the cache"),
    ("unheard-of", "The config of 'unheard-of' cannot be read: "),
    ("picture", "is a ViTConfig, which is not a causal language model."),
])  # fmt: skip
def test_a_model_that_cannot_be_had_is_one_line(dry_run, models, tmp_path, monkeypatch, model, told):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    if model in ("picture", "unheard-of"):
        from tiny_models import tiny_tokenizer
        from transformers import ViTConfig

        ViTConfig().save_pretrained(tmp_path / model)
        tiny_tokenizer("qwen3").save_pretrained(tmp_path / model)
    if model == "unheard-of":
        (tmp_path / model / "config.json").write_text('{"model_type": "unheard-of"}')
    code, said = dry_run(ERRANDS, "--model", model)
    assert code == 2
    assert said.splitlines()[-1].startswith("grpo-env: ")  # transformers may have logged before
    assert told in said.splitlines()[-1]
