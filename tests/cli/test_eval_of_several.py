"""`grpo-env eval` of several environments: one that fails ends no other, and a folder has the runs of all."""

import json
import signal
from pathlib import Path

import pytest

from grpo_env_sdk.cli import main
from grpo_env_sdk.runs.reading import open_run
from tests.forked_commands import user_environment

ENVS = """
class Sums:
    parallel = True

    def build_dataset(self, tokenizer):
        return [{"prompt": f"{n} + {n}?", "answer": str(2 * n)} for n in range(4)]

    def score_episode(self, model, tokenizer, completion, answer):
        return float(completion.strip() == answer)

    def solve(self, row):
        return row["answer"]


class More(Sums):
    pass


class Unbuilt(Sums):
    def build_dataset(self, tokenizer):
        raise RuntimeError("no rows today")


class Unopened(Sums):
    def open_shared(self):
        raise RuntimeError("no server today")


class Failing(Sums):
    def score_episode(self, model, tokenizer, completion, answer):
        raise RuntimeError("no score today")
"""
ALL = ("-m", "gold", "--split", "all")
BROKEN = ("envs:Smus", "envs:Unbuilt", "envs:Unopened", "envs:Failing")


@pytest.fixture
def envs(workplace):
    workplace.write("envs.py", ENVS)
    return workplace


def evaluated(capsys, *words):
    """The exit code, each line of JSON, and stderr."""
    code = main([*words, "--json"])
    printed = capsys.readouterr()
    return code, [json.loads(line) for line in printed.out.splitlines()], printed.err


def test_each_that_cannot_be_used_is_one_line_and_the_others_are_evaluated(envs, capsys):
    words = ("eval", BROKEN[0], "envs:Sums", *BROKEN[1:], "envs:More", *ALL, "--max-errors", "1", "--out", "night")
    code, told, _ = evaluated(capsys, *words)
    assert code == 2
    errors = {one["env"]: one["error"]["message"] for one in told if "error" in one}
    assert list(errors) == [*BROKEN]
    assert "no rows today" in errors["envs:Unbuilt"]
    assert "no server today" in errors["envs:Unopened"]
    assert "1 of 1 episodes failed" in errors["envs:Failing"]
    assert {one["env"]: one["reward"]["mean"] for one in told if "error" not in one} == {"envs:Sums": 1, "envs:More": 1}


def test_as_text_they_are_lines_of_stderr_that_name_the_environment(envs, capsys):
    assert main(["eval", "envs:Sums", "envs:Unopened", *ALL]) == 2
    printed = capsys.readouterr()
    assert "gold on envs:Sums: reward 1.000" in printed.out
    (line,) = [line for line in printed.err.splitlines() if line.startswith("grpo-env: ")]
    assert "envs:Unopened" in line
    assert "no server today" in line
    assert "1 of 2 environments could not be evaluated" in printed.err


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("envs:Sums", "hotle-v1"), "No env named 'hotle-v1'"),
        (("envs:Sums", "envs:More", "--temperature", "-1"), "temperature must be"),
        (("envs:Sums", "envs:More", "--by", "answr"), "--by answr: no such column"),
        (("envs:Sums", "envs:More", "-m", "glod"), "No policy named 'glod'"),
        (("envs:Sums", "envs:More", "--out", "envs.py"), "'envs.py' is not a folder"),
    ],
)
def test_what_is_wrong_for_all_is_one_line_before_anything_runs(envs, capsys, words, why):
    assert main(["eval", *ALL, *words]) == 2
    printed = capsys.readouterr()
    assert why in printed.err
    assert printed.err.count("\n") == 1
    assert printed.out == ""
    assert not Path("runs").exists()


def test_a_dry_run_shows_what_would_run_and_what_cannot(envs, capsys):
    assert main(["eval", "envs:Unbuilt", "envs:Sums", *ALL, "--dry-run"]) == 2
    printed = capsys.readouterr()
    assert "envs:Sums: 4 episodes by gold would run" in printed.out
    assert "no rows today" in printed.err


def test_the_folder_has_a_run_named_for_each_environment(envs, capsys):
    code, told, _ = evaluated(capsys, "eval", "envs:Sums", "envs:More", *ALL, "--out", "night")
    assert code == 0
    assert [one["run"] for one in told] == ["night/envs-Sums", "night/envs-More"]
    assert "already has runs. Resume them with --resume night" in refused(
        capsys, "eval", "envs:Sums", "envs:More", *ALL
    )
    assert "night/envs-Sums" in printed(capsys, "runs", "--dir", ".")
    assert "`grpo-env runs --dir night` lists them" in refused(capsys, "runs", "show", "night")


def refused(capsys, *words):
    out = () if words[0] == "runs" else ("--out", "night")
    assert main([*words, *out]) == 2
    return capsys.readouterr().err


def printed(capsys, *words):
    assert main([*words]) == 0
    return capsys.readouterr().out


def test_without_a_folder_there_is_a_new_one_which_runs_lists(envs, capsys):
    _, told, _ = evaluated(capsys, "eval", "envs:Sums", "envs:More", *ALL)
    (folder,) = Path("runs").iterdir()
    assert {Path(one["run"]).parent for one in told} == {folder}
    listed = json.loads(printed(capsys, "runs", "--json"))["runs"]
    assert {one["run"] for one in listed} == {one["run"] for one in told}


