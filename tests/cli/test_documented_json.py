"""docs/cli.md names keys that `--json` has."""

import pytest

from grpo_env_sdk import evaluate
from grpo_env_sdk.cli import main
from tests.documented_json import documented_keys, keys_of

GUESS = "tests.environments:Guess"
COMMANDS = {
    "list": ["list", "--all"],
    "info": ["info", "hotel-v1"],
    "init": ["init", "demo-task"],
    "test": ["test", GUESS, "--quick", "--select", "C101", "--env-pool", "thread"],
    "runs": ["runs", "--dir", "."],
    "runs show": ["runs", "show", "a"],
    "runs export": ["runs", "export", "a", "--out", "a.jsonl"],
    "runs rm": ["runs", "rm", "a", "--yes"],
    "diff": ["diff", "a", "b", "--max-drop", "1", "--cluster", "secret"],
    "rescore": ["rescore", "a"],
    "view --export": ["view", "a", "--export", "a.html"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_key_that_the_page_names_is_printed(command, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for run in ("a", "b"):
        evaluate(GUESS, "gold" if run == "a" else "echo", rows=2, split="all", out=run)
    capsys.readouterr()
    main([*COMMANDS[command], "--json"])
    named = documented_keys(command) - ({"training"} if command == "runs" else set())
    assert named
    assert named <= keys_of(capsys.readouterr().out)
