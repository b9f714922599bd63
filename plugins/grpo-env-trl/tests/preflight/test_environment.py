import shlex

import pytest

from grpo_env_sdk import SingleTurnEnv, load_prompts, spec
from grpo_env_sdk.checking.findings.report import Report
from grpo_env_sdk.checking.reports.history import remember
from grpo_env_sdk.envs.loading import load
from grpo_env_trl.preflight.environment import when_tested
from grpo_env_trl.settings.config_words import config_words


@pytest.mark.parametrize(("fault", "told"), [
    ("always", "All 8 random episodes of trials:Sums failed, most often with: "),
    ("nan", "All 8 random episodes of trials:Sums failed, most often with: Scoring raised ScoreError: "),
])  # fmt: skip
def test_an_environment_that_fails_in_every_episode_is_refused_with_the_commonest_cause(dry_run, models, fault, told):
    words = ["--env-config", f'{{"fault": "{fault}"}}', "--model", models("qwen3")]
    code, said = dry_run("trials:Sums", *words)
    assert (code, said.count("\n")) == (2, 1)
    assert told in said
    assert ("no abacus today" in said) == (fault == "always")
    assert said.endswith("`grpo-env test trials:Sums` shows details.\n")


def test_an_environment_that_fails_in_some_episodes_is_a_note(dry_run, models):
    code, told = dry_run("trials:Sums", "--env-config", '{"fault": "sometimes"}', "--model", models("qwen3"))
    assert code == 0
    assert "of 8 random episodes of trials:Sums failed, most often with: " in told


def test_a_constant_score_is_a_note(dry_run, models):
    code, told = dry_run("trials:Sums", "--env-config", '{"fault": "constant"}', "--model", models("qwen3"))
    assert code == 0
    assert "trials:Sums gives 0.5 both to random answers and to its own solution." in told


def test_without_a_solution_a_constant_score_is_put_carefully(dry_run, models):
    code, told = dry_run("trials:Blind", "--model", models("qwen3"))
    assert code == 0
    assert "gave all 8 random answers a reward of 0. If all answers of your model score the same" in told


def test_a_scorer_that_waits_for_the_live_model_is_left_to_the_training(dry_run, models):
    code, told = dry_run("trials:Asks", "--model", models("qwen3"))
    assert (code, "note" in told) == (0, False)


def test_a_scorer_that_fails_on_every_answer_and_reads_no_model_is_told_of(dry_run, models):
    _, told = dry_run("trials:Searches", "--model", models("qwen3"))
    assert "All 8 random episodes of trials:Searches failed, most often with: " in told
    assert "'NoneType' object has no attribute 'group'" in told


def test_rows_too_few_to_hold_any_out_are_a_note(dry_run, models):
    code, told = dry_run("trials:OneRow", "--model", models("qwen3"))
    assert code == 0
    assert "has no rows in its 'test' split, so there is no evaluation before and after." in told


def test_when_it_was_tested_is_one_line(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    loaded = load("trials:Sums")
    assert when_tested(loaded) == "not tested yet: grpo-env test trials:Sums"


def test_a_test_before_the_data_changed_vouches_for_nothing(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    data = tmp_path / "data.csv"
    data.write_text("question,answer\n1+1?,2\n2+2?,4\n")

    class OfAFile(SingleTurnEnv):
        def build_dataset(self, tokenizer):
            return load_prompts(data, question="question", answer="answer")

        def score_episode(self, model, tokenizer, completion):
            return 1.0

    before = load(OfAFile)
    facts = {"source_hash": before.spec.source_hash, "dataset_fingerprint": before.rows().fingerprint()}
    remember(before.spec, Report(before.spec.id, facts=facts))
    assert "before your last change" not in when_tested(load(OfAFile))
    data.write_text("question,answer\n1+1?,3\n2+2?,4\n")
    assert "before your last change" in when_tested(load(OfAFile))


def test_the_command_that_tests_it_has_the_config_of_the_training(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    shown = when_tested(load("hotel-v1", {"difficulty": "hard"})).partition(": ")[2]
    assert shlex.split(shown) == ["grpo-env", "test", "hotel-v1", "--env-config", '{"difficulty": "hard"}']


def test_config_that_belongs_to_the_id_is_not_typed_again():
    own = spec("gym/CartPole-v1")
    assert own.config == {"id": "CartPole-v1"}
    assert config_words(own) == []
    assert config_words(own.with_config({"rows": 3})) == ["--env-config", '{"rows": 3}']


def test_rows_that_do_not_come_are_waited_for_once(dry_run, models, tmp_path):
    asked = tmp_path / "asked.txt"
    asked.touch()
    code, told = dry_run("trials:Endless", "--model", models("qwen3"), "--limit-build", "1")
    assert code == 2
    assert told.count("did not come back within 1 s") == 1
    assert asked.read_text() in ("", "once\n")