def test_two_packages_with_an_id_are_told_apart(site, workplace, capsys):
    for package in ("near", "far"):
        site.install(f"{package}-inns", envs={"inn-v1": f"{package}:Sums"}, modules={f"{package}.py": ENVS})
    code, told, _ = evaluated(capsys, "eval", "near-inns:inn-v1", "far-inns:inn-v1", *ALL, "--out", "night")
    assert code == 0
    assert [one["run"] for one in told] == ["night/near-inns-inn-v1", "night/far-inns-inn-v1"]


def test_an_environment_that_is_named_twice_is_evaluated_once(site, workplace, capsys):
    site.install("near-inns", envs={"inn-v1": "near:Sums"}, modules={"near.py": ENVS})
    _, told, _ = evaluated(capsys, "eval", "inn-v1", "near-inns:inn-v1", *ALL)
    assert len(told) == 1


def test_resuming_the_folder_plays_what_is_missing_and_names_what_has_no_run(envs, capsys):
    words = ("eval", "envs:Unbuilt", "envs:Unopened", "envs:Sums", *ALL, "--out", "night")
    assert evaluated(capsys, *words)[0] == 2
    envs.write("envs.py", ENVS.replace("no server", "no door"))
    Path("night/envs-Sums/episodes.jsonl").unlink()
    code, told, _ = evaluated(capsys, "eval", "--resume", "night")
    assert code == 2
    assert [one["env"] for one in told] == ["envs:Unbuilt", "envs:Unopened", "envs:Sums"]
    assert "no rows today" in told[0]["error"]["message"]
    assert told[1]["run"] == "night/envs-Unopened"
    assert told[2]["episodes"] == 4


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("envs:Sums",), "night has the runs of several environments. Name the one that you mean"),
        (("--give-up", "2"), "night has the runs of several environments. Name the one that you mean"),
        (("-n", "2"), "--resume uses the settings of the run"),
    ],
)
def test_flags_of_one_run_are_refused_for_a_folder_of_several(envs, capsys, words, why):
    evaluated(capsys, "eval", "envs:Sums", "envs:More", *ALL, "--out", "night")
    assert main(["eval", *words, "--resume", "night"]) == 2
    assert why in capsys.readouterr().err


def listing(*entries):
    """The text of an `evaluations.json` with these entries."""
    usual = {"env": "a", "distribution": None, "run": None, "error": {}}
    return json.dumps({"format": "evaluations-v1", "evaluations": [usual | entry for entry in entries]})


@pytest.mark.parametrize(
    "text",
    ["{", '{"format": "other"}', listing({"run": "../b"}), listing({"env": "a\nnote: all passed"}), listing()],
)
def test_a_list_that_was_damaged_is_one_line(envs, capsys, text):
    envs.write("night/evaluations.json", text)
    assert main(["eval", "--resume", "night"]) == 2
    told = capsys.readouterr().err
    assert "night/evaluations.json cannot be read" in told
    assert told.count("\n") == 1


def test_a_stranger_has_one_line_for_what_has_no_run_and_it_names_the_environment(envs, capsys):
    envs.write("night/evaluations.json", listing({"error": {"message": "a\nnote: all passed"}}, {"env": "b"}))
    assert main(["eval", "--resume", "night"]) == 2
    told = capsys.readouterr().err.splitlines()
    assert told[0].startswith("grpo-env: a note: all passed. It has no run here")
    assert told[1].startswith("grpo-env: b: it could not be used.")
    assert told[2:] == ["note: 2 of 2 environments could not be evaluated."]


def test_a_listed_run_that_is_a_link_to_another_folder_is_not_resumed(envs, capsys):
    evaluated(capsys, "eval", "envs:Sums", "envs:More", *ALL, "--out", "night")
    Path("night/envs-Sums").rename("mine")
    Path("night/envs-Sums").symlink_to("../mine")
    Path("mine/episodes.jsonl").unlink()
    code, told, _ = evaluated(capsys, "eval", "--resume", "night")
    assert code == 2
    assert "'night/envs-Sums' is a link to another folder" in told[0]["error"]["message"]
    assert told[1]["episodes"] == 4
    assert not Path("mine/episodes.jsonl").exists()
    assert evaluated(capsys, "eval", "--resume", "night/envs-Sums")[0] == 0


def test_an_interrupt_names_the_command_that_goes_on_with_all_of_them(fork_server, tmp_path):
    (tmp_path / "other.py").write_text("from tests.cli.slow_environment import Slow\n\nclass Later(Slow):\n    pass\n")
    place = {"cwd": tmp_path, "environment": user_environment()}
    words = ("eval", "tests.cli.slow_environment:Slow", "other:Later", *ALL, "--concurrency", "2", "--out", "night")
    process = fork_server.start("grpo_env_sdk", *words, "--min-reward", "0.5", **place)
    records = tmp_path / "night/tests.cli.slow_environment-Slow/episodes.jsonl"
    while not records.exists() or not records.read_bytes():
        pass
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "Resume with: grpo-env eval --resume night --min-reward 0.5" in told
    done = fork_server.run("grpo_env_sdk", "eval", "--resume", "night", "--json", **place)
    assert [json.loads(line)["episodes"] for line in done.stdout.splitlines()] == [50, 50], done.stderr
    assert len(list(open_run(tmp_path / "night/other-Later").episodes())) == 50
