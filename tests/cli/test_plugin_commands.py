"""Commands, pools and flags of plugins: what is wrong with them is named as their plugin's, and all else works."""

import json

import pytest

from grpo_env_sdk.cli import main

COMMANDS = """
    from grpo_env_sdk import CommandSpec, hookimpl

    @hookimpl
    def grpo_env_register_commands():
        names = ["boom", "words", "waits", "narrow", "fine"]
        lines = CommandSpec("lines", "two\\nlines", "odd:fine")
        ours = CommandSpec("eval", "steals eval", "odd:fine")
        return [CommandSpec(name, "help of " + name, "odd:" + name) for name in names] + [lines, ours]

    def boom(arguments):
        raise RuntimeError("first line\\nsecond line")

    def words(arguments):
        return "done"

    async def waits(arguments):
        return 0

    def narrow():
        return 0

    def fine(arguments):
        return 3
"""
POOLS = """
    from grpo_env_sdk import hookimpl
    from grpo_env_sdk.ext import PoolFlag, PoolSpec

    @hookimpl
    def grpo_env_register_pools():
        flags = (PoolFlag("model", "M", "x"), PoolFlag("nice-by", "N", "50% more"))
        specs = [PoolSpec(name, f"100% {name}", "pools:workers", flags) for name in ("clash", "process", "Bad Name")]
        return [*specs, PoolSpec("other", "more", "pools:workers", (PoolFlag("nice-by", "N", "x"),))]

    def workers(loaded, order):
        raise KeyError("no workers")
"""


@pytest.fixture(autouse=True)
def odd(no_plugins):
    site = no_plugins
    site.install("odd-commands", plugins={"hooks": "odd"}, modules={"odd.py": COMMANDS})
    site.install("odd-pools", plugins={"hooks": "pools"}, modules={"pools.py": POOLS})


@pytest.mark.parametrize(("command", "told"), [
    ("boom", "failed: RuntimeError: first line second line (odd.py:"),
    ("words", "returned 'done' where its exit code is expected"),
    ("waits", "returned a coroutine"),
    ("narrow", "failed: TypeError: narrow() takes 0 positional arguments"),
])  # fmt: skip
def test_a_command_that_fails_is_a_line_that_names_its_plugin(command, told, capsys, monkeypatch, site):
    monkeypatch.chdir(site.folder)
    assert main([command]) == 2
    *trace, line = capsys.readouterr().err.splitlines()
    assert f"The command {command!r} of odd-commands:hooks {told}" in line
    assert "grpo_env_sdk" not in "".join(trace)
    assert ("odd.py" in "".join(trace)) == (command == "boom")


def test_a_command_that_fails_is_json_where_that_is_asked_for(capsys):
    assert main(["boom", "--json"]) == 2
    assert "odd-commands" in json.loads(capsys.readouterr().out)["error"]["message"]
    assert main(["fine"]) == 3


def test_names_that_are_taken_are_notes_and_helps_are_one_line(site, capsys):
    site.install("more", plugins={"hooks": "more"}, modules={"more.py": COMMANDS.replace("odd:", "more:")})
    assert main(["--help"]) == 0
    out, err = capsys.readouterr()
    assert "two lines\n" in out
    assert "steals" not in out
    assert "odd-commands:hooks adds a CommandSpec 'eval', but that name is the SDK's own" in err
    assert "The plugin odd-commands:hooks adds a CommandSpec 'fine', but more:hooks has that name too." in err


@pytest.mark.parametrize("command", ["eval", "rescore"])
def test_a_flag_that_is_taken_is_a_note_and_the_command_works(command, capsys):
    with pytest.raises(SystemExit, match="0"):
        main([command, "--help"])
    out, err = capsys.readouterr()
    assert "50% more" in out
    assert "100% clash" in " ".join(out.split())
    assert ("The pool 'clash' adds a flag --model, which is taken" in err) == (command == "eval")
    assert "The pool 'other' adds a flag --nice-by, which is taken" in err
    assert "adds a PoolSpec 'process', but that name is the SDK's own" in err
    assert "adds a PoolSpec 'Bad Name', whose name is not one word" in err


def test_a_pool_that_raises_is_named(capsys):
    assert main(["eval", "tests.environments:Countdown", "--model", "gold", "--env-pool", "clash", "-n", "1"]) == 2
    last = capsys.readouterr().err.splitlines()[-1]
    assert "The pool 'clash' (pools:workers) failed: KeyError: 'no workers' (" in last
