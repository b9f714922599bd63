"""`env:NAME` in a config: where it is resolved, and that its value is written nowhere."""

import json

import pytest

from grpo_env_sdk import SingleTurnEnv, evaluate, load, make
from grpo_env_sdk.cli import main
from grpo_env_sdk.errors import ConfigError, EnvironmentFailedError
from grpo_env_sdk.isolation.values.env_values import references_in, resolved

SECRET = 'sk-"quoted"-4711'


class Judge(SingleTurnEnv):
    """Needs a key, and is careless with it."""

    def __init__(self, key: str = "", more: dict | None = None, fails: bool = False):
        if fails:
            raise ConnectionError(f"refused: {key}")
        self.key, self.more = key, more

    def build_dataset(self, tokenizer=None):
        return [{"prompt": f"Question {number}?", "leak": self.key} for number in range(30)]

    def score_episode(self, model, tokenizer, completion, case_idx):
        if case_idx % 2:
            raise ConnectionError(f"the judge refused {self.key}")
        return float(self.key == SECRET)


@pytest.fixture(autouse=True)
def secret(monkeypatch):
    """A key in the environment, as people set it."""
    monkeypatch.setenv("JUDGE_KEY", SECRET)


def test_the_constructor_gets_the_value_wherever_the_reference_is():
    env = make(load(Judge).spec, key="env:JUDGE_KEY", more={"keys": ["env:JUDGE_KEY", "env: no", "xenv:JUDGE_KEY"]})
    assert env.key == SECRET
    assert env.more == {"keys": [SECRET, "env: no", "xenv:JUDGE_KEY"]}
    assert [*references_in({"a": ["env:ONE", {"b": "env:TWO"}], "c": "env:not a name"})] == ["env:ONE", "env:TWO"]


def test_the_value_is_in_no_file_of_a_run_nor_in_what_is_printed(tmp_path, capsys):
    target = f"{Judge.__module__}:Judge"
    words = ["eval", target, "-m", "echo", "--split", "all", "--env-config", '{"key": "env:JUDGE_KEY"}']
    assert main([*words, "--out", str(tmp_path / "run")]) == 0
    assert main(["rescore", str(tmp_path / "run"), "--out", str(tmp_path / "again")]) == 0
    printed = "".join(capsys.readouterr())
    assert "the judge refused env:JUDGE_KEY" in printed
    written = [path.read_text() for path in tmp_path.rglob("*") if path.is_file()]
    assert len(written) >= 6
    for text in [printed, *written]:
        assert SECRET not in text
        assert json.dumps(SECRET)[1:-1] not in text
    manifest = json.loads((tmp_path / "run/manifest.json").read_text())
    assert manifest["config"] == {"key": "env:JUDGE_KEY"}


def test_an_environment_that_fails_with_the_value_shows_the_reference():
    with pytest.raises(EnvironmentFailedError, match="refused: env:JUDGE_KEY"):
        load(Judge, {"key": "env:JUDGE_KEY", "fails": True})


def test_a_value_of_the_wrong_type_shows_the_reference():
    with pytest.raises(ConfigError, match="'fails'") as caught:
        load(Judge, {"fails": "env:JUDGE_KEY"})
    assert SECRET not in str(caught.value)
    assert "4711" not in str(caught.value)


def test_a_variable_that_is_not_set_is_one_line():
    with pytest.raises(ConfigError, match=r"'env:NO_SUCH_KEY'.*NO_SUCH_KEY is not set.*export NO_SUCH_KEY"):
        resolved({"key": "env:NO_SUCH_KEY"})


def test_scores_are_those_of_the_value():
    assert evaluate(Judge, "echo", config={"key": "env:JUDGE_KEY"}, split="all").summary["reward"]["mean"] == 1.0
