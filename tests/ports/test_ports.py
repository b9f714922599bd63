"""Environments of other frameworks, against the real packages: `make test-slow ARGS=tests/ports`."""

import runpy
import socket
import subprocess
import time
import urllib.request
from collections import Counter

import pytest

from grpo_env_sdk import open_run
from tests.counted import FILE
from tests.doc_blocks import ROOT
from tests.ports.place import Place
from tests.ports.port import HERE, PORTS

pytestmark = pytest.mark.slow
ROWS = ("--split", "all", "-n", "24")


@pytest.fixture(scope="module", params=PORTS, ids=lambda port: port.name)
def place(request, tmp_path_factory):
    """A port's own virtual environment, kept with pytest's cache, and its server where it needs one."""
    port, cache = request.param, getattr(request.config, "cache", None)
    kept = cache.mkdir("ports") if cache else tmp_path_factory.getbasetemp()
    found = Place(kept / port.name, port)
    found.prepare()
    if port.server is None:
        yield found
        return
    url = f"http://127.0.0.1:{free_port()}"
    process = subprocess.Popen([found.python, HERE / "theirs" / f"{port.server}.py", url.rpartition(":")[2]])
    try:
        wait_for(f"{url}/sessions", process)
        yield Place(found.folder, port, url)
        assert read(f"{url}/sessions") == b"0"
    finally:
        process.terminate()
        process.wait()


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """The folder of a tiny model with random weights, and with room for the tools of BFCL."""
    folder = tmp_path_factory.mktemp("model")
    model, tokenizer = runpy.run_path(str(ROOT / "plugins/grpo-env-trl/tests/tiny_models.py"))["tiny_model"]("qwen3")
    model.config.max_position_embeddings = tokenizer.model_max_length = 65536
    for part in (model, tokenizer):
        part.save_pretrained(folder)
    return folder


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def wait_for(url, process):
    while True:
        try:
            return read(url)
        except OSError:
            assert process.poll() is None, "the server has ended"
            time.sleep(0.1)


def read(url):
    with urllib.request.urlopen(url, timeout=10) as answer:
        return answer.read()


def played(place, policy, concurrency, folder):
    """The result of an evaluation, and its transcripts in the order of the rows."""
    result = place.grpo_env("eval", "--model", policy, "--concurrency", concurrency, *ROWS, "--out", folder)
    records = sorted(open_run(folder).episodes(), key=lambda episode: episode.row["case_idx"])
    return result, [(episode.messages, episode.rewards, episode.reward) for episode in records]


def test_gold_is_at_the_top_and_no_transcript_depends_on_the_concurrency(place, tmp_path):
    gold, at_once = played(place, "gold", "64", tmp_path / "gold")
    assert (gold["reward"]["mean"], gold["scored"]) == (1.0, len(at_once))
    assert played(place, "gold", "1", tmp_path / "gold alone")[1] == at_once
    wild, at_once = played(place, "random", "64", tmp_path / "random")
    assert wild["reward"]["mean"] < 0.5
    assert wild["errors"] == {}
    assert played(place, "random", "1", tmp_path / "random alone")[1] == at_once


def test_no_instance_is_left_open(place, tmp_path, monkeypatch):
    notes = tmp_path / "notes"
    notes.touch()
    monkeypatch.setenv(FILE, str(notes))
    monkeypatch.setenv("COUNTED_PORT", place.port.target)
    place.grpo_env("eval", "--model", "random", *ROWS, "--out", tmp_path / "run", target="counted_port:Counted")
    place.grpo_env("test", "--quick", "--select", "episode", target="counted_port:Counted")
    still_open = Counter()
    for what, *instance in map(str.split, notes.read_text().splitlines()):
        still_open[tuple(instance)] += 1 if what == "begun" else -1
    assert set(still_open.values()) <= {0}


def test_the_checks_find_nothing(place):
    report = place.grpo_env("test", "--timeout", "300")
    assert [finding for finding in report["findings"] if finding["severity"] != "info"] == []


def test_it_trains(place, model, tmp_path):
    if not place.port.trains:
        pytest.skip("its images need a model that sees, which plugins/grpo-env-trl/tests train")
    sizes = ("--per-device-train-batch-size", "4", "--num-generations", "2", "--max-turn-tokens", "8", "--rows", "8")
    trained = place.grpo_env(
        "train", "--model", model, "--max-steps", "2", "--eval-rows", "0", *sizes, "--out", tmp_path / "run"
    )
    assert trained["steps"] == 2
