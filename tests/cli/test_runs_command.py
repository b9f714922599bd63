"""`grpo-env runs` on trainings, whose episodes on disk are only samples."""

import json
import os

import pytest

from grpo_env_sdk import evaluate
from grpo_env_sdk.cli import main
from grpo_env_sdk.runs.guarded_files import lock_run
from grpo_env_sdk.runs.reading import EPISODES, MANIFEST, SUMMARY
from grpo_env_sdk.runs.training_progress import METRICS
from tests.environments import Guess

HELDOUT = {
    "before": {"mean": 0.125, "low": 0.1, "high": 0.2, "greedy": 0.25},
    "after": {"mean": 0.875, "low": 0.8, "high": 0.9, "greedy": 1.0},
}


@pytest.fixture
def training(tmp_path, monkeypatch):
    """The folder of a training of 4 steps that has ended."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "runs" / "one"
    evaluate(Guess, "gold", split="all", rows=2, out=folder)
    edit(folder / MANIFEST, training={"max_steps": 4}, samples=8)
    edit(folder / SUMMARY, steps=4, finished=True, heldout=HELDOUT, seconds=1.5)
    return folder


def edit(path, **values):
    path.write_text(json.dumps(json.loads(path.read_text()) | values))


def shown(capsys, *words):
    assert main(["runs", *words]) == 0
    return capsys.readouterr().out


def test_a_training_shows_its_steps_and_the_held_out_reward_before_and_after(training, capsys):
    listed = shown(capsys)
    assert "4/4 steps" in listed
    assert "0.125 -> 0.875" in listed
    text = shown(capsys, "show", "runs/one")
    assert "4/4 steps" in text
    assert "0.875 [0.800, 0.900]" in text
    assert "pass@" not in text
    row = json.loads(shown(capsys, "--json"))["runs"][0]
    assert row["training"] == {"steps": 4, "of": 4, "finished": True, "heldout": HELDOUT, "seconds": 1.5}
    assert row["of"] is None
    assert json.loads(shown(capsys, "show", "runs/one", "--json"))["summary"]["training"] == row["training"]


def test_an_evaluation_that_was_stopped_says_how_to_go_on(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    evaluate(Guess, "gold", split="all", rows=2, out="one")
    assert "not finished" not in shown(capsys, "show", "one")
    edit(tmp_path / "one" / MANIFEST, rows=5)
    assert "not finished: 2 of 5 episodes; go on with: grpo-env eval --resume one" in shown(capsys, "show", "one")


def test_an_evaluation_that_another_process_writes_is_running_and_needs_no_resume(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    evaluate(Guess, "gold", split="all", rows=2, out="runs/one")
    edit(tmp_path / "runs" / "one" / MANIFEST, rows=5)
    with lock_run(tmp_path / "runs" / "one"):
        text = shown(capsys, "show", "runs/one")
        assert "running: 2 of 5 episodes; another process writes it" in text
        assert "--resume" not in text
        assert "2/5, running" in shown(capsys)
        assert json.loads(shown(capsys, "--json"))["runs"][0]["running"] is True
        assert json.loads(shown(capsys, "show", "runs/one", "--json"))["running"] is True
        for words in (["diff", "runs/one", "runs/one"], ["view", "runs/one", "--export", "page.html"]):
            assert main(words) == 0
            assert capsys.readouterr().err == "note: runs/one is still running; this is what it has so far.\n"
    assert json.loads(shown(capsys, "--json"))["runs"][0]["running"] is False


def test_a_run_that_is_named_twice_is_deleted_once(training, capsys):
    assert main(["runs", "rm", "runs/one", "runs/one/", "--yes"]) == 0
    assert capsys.readouterr().out == "deleted runs/one\n"


def test_a_training_that_goes_on_is_running_and_one_that_stopped_says_how_to_go_on(training, capsys):
    (training / SUMMARY).unlink()
    assert "not finished; go on with: grpo-env train --resume runs/one" in shown(capsys, "show", "runs/one")
    data = json.loads(shown(capsys, "show", "runs/one", "--json"))
    assert data["resume_command"] == "grpo-env train --resume runs/one"
    assert (data["summary"]["training"]["finished"], data["summary"]["training"]["seconds"]) == (False, None)
    with lock_run(training):
        assert "0/4 steps, running" in shown(capsys)
        assert "--resume" not in shown(capsys, "show", "runs/one")
        assert json.loads(shown(capsys, "show", "runs/one", "--json"))["resume_command"] is None


def test_the_command_that_goes_on_starts_as_many_processes_and_makes_as_many_steps(training, capsys):
    (training / SUMMARY).unlink()
    edit(training / MANIFEST, resume_with={"num_processes": 2, "max_steps": 12, "accelerate_config": "evil.yaml"})
    again = "go on with: grpo-env train --resume runs/one --num-processes 2 --max-steps 12\n"
    assert again in shown(capsys, "show", "runs/one")  # no file that only somebody else has named
    assert "0/12 steps" in shown(capsys)
    edit(training / MANIFEST, resume_with={"num_processes": "2; rm"})
    assert main(["runs", "show", "runs/one"]) == 2
    assert "resume_with" in capsys.readouterr().err


def test_a_training_that_was_resumed_for_fewer_steps_has_finished_them(training, capsys):
    edit(training / MANIFEST, resume_with={"max_steps": 4}, training={"max_steps": 60})
    assert "4/4 steps" in shown(capsys)
    found = json.loads(shown(capsys, "show", "runs/one", "--json"))["summary"]["training"]
    assert (found["steps"], found["of"], found["finished"]) == (4, 4, True)


def test_the_step_of_an_episode_has_no_mean(training, capsys):
    edit(training / SUMMARY, metrics={"step": 2.0, "looked_up": 0.5})
    assert json.loads(shown(capsys, "show", "runs/one", "--json"))["summary"]["metrics"] == {"looked_up": 0.5}
    text = shown(capsys, "show", "runs/one")
    assert "looked_up" in text
    assert "2.000" not in text


def test_a_training_that_goes_on_shows_the_last_step_that_it_logged(training, capsys):
    (training / SUMMARY).unlink()
    assert "0/4 steps, not finished" in shown(capsys)
    (training / METRICS).write_text('{"step": 1, "reward": 0.1}\n{"step": 2, "reward": 0.1}\n{"step": 3, "rew')
    assert "2/4 steps, not finished" in shown(capsys)
    assert "2/4 steps, not finished" in shown(capsys, "show", "runs/one")


def test_steps_that_are_not_numbers_are_one_note_and_hide_no_other_run(training, capsys):
    (training / SUMMARY).unlink()
    (training / METRICS).write_text('{"step": "many"}\n')
    assert main(["runs"]) == 0
    assert METRICS in capsys.readouterr().err
    edit(training / MANIFEST, training={"max_steps": "four"})
    (training / METRICS).unlink()
    assert "0 steps, not finished" in shown(capsys)


def test_a_training_is_no_evaluation_that_could_go_on(training, capsys):
    kept = {path: path.read_bytes() for path in training.rglob("*") if path.is_file()}
    assert main(["eval", "--resume", "runs/one", "--trust"]) == 2
    told = capsys.readouterr().err
    assert "runs/one is a training. grpo-env train --resume runs/one" in told
    assert "grpo-env eval --model runs/one" in told
    assert {path: path.read_bytes() for path in training.rglob("*") if path.is_file()} == kept


def test_a_training_without_episodes_is_gone_on_with_by_train(training, capsys):
    (training / EPISODES).write_bytes(b"")
    assert main(["view", "runs/one", "--export", "one.html"]) == 2
    assert "`grpo-env train --resume runs/one` runs them" in capsys.readouterr().err


def test_a_run_that_is_written_is_not_deleted(training, capsys):
    with lock_run(training):
        assert main(["runs", "rm", "runs/one", "--yes"]) == 2
    assert "Another process is writing to 'runs/one'" in capsys.readouterr().err
    assert json.loads(shown(capsys, "rm", "runs/one", "--yes", "--json")) == {"deleted": ["runs/one"]}
    assert not training.exists()


def test_a_folder_that_is_named_and_missing_is_one_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["runs"]) == 0
    assert main(["runs", "--dir", "rnus"]) == 2
    assert "no folder 'rnus'" in capsys.readouterr().err


def test_runs_of_one_environment_are_listed_by_its_id_or_a_pattern(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name, env in (("one", "hotel-v1"), ("two", "hotel-v2"), ("three", "wordle-v1"), ("four", "several")):
        evaluate(Guess, "gold", split="all", rows=1, out=tmp_path / "runs" / name)
        edit(tmp_path / "runs" / name / MANIFEST, env=env)
    edit(tmp_path / "runs" / "four" / MANIFEST, environments={"hotel-v2": {}, "wordle-v1": {}})

    def listed(pattern):
        return {row["run"] for row in json.loads(shown(capsys, "--env", pattern, "--json"))["runs"]}

    assert listed("hotel-v1") == {"runs/one"}
    assert listed("hotel-*") == {"runs/one", "runs/two", "runs/four"}
    assert "runs/three" not in shown(capsys, "--env", "hotel-*")
    assert main(["runs", "--env", "hotle-v1"]) == 2
    assert "Did you mean 'hotel-v1'" in capsys.readouterr().err
    assert main(["runs", "rm", "runs/one", "--env", "hotel-v1"]) == 2
    assert (tmp_path / "runs" / "one").is_dir()


def test_a_run_whose_file_of_episodes_was_cut_says_how_many_are_lost(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    evaluate(Guess, "gold", split="all", rows=3, out="runs/one")
    assert json.loads(shown(capsys, "--json"))["runs"][0]["lost"] == 0
    path = tmp_path / "runs" / "one" / EPISODES
    path.write_text(path.read_text().splitlines(keepends=True)[0])
    finished = (path.parent / SUMMARY).stat().st_mtime
    os.utime(path, (finished + 1, finished + 1))
    assert main(["runs"]) == 0
    listed, told = capsys.readouterr()
    assert "3/3, 2 lost" in listed
    assert "note: 2 episodes of the summary of runs/one are no longer in its episodes.jsonl" in told
    assert "grpo-env eval --resume runs/one" in told
    os.utime(path, (finished - 1, finished - 1))
    assert json.loads(shown(capsys, "show", "runs/one", "--json"))["lost"] == 2
    evaluate(Guess, "gold", split="all", rows=3, out="runs/two")
    for command in (["diff", "runs/one", "runs/two"], ["rescore", "runs/one", "--trust"]):
        assert main(command) == 0
        assert "note: 2 episodes of the summary of runs/one are no longer" in capsys.readouterr().err
    path.unlink()
    assert json.loads(shown(capsys, "show", "runs/one", "--json"))["lost"] == 3


def test_a_run_whose_manifest_is_broken_is_noted_and_a_folder_of_others_is_not(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    evaluate(Guess, "gold", split="all", rows=1, out="runs/one")
    for name, text in (("broken", '{"env'), ("page", '{"name": "page"}')):
        (tmp_path / "runs" / name).mkdir()
        (tmp_path / "runs" / name / MANIFEST).write_text(text)
    (tmp_path / "runs/broken" / EPISODES).touch()
    assert main(["runs"]) == 0
    listed, told = capsys.readouterr()
    assert "runs/one" in listed
    assert "The manifest of 'runs/broken' cannot be read" in told
    assert "Restore or remove it." in told
    assert "page" not in told
    assert main(["runs", "rm", "runs/broken", "--yes"]) == 2
    assert "remove it yourself: rm -r runs/broken" in capsys.readouterr().err
    assert main(["runs", "rm", "runs/page", "--yes"]) == 2
    assert "rm -r" not in capsys.readouterr().err
