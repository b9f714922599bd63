"""Evaluations that are killed at random moments, and disks that are full: the run goes on and has the same records."""

import os
import random
import time
from functools import partial

import pytest

from grpo_env_sdk.cli import main
from grpo_env_sdk.runs.reading import open_run
from tests.forked_commands import user_environment
from tests.full_disk import no_file_above

KILLS = int(os.environ.get("GRPO_ENV_TEST_KILLS", "6"))
WORDS = ("eval", "tests.cli.slow_environment:Slow", "--model", "gold", "-k", "4", "--split", "all")


@pytest.fixture
def start(tmp_path, fork_server):
    return partial(fork_server.start, "grpo_env_sdk", cwd=tmp_path, environment=user_environment())


def records(path):
    """The episodes of a run without what differs from run to run: their order and their times."""
    found = [episode.as_json() | {"timings": None} for episode in open_run(path).episodes()]
    for record in found:
        record["tool_calls"] = [call | {"seconds": None} for call in record["tool_calls"]]
    return sorted(found, key=lambda record: (record["row_index"], record["sample"]))


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The records of a run that nothing disturbed."""
    folder = tmp_path_factory.mktemp("undisturbed") / "run"
    assert main([*WORDS, "--out", str(folder)]) == 0
    return records(folder)


def test_a_run_that_was_killed_before_it_had_a_manifest_begins_again(tmp_path, whole):
    run = tmp_path / "run"
    run.mkdir()
    (run / ".lock").touch()
    (run / ".manifest.json.new").write_text('{"env": ')
    assert main([*WORDS, "--out", str(run)]) == 0
    assert records(run) == whole


@pytest.mark.slow
def test_killed_at_random_moments_from_its_start_on_a_run_has_the_records_of_one_that_was_not(start, tmp_path, whole):
    rng, run = random.Random(15), tmp_path / "run"
    for _ in range(KILLS):
        begun = (run / "manifest.json").exists()
        process = start("eval", "--resume", "run") if begun else start(*WORDS, "--out", "run")
        if begun:  # else it is killed while it starts
            size = (run / "episodes.jsonl").stat().st_size if (run / "episodes.jsonl").exists() else 0
            while process.poll() is None and (run / "episodes.jsonl").stat().st_size == size:
                time.sleep(0.001)
        time.sleep(rng.uniform(0, 0.2 if begun else 1.0))
        process.kill()
        process.communicate()
    words = ("eval", "--resume", "run") if (run / "manifest.json").exists() else (*WORDS, "--out", "run")
    process = start(*words)
    _, told = process.communicate()
    assert process.returncode == 0, told
    assert records(run) == whole


@pytest.mark.parametrize("size", [0, 100, 2000, 20_000])
def test_a_full_disk_is_one_line_and_the_run_goes_on_once_there_is_space(tmp_path, capsys, whole, size):
    run = tmp_path / "run"
    with no_file_above(size):
        assert main([*WORDS, "--out", str(run)]) == 2
    told = capsys.readouterr().err
    (line,) = [line for line in told.splitlines() if "run" in line]
    assert "cannot be written" in line
    assert ("--resume" in line) == run.exists()
    if run.exists():
        with no_file_above(size):
            assert main(["eval", "--resume", str(run)]) == 2
        assert main(["eval", "--resume", str(run)]) == 0
    else:
        assert main([*WORDS, "--out", str(run)]) == 0
    assert records(run) == whole
