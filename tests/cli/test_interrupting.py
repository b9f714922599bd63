import json
import os
import random
import signal
import time
from functools import partial

import pytest

from grpo_env_sdk.runs.live_rows import left_in
from grpo_env_sdk.runs.reading import open_run
from tests.cli.test_commands import BROKEN
from tests.forked_commands import user_environment

KILLS = int(os.environ.get("GRPO_ENV_TEST_KILLS", "4"))
"""How many kills are tried; `GRPO_ENV_TEST_KILLS=50 make test ARGS=tests/cli/test_interrupting.py` tries 50."""

ENV = "tests.cli.slow_environment:Slow"
HOLDS = """
import time

class Holds:
    def build_dataset(self, tokenizer):
        return [{"prompt": "Say 1."}]

    async def score_episode(self, model, tokenizer, completion):
        time.sleep(2)
        return 1.0
"""


@pytest.fixture
def start(tmp_path, fork_server):
    """Starts an evaluation."""
    return partial(fork_server.start, "grpo_env_sdk", "eval", cwd=tmp_path, environment=user_environment())


def begin(start, *flags):
    return start(ENV, "--model", "gold", "-k", "4", "--split", "all", "--concurrency", "8", "--out", "run", *flags)


def wait_for_records(tmp_path, least):
    path = tmp_path / "run/episodes.jsonl"
    while not path.exists() or path.read_bytes().count(b"\n") < least:
        time.sleep(0.005)


def recorded(tmp_path):
    return [(episode.row_index, episode.sample) for episode in open_run(tmp_path / "run").episodes()]


EVERY = {(row, sample) for row in range(50) for sample in range(4)}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_once_keeps_what_is_done_and_says_how_to_go_on(start, tmp_path, number):
    process = begin(start, "--json")
    wait_for_records(tmp_path, 10)
    process.send_signal(number)
    out, told = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "Resume with: grpo-env eval --resume run" in json.loads(out)["error"]["hint"]
    assert "Resume" not in told
    kept = recorded(tmp_path)
    assert 10 <= len(kept) < 200
    out, told = start("--resume", "run", "--json").communicate(timeout=60)
    assert json.loads(out)["episodes"] == 200, told
    assert recorded(tmp_path)[: len(kept)] == kept


def test_killed_at_random_moments_a_resumed_run_has_every_episode_once(start, tmp_path):
    rng = random.Random(7)
    process = begin(start)
    wait_for_records(tmp_path, 1)
    for _ in range(KILLS):
        time.sleep(rng.uniform(0, 0.15))
        process.kill()
        process.communicate()
        before = recorded(tmp_path)
        assert len(before) == len(set(before))
        process = start("--resume", "run", "--json")
        if len(before) < 180:
            wait_for_records(tmp_path, len(before) + 1)
    out, told = process.communicate(timeout=60)
    assert json.loads(out)["episodes"] == 200, told
    done = recorded(tmp_path)
    assert len(done) == 200
    assert set(done) == EVERY


def test_twice_leaves_at_once_even_where_async_code_blocks(start, tmp_path):
    (tmp_path / "broken.py").write_text(BROKEN)
    process = start("broken:Blocking", "--model", "echo", "--split", "all", "--out", "run")
    while not (tmp_path / "blocking").exists():
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=20)
    assert process.returncode == 130
    assert left_in(tmp_path / "run") == []


def test_a_clock_that_is_set_back_changes_nothing(start, tmp_path):
    begin(start).communicate(timeout=60)
    run = open_run(tmp_path / "run")
    manifest = run.manifest | {"created": "2099-01-01T00:00:00+0000"}
    (tmp_path / "run/manifest.json").write_text(json.dumps(manifest))
    out, told = start("--resume", "run", "--json", "--trust").communicate(timeout=60)
    assert json.loads(out)["episodes"] == 200, told
    assert all(value >= 0 for episode in run.episodes() for value in episode.timings.values())


def test_async_code_that_does_not_await_runs_out_of_time_at_a_named_place(start, tmp_path):
    (tmp_path / "holds.py").write_text(HOLDS)
    arguments = ("holds:Holds", "--model", "echo", "--split", "all", "--limit-call", "0.3", "--out", "run")
    process = start(*arguments)
    _, told = process.communicate(timeout=60)
    assert process.returncode == 1, told
    (episode,) = open_run(tmp_path / "run").episodes()
    assert episode.stop_reason == "timeout"
    assert "blocks the event loop (holds.py:9)" in episode.error.message
