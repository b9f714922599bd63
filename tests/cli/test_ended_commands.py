"""Commands whose environment ends the process as if all had gone well, or takes from it what commands need."""

import json

import pytest

from tests.forked_commands import user_environment

ROUGH = """
import os
import sys
import threading
import warnings

from grpo_env_sdk import SingleTurnEnv, reward

class Rough(SingleTurnEnv):
    def __init__(self, when="", act="pass"):
        self.when, self.act = when, act
        self.at("constructor")

    def build_dataset(self, tokenizer):
        self.at("build")
        return [{"prompt": f"Say {number}.", "number": number} for number in range(4)]

    @reward
    def said(self, completion, number):
        self.at("score")
        return 1.0

    def at(self, place):
        if place == self.when:
            exec(self.act)

class Later(Rough):
    @reward
    async def said(self, completion, number):
        return super().said(completion, number)
"""


@pytest.fixture
def run(tmp_path, fork_server):
    """Evaluates the environment, which does an act in one place."""
    (tmp_path / "rough.py").write_text(ROUGH)

    def run(when, act, *flags, env="Rough"):
        config = json.dumps({"when": when, "act": act})
        words = ["eval", f"rough:{env}", "--model", "echo", "--split", "all", "--env-config", config, *flags]
        return fork_server.run("grpo_env_sdk", *words, cwd=tmp_path, environment=user_environment())

    return run


@pytest.mark.parametrize("when", ["constructor", "build", "score"])
def test_an_environment_that_ends_the_process_as_a_success_is_a_failure_that_names_it(run, when):
    ended = run(when, "os._exit(0)")
    assert ended.returncode == 2
    assert "rough:Rough" in ended.stderr.splitlines()[0]
    assert "os._exit(0)" in ended.stderr


def test_in_json_one_object_says_so(run):
    built, scored = run("build", "os._exit(0)", "--json"), run("score", "os._exit(0)", "--json")
    assert "build_dataset ended" in json.loads(built.stdout)["error"]["message"]
    assert scored.returncode == 2
    assert "(rough.py:" in scored.stderr or "<string>" in scored.stderr


def test_what_an_environment_forks_may_end_as_it_likes(run):
    ended = run("score", "os.waitpid(os.fork() or os._exit(0), 0)", "--json")
    assert ended.returncode == 0
    assert "os._exit" not in ended.stderr


TAKEN = {
    "sys.stdout.close()": "sys.stdout", "sys.stdout = None": "sys.stdout", "sys.stderr.close()": "sys.stderr",
    "sys.stderr = None": "sys.stderr", "del sys.stdout, sys.stderr": "sys.stdout and sys.stderr",
    "sys.setrecursionlimit(60)": "recursion limit, to 60", "warnings.simplefilter('error', UserWarning)": "filters",
}  # fmt: skip


@pytest.mark.parametrize(
    ("act", "when", "env"),
    [
        *((act, "score", "Rough") for act in TAKEN),
        ("sys.stdout = None", "constructor", "Rough"),
        ("sys.setrecursionlimit(60)", "score", "Later"),
    ],
)
def test_what_an_environment_takes_from_the_process_is_set_back_with_one_note(run, act, when, env):
    ended = run(when, act, "-n", "1", env=env)  # several at once would take it from each other
    assert ended.returncode == 0, ended.stderr
    assert "reward 1.000" in ended.stdout
    assert ended.stderr.count("set back") == 1
    assert TAKEN[act] in ended.stderr


def test_filters_of_warnings_within_a_call_are_its_own(run):
    act = "with warnings.catch_warnings(): warnings.simplefilter('error'); threading.Event().wait(0.01)"
    assert "set back" not in run("score", act).stderr
