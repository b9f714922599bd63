"""Whatever an environment or a server puts into a run: its writer leaves out what its reader would refuse."""

import asyncio
import json
import os
import subprocess

import aiohttp
import pytest

from grpo_env_sdk import GrpoEnvWarning, SingleTurnEnv, evaluate, open_run
from grpo_env_sdk.cli import main
from grpo_env_sdk.images.run_images import RunImageError, RunImages
from grpo_env_sdk.policies.openai_wire import turn_from
from grpo_env_sdk.runs.reading import RunError
from grpo_env_sdk.runs.writing import create_run, resume_run
from grpo_env_sdk.types import Episode
from grpo_env_sdk.viewing.index import RunIndex
from grpo_env_sdk.viewing.server import start_server

DEEP = json.loads("[" * 250 + "]" * 250)
MANIFEST = {"format": "run-v1", "env": "toy-v1", "config": {}, "rows": 2, "samples": 1, "created": "2026-01-01"}


class Odd(SingleTurnEnv):
    """The first of three rows does something that no reader of its run would take."""

    def build_dataset(self, tokenizer):
        return [{"prompt": f"{at}", "at": at, "kind": "a\nb\x1b[31m"} for at in range(3)]

    def score_episode(self, model, tokenizer, completion, at, **columns):
        return self.odd() if at == 0 else 1.0


class Large(Odd):
    def odd(self):
        return 1e150


class Largest(Odd):
    def score_episode(self, model, tokenizer, completion, at, **columns):
        return 1.7e308 if at else -1.0


class Named(Odd):
    def odd(self):
        raise type("Bad\nname\x1b", (Exception,), {})("x")


class Deep(Odd):
    def build_dataset(self, tokenizer):
        found = super().build_dataset(tokenizer)
        return [{**row, "deep": DEEP if row["at"] == 0 else None} for row in found]

    def odd(self):
        return 1.0


@pytest.mark.parametrize("cls", [Large, Largest, Named, Deep])
def test_a_run_that_an_environment_has_filled_can_be_read_shown_and_resumed(cls, tmp_path, capsys):
    out = tmp_path / "runs/one"
    found = evaluate(cls, "echo", split="all", by="kind", out=out)
    kept = sorted(open_run(out).episodes(), key=lambda one: one.row_index)
    assert [one.error is None for one in kept] == [cls is Largest, *[cls is not Largest] * 2]
    assert all(one.error.type != "RefusedError" for one in kept if one.error)
    assert open_run(out).summary()["episodes"] == found.summary["episodes"] == 3
    assert main(["runs", "show", str(out)]) == 0
    assert "\x1b" not in capsys.readouterr().out
    assert evaluate(cls, "echo", split="all", by="kind", out=out, resume=True).summary["episodes"] == 3


TURN = {"message": {"role": "assistant", "content": "x"}}


@pytest.mark.parametrize("odd", [
    {"token_ids": [True]}, {"token_ids": [10**30]}, {"token_ids": [-1]}, {"token_ids": [1.0]},
    *({"logprobs": {"content": [{"logprob": value}]}} for value in (10**310, 10**400, True, float("nan"), "1", None)),
])  # fmt: skip
def test_token_ids_and_logprobs_that_are_none_are_left_out(odd):
    turn = turn_from({"choices": [{**TURN, **odd}], "usage": {"prompt_tokens": 2**53, "completion_tokens": True}})
    assert (turn.token_ids, turn.logprobs, turn.prompt_tokens, turn.completion_tokens) == (None, None, None, None)


def an_episode(**changes):
    given = {
        "env": "toy-v1", "row": {"prompt": "p"}, "seed": 1, "messages": [{"role": "user", "content": "x"}],
        "opening": 1, "stop_reason": "terminated", "reward": 1.0,
    }  # fmt: skip
    return Episode(**{**given, **changes})


