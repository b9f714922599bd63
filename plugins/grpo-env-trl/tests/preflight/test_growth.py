"""Episodes that can outgrow the context of the model, of which there is a warning before a training begins."""

import json

import pytest

from grpo_env_trl.preflight.growth import problems
from grpo_env_trl.preflight.planned_training import PlannedTraining
from grpo_env_trl.settings import read_settings
from grpo_env_trl.setup.preparing import prepare


def warnings_for(models, folder, *words, env="trials:Walk", **config):
    """What is said of an environment whose model reads 8,192 tokens, one for each letter."""
    settings = read_settings([env, "--model", models("qwen3"), "--env-config", json.dumps(config), *words])
    return [str(problem) for problem in problems(PlannedTraining(prepare(settings, folder / "run")))]


def test_many_turns_of_long_observations_are_told_with_the_numbers_and_the_way_out(models, tmp_path):
    (told,) = warnings_for(models, tmp_path)
    assert "can outgrow the context of 8,192 tokens, which is full after about " in told
    assert "120 turns, with observations of up to " in told
    assert "view" in told
    assert "--limit-turns" in told


@pytest.mark.parametrize(("words", "config"), [
    ((), {"turns": 5}), ((), {"letters": 10, "turns": 60}), (("--limit-turns", "5"), {}), ((), {"view": "last"}),
    ((), {"view": "both"}), ((), {"view": "own"}),
])  # fmt: skip
def test_what_stays_within_the_context_is_told_nothing(models, tmp_path, words, config):
    assert warnings_for(models, tmp_path, *words, **config) == []


@pytest.mark.parametrize("view", ["capped", "results"])
def test_a_view_that_still_grows_too_long_is_told_so(models, tmp_path, view):
    (told,) = warnings_for(models, tmp_path, view=view)
    assert "can outgrow the context of 8,192 tokens: 120 turns," in told


def test_an_environment_of_one_turn_is_told_nothing(models, tmp_path):
    assert warnings_for(models, tmp_path, env="trials:Blind") == []


def test_the_warning_reaches_the_command(dry_run, models):
    code, told = dry_run("trials:Walk", "--model", models("qwen3"))
    assert code == 0
    assert "can outgrow the context" in told
