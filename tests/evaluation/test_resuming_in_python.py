"""A run of a policy that is an object in Python, stopped and resumed."""

import json
from functools import partial
from pathlib import Path

import pytest

from grpo_env_sdk import Turn, evaluate
from grpo_env_sdk.cli import main
from grpo_env_sdk.errors import UsageError
from grpo_env_sdk.evaluation.compare import compare
from grpo_env_sdk.evaluation.rescore import rescore
from grpo_env_sdk.evaluation.resuming import resume
from grpo_env_sdk.runs.continuing import command_to_continue
from grpo_env_sdk.runs.reading import EPISODES, RunError, open_run
from tests.environments import Countdown, Phonebook


class Impatient:
    """Answers a few times, then somebody presses Ctrl-C."""

    name = "impatient"

    def __init__(self, turns):
        self.left = turns

    async def respond(self, request):
        self.left -= 1
        if self.left < 0:
            raise KeyboardInterrupt
        return Turn({"role": "assistant", "content": "12"})


def played(turns, out, **more):
    return evaluate(Countdown, Impatient(turns), split="all", rows=6, concurrency=1, out=out, **more)


def test_the_episodes_that_are_missing_are_played(tmp_path):
    with pytest.raises(KeyboardInterrupt, match=r"2 of 6 episodes are in .*resume=True. plays the others"):
        played(2, tmp_path / "r")
    before = [episode.row_index for episode in open_run(tmp_path / "r").episodes()]
    found = played(6 - len(before), tmp_path / "r", resume=True)
    assert found.tally.episodes == len(found.episodes) == 6
    assert played(0, tmp_path / "r", resume=True).tally.episodes == 6  # it is complete: nobody is asked


def test_without_a_run_it_begins_one_and_without_a_folder_it_is_refused(tmp_path):
    assert played(6, tmp_path / "r", resume=True).tally.episodes == 6
    with pytest.raises(UsageError, match="resume=True needs out"):
        played(6, None, resume=True)


def test_what_was_begun_otherwise_is_refused(tmp_path):
    played(6, tmp_path / "r")
    with pytest.raises(RunError, match=r"already has a run.*resume=True plays what it lacks"):
        played(6, tmp_path / "r")
    with pytest.raises(RunError, match="samples was 1 and is 2"):
        played(6, tmp_path / "r", resume=True, samples=2)
    with pytest.raises(RunError, match="Take another out"):
        played(6, tmp_path / "r", resume=True, samples=2)
    with pytest.raises(RunError, match=r"is a run of .*Countdown.*, not of .*Phonebook"):
        evaluate(Phonebook, Impatient(6), out=tmp_path / "r", resume=True)


calls = 0


def careful():
    def guess(request):
        global calls
        calls += 1
        return "12"

    return guess


def hasty():
    def guess(request):
        return "21"

    return guess


def test_a_policy_whose_code_changed_is_refused(tmp_path):
    given = {"split": "all", "rows": 2, "out": tmp_path / "r"}
    evaluate(Countdown, careful(), **given)
    evaluate(Countdown, careful(), **given, resume=True)
    with pytest.raises(RunError, match="the policy's code changed"):
        evaluate(Countdown, hasty(), **given, resume=True)


class Checkpoint(Impatient):
    def __init__(self, version):
        super().__init__(9)
        self.version = version

    def answer(self, request):
        return "12"


@pytest.mark.parametrize(("before", "after", "told"), [
    (Checkpoint(0), Checkpoint(1), 'policy_version was "0" and is "1"'),
    (Checkpoint(0).answer, Checkpoint(1).answer, 'policy_version was "0" and is "1"'),
    (partial(Checkpoint(0).answer), partial(Checkpoint(1).answer), 'policy_version was "0" and is "1"'),
    (Checkpoint(Path("a")), Checkpoint(Path("b")), 'policy_version was "a" and is "b"'),
    (Checkpoint("last"), Checkpoint(None), 'policy_version was "last" and is null'),
])  # fmt: skip
def test_a_policy_of_another_version_is_refused(before, after, told, tmp_path):
    given = {"split": "all", "rows": 2, "out": tmp_path / "r"}
    evaluate(Countdown, before, **given)
    evaluate(Countdown, before, **given, resume=True)
    with pytest.raises(RunError, match=told):
        evaluate(Countdown, after, **given, resume=True)


class Unreadable(Impatient):
    @property
    def version(self):
        raise RuntimeError("no checkpoint yet")


def test_a_version_that_cannot_be_read_is_none(tmp_path):
    given = {"split": "all", "rows": 2, "out": tmp_path / "r"}
    evaluate(Countdown, Unreadable(9), **given)
    assert evaluate(Countdown, Unreadable(9), **given, resume=True).summary["episodes"] == 2


def test_a_script_with_other_content_is_refused_and_a_comparison_names_it(tmp_path):
    script = tmp_path / "answers.jsonl"
    for name, answer in (("a", "12"), ("b", "21")):
        script.write_text(json.dumps(answer))
        evaluate(Countdown, f"scripted:{script}", split="all", rows=2, out=tmp_path / name)
    with pytest.raises(RunError, match=r"policy_version was .content .* and is .content "):
        resume(str(tmp_path / "a"))
    (said,) = compare(open_run(tmp_path / "a"), open_run(tmp_path / "b")).settings
    assert said.startswith("policy_version was")


asked, upper = [], str.upper


def test_what_its_code_keeps_in_variables_is_no_change(tmp_path):
    def guess(request):
        asked.append(upper(request.messages[-1]["content"]))
        return "12"

    given = {"split": "all", "rows": 2, "out": tmp_path / "r"}
    evaluate(Countdown, guess, **given)
    evaluate(Countdown, guess, **given, resume=True)


def test_so_is_a_lambda_whatever_the_call_around_it_says(tmp_path):
    evaluate(Countdown, lambda request: "12", split="all", rows=2, out=tmp_path / "r")
    evaluate(Countdown, lambda request: "12", split="all", rows=2, out=tmp_path / "r", resume=True)
    with pytest.raises(RunError, match="the policy's code changed"):
        evaluate(Countdown, lambda request: "21", split="all", rows=2, out=tmp_path / "r", resume=True)


def test_whatever_says_how_it_goes_on_names_the_call(tmp_path, capsys):
    played(6, tmp_path / "r")
    run = open_run(tmp_path / "r")
    call = f"evaluate(..., out={str(run.path)!r}, resume=True)"
    assert command_to_continue(run) == call
    episodes = tmp_path / "r" / EPISODES
    episodes.write_bytes(b"".join(episodes.read_bytes().splitlines(keepends=True)[:2]))
    assert main(["runs", "show", str(tmp_path / "r")]) == 0
    assert call in "".join(capsys.readouterr())


def test_a_rescored_run_goes_on_with_rescoring(tmp_path):
    played(6, tmp_path / "r")
    rescore(open_run(tmp_path / "r"), tmp_path / "again", env="tests.environments:Countdown", trust=True)
    assert command_to_continue(open_run(tmp_path / "again")) == f"grpo-env rescore {tmp_path / 'r'}"


def test_the_command_says_that_the_policy_was_an_object(tmp_path):
    played(6, tmp_path / "r")
    with pytest.raises(UsageError, match=r"policy 'impatient' of .* was an object in Python.*resume=True.*runs show"):
        resume(str(tmp_path / "r"))


def test_failed_episodes_are_named_where_a_result_is_printed():
    class Raising(Impatient):
        async def respond(self, request):
            raise ValueError("no idea")

    assert "2 failed: " in repr(evaluate(Countdown, Raising(0), split="all", rows=2))