@pytest.mark.parametrize("changes", [
    {"token_ids": [[True]]}, {"token_ids": [[10**30]]}, {"usage": {"prompt_tokens": 2**53}}, {"row": {"d": DEEP}},
    {"metrics": {"a\nb": 1.0}, "step_rewards": [1e200], "rewards": {"x": 1e300}, "timings": {"a": 1e200},
     "usage": {"a": -1}, "tool_calls": [{}], "tools": ["a"]},
    {"messages": [{"content": 1}], "opening": 3}, {"row": {"prompt": 5}}, {"metrics": {"a": 10**400}},
])  # fmt: skip
def test_what_a_reader_refuses_is_written_as_an_error_of_its_episode(changes, tmp_path):
    with create_run(tmp_path / "r", MANIFEST) as writer:
        assert writer.append(an_episode(**changes)).error.stage == "record"
        assert writer.append(an_episode(row_index=1)).error is None
        with pytest.warns(
            GrpoEnvWarning, match=r'without what is too large or could not be read again: reward \(\{"mean": 1e\+300'
        ):
            writer.finish({"errors": {"a\nb": 1}, "reward": {"mean": 1e300}, "episodes": 2})
    assert [one.stop_reason for one in open_run(tmp_path / "r").episodes()] == ["env_error", "terminated"]
    assert open_run(tmp_path / "r").summary() == {"errors": {"a\\nb": 1}, "episodes": 2}


def test_a_config_that_no_manifest_can_keep_is_refused_before_anything_is_written(tmp_path):
    for config in ({"a": DEEP}, {"a": "x" * (17 << 20)}):
        with pytest.raises(RunError, match="could not be opened again"):
            create_run(tmp_path / "r", MANIFEST | {"config": config})
    assert not (tmp_path / "r").exists()


@pytest.mark.parametrize("name", ["\N{WOMAN}\N{ZERO WIDTH JOINER}\N{MICROSCOPE} runs", os.fsdecode(b"caf\xe9")])
def test_a_run_can_be_replayed_and_scored_again_whatever_its_folder_is_called(name, tmp_path, capsys):
    first, second, third = (str(tmp_path / name / run) for run in ("first", "second", "third"))
    guess = ["eval", "tests.environments:Guess", "--split", "all", "-n", "1"]
    assert main([*guess, "--model", "gold", "--out", first]) == 0
    assert main([*guess, "--model", f"replay:{first}", "--out", second]) == 0
    assert main(["rescore", second, "--out", third]) == 0
    assert open_run(third).manifest["rescored_from"] == second
    assert main(["runs", "show", third]) == 0


def test_a_value_that_no_manifest_can_keep_is_named_in_the_next_step(tmp_path):
    with pytest.raises(RunError, match=r"its base_url is .* Give base_url such a value"):
        create_run(tmp_path / "r", MANIFEST | {"base_url": "http://\x1b"})


@pytest.mark.parametrize("end", [b"", b"\n"])
def test_a_file_without_end_is_one_line_and_little_memory(end, tmp_path, capsys):
    with create_run(tmp_path / "r", MANIFEST) as writer:
        writer.append(an_episode())
    with (tmp_path / "r/episodes.jsonl").open("r+b") as file:
        file.truncate(50 << 30)
        file.seek(0, os.SEEK_END)
        file.write(end)
    assert main(["diff", str(tmp_path / "r"), str(tmp_path / "r")]) == 2
    assert "more than 64 MiB" in capsys.readouterr().err
    with pytest.raises(RunError, match="more than 64 MiB"):
        resume_run(open_run(tmp_path / "r"), MANIFEST)


