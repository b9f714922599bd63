"""What `grpo-env view --export` may write over."""

import json

import pytest

from grpo_env_sdk import evaluate
from grpo_env_sdk.cli import main


@pytest.mark.parametrize("name", ["episodes.jsonl", "link.html"])
def test_an_export_takes_no_file_of_the_run_itself(tmp_path, capsys, name):
    run = tmp_path / "run"
    evaluate("tests.environments:Guess", "gold", rows=1, split="all", out=run)
    (run / "link.html").symlink_to("episodes.jsonl")
    before = (run / "episodes.jsonl").read_bytes()
    assert main(["view", str(run), "--export", str(run / name)]) == 2
    assert "a file of the run" in capsys.readouterr().err
    assert (run / "episodes.jsonl").read_bytes() == before


def test_a_small_page_is_counted_in_kilobytes(tmp_path, capsys):
    evaluate("tests.environments:Guess", "gold", split="all", rows=1, out=tmp_path / "run")
    assert main(["view", str(tmp_path / "run"), "--export", str(tmp_path / "page.html")]) == 0
    size = round((tmp_path / "page.html").stat().st_size / 1000)
    assert f"({size} KB, 1 episode)" in capsys.readouterr().out


def test_json_says_what_was_exported_and_serves_nothing(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    evaluate("tests.environments:Guess", "gold", split="all", rows=1, out="run")
    assert main(["view", "run", "--export", "page.html", "--json"]) == 0
    size = (tmp_path / "page.html").stat().st_size
    assert json.loads(capsys.readouterr().out) == {"file": "page.html", "bytes": size, "episodes": 1}
    assert main(["view", "run", "--json"]) == 2
    assert "--export" in json.loads(capsys.readouterr().out)["error"]["message"]


def test_an_exported_page_beside_the_episodes_is_written_again(tmp_path):
    evaluate("tests.environments:Guess", "gold", rows=1, split="all", out=tmp_path / "run")
    for _ in range(2):
        assert main(["view", str(tmp_path / "run"), "--export", str(tmp_path / "run" / "page.html")]) == 0
