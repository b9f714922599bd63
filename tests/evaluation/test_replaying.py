"""A replay of a run in another environment, or of rows that it does not have."""

import pytest

from grpo_env_sdk import evaluate
from grpo_env_sdk.cli import main
from grpo_env_sdk.errors import UsageError
from grpo_env_sdk.policies import make_policy
from grpo_env_sdk.registry.lookup import register
from tests.environments import Guess, Phonebook

GUESS, PHONEBOOK = "tests.environments:Guess", "tests.environments:Phonebook"


@pytest.fixture
def guesses(tmp_path, monkeypatch):
    """The folder of a run of `Guess` with three rows."""
    monkeypatch.chdir(tmp_path)
    evaluate(Guess, "gold", split="all", rows=3, out="guesses")
    return "guesses"


def test_a_run_of_another_environment_is_refused_before_anything_is_written(guesses, tmp_path, capsys):
    asked = ["eval", PHONEBOOK, "-m", f"replay:{guesses}", "--split", "all", "--out", "again"]
    assert main(asked) == 2
    told = capsys.readouterr().err
    assert f"their environments differ ({GUESS} and {PHONEBOOK})" in told
    assert "--force" in told
    assert told.count("\n") == 1
    assert not (tmp_path / "again").exists()
    assert main([*asked, "--dry-run"]) == 2


def test_force_replays_it_anyway(guesses, capsys):
    assert main(["eval", PHONEBOOK, "-m", f"replay:{guesses}", "--split", "all", "-n", "2", "--force"]) == 0
    assert "2 episodes" in capsys.readouterr().out


def test_in_python_a_name_is_refused_and_an_object_is_taken_as_it_is(guesses):
    with pytest.raises(UsageError, match="their environments differ"):
        evaluate(Phonebook, f"replay:{guesses}", split="all", rows=2)
    assert evaluate(Phonebook, make_policy(f"replay:{guesses}"), split="all", rows=2).summary["episodes"] == 2


@pytest.mark.usefixtures("registered")
def test_another_name_of_the_same_class_is_the_same_environment(guesses):
    register("guess-v1", Guess)
    register("guess-v2", "tests.environments:Guess")
    for name in ("guess-v1", "guess-v2"):
        assert evaluate(name, f"replay:{guesses}", split="all", rows=3).summary["errors"] == {}
    evaluate("guess-v1", "gold", split="all", rows=2, out="named")
    assert evaluate(Guess, "replay:named", split="all", rows=2).summary["errors"] == {}


def test_a_run_without_any_of_the_rows_is_refused_even_if_forced(guesses, tmp_path, capsys):
    evaluate(Guess, "gold", split="test", out="held-out")
    for more in ([], ["--force"]):
        asked = ["eval", GUESS, "-m", "replay:held-out", "--split", "train", "--out", "again", *more]
        assert main(asked) == 2
        told = capsys.readouterr().err
        assert "has none of the" in told
        assert "the split test" in told
        assert "--split" in told
        assert not (tmp_path / "again").exists()


def test_force_alone_is_still_for_resume(capsys):
    assert main(["eval", GUESS, "-m", "gold", "--force"]) == 2
    assert "--resume" in capsys.readouterr().err