def test_a_run_of_absurdly_many_samples_is_one_line(tmp_path, capsys):
    env = f"{__name__}:Largest"
    assert main(["eval", env, "--model", "echo", "--split", "all", "--out", str(tmp_path / "r")]) == 0
    manifest = json.loads((tmp_path / "r/manifest.json").read_text())
    (tmp_path / "r/manifest.json").write_text(json.dumps(manifest | {"samples": 10**15}))
    (tmp_path / "r/summary.json").unlink()
    capsys.readouterr()
    assert main(["eval", env, "--model", "echo", "--resume", str(tmp_path / "r")]) == 2
    said = capsys.readouterr().err.splitlines()[-1]
    assert f"{10**15} samples of each of 3 rows" in said


def test_an_image_without_end_is_not_read(tmp_path):
    (tmp_path / "images").mkdir()
    with (tmp_path / f"images/{'0' * 64}.png").open("wb") as file:
        file.truncate(50 << 30)
    with pytest.raises(RunImageError, match="is missing"):
        RunImages(tmp_path).png("0" * 64)


def test_a_manifest_of_many_megabytes_hides_no_other_run(tmp_path, capsys):
    for name in ("a", "b"):
        with create_run(tmp_path / name, MANIFEST) as writer:
            writer.append(an_episode())
    (tmp_path / "a/manifest.json").write_text(json.dumps(MANIFEST | {"config": {"a": "[]" * (9 << 20)}}))
    assert main(["runs", "--dir", str(tmp_path)]) == 0
    assert str(tmp_path / "b") in capsys.readouterr().out
    assert main(["runs", "show", str(tmp_path / "a")]) == 2
    assert "more than" in capsys.readouterr().err


def test_folders_that_are_nested_without_end_are_one_line(tmp_path, capsys, monkeypatch):
    with create_run(tmp_path / "r", MANIFEST) as writer:
        writer.append(an_episode())
    monkeypatch.chdir(tmp_path / "r")
    for _ in range(1200):
        os.mkdir("d")
        os.chdir("d")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(RunError, match="folders nested more than 50 deep"):
        resume_run(open_run("r"), MANIFEST)
    assert main(["runs", "rm", "r", "--yes"]) in (0, 2)  # later versions of Python delete them
    assert "Traceback" not in capsys.readouterr().err
    subprocess.run(["rm", "-r", "r"], check=False)


def replaced_by_a_pipe(path):
    path.unlink()
    os.mkfifo(path)


def replaced_by_a_link(path):
    path.unlink()
    path.symlink_to("/etc/passwd")


def cut_short(path):
    os.truncate(path, 10)


def other_json(path):
    path.write_bytes(b"{}".ljust(path.stat().st_size - 1) + b"\n")


@pytest.mark.parametrize("change", [replaced_by_a_pipe, replaced_by_a_link, cut_short, other_json, os.remove])
def test_a_run_that_changes_while_it_is_viewed_is_one_line(change, tmp_path):
    with create_run(tmp_path / "r", MANIFEST) as writer:
        writer.append(an_episode())
    index = RunIndex(open_run(tmp_path / "r"))
    assert index.record(0)["env"] == "toy-v1"
    change(tmp_path / "r/episodes.jsonl")
    for read in (lambda: index.record(0), lambda: index.search("x"), lambda: list(index.records())):
        with pytest.raises(RunError, match=r"has changed since it was opened: .*Load it again"):
            read()

    async def asked():
        runner, address = await start_server([index])
        try:
            async with aiohttp.ClientSession() as session:
                return [(await session.get(address + page)).status for page in ("episode?i=0", "search?q=x", "")]
        finally:
            await runner.cleanup()

    without_episodes = change in (cut_short, os.remove)  # as before the first one ends
    assert asyncio.run(asked()) == [409, 409, 200 if without_episodes else 409]


def test_a_value_that_no_reader_takes_is_an_error_that_says_what_is_allowed_and_what_to_do(tmp_path):
    evaluate(Large, "echo", split="all", out=tmp_path / "run")
    error = next(one.error for one in open_run(tmp_path / "run").episodes() if one.error)
    assert "its reward is 1e+150, and must be a number between -1e+100 and 1e+100 or null" in error.message
    assert "Let the environment return such a value." in error.message
