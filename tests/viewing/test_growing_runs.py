"""The viewer's server where runs grow, change or vanish under an open page."""

import asyncio
import json
import shutil
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest

from grpo_env_sdk.cli import main
from grpo_env_sdk.runs.reading import EPISODES, MANIFEST, open_run
from grpo_env_sdk.runs.training_progress import METRICS
from grpo_env_sdk.runs.writing import create_run, resume_run
from grpo_env_sdk.viewing.index import RunIndex
from grpo_env_sdk.viewing.server import start_server
from tests.viewing.test_viewing import Served, data_in, made

PLANNED = {"env": "toy-v1", "policy": "p", "split": "test", "rows": 9, "samples": 1, "reward_range": [0.0, 1.0]}


@contextmanager
def served(*paths: Path):
    """A server of these runs."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    starting = start_server([RunIndex(open_run(path)) for path in paths])
    runner, address = asyncio.run_coroutine_threadsafe(starting, loop).result(60)
    try:
        yield Served(address)
    finally:
        asyncio.run_coroutine_threadsafe(runner.cleanup(), loop).result(60)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def written(path: Path, *episodes, **changes):
    with create_run(path, PLANNED | changes) as writer:
        for episode in episodes:
            writer.append(episode)
    return path


def loaded(server):
    """The data of the page as it is loaded now."""
    status, _, body = server.page()
    assert status == 200, body
    return data_in(body.decode())


def refused(server, path=""):
    """Why an address has nothing, as one line."""
    status, _, body = server.page(path)
    assert status == 409
    assert len(body.decode().splitlines()) == 1
    return body.decode()


def episode(server, i, version):
    return server.page(f"episode?run=0&i={i}&version={version}")


def test_episodes_that_end_while_the_server_runs_are_there_once_the_page_is_loaded_again(tmp_path):
    with create_run(tmp_path / "run", PLANNED) as writer, served(tmp_path / "run") as server:
        first = loaded(server)
        assert (first["runs"][0]["table"], first["runs"][0]["running"]) == ([], True)
        writer.append(made(0, reward=0.0))
        writer.append(made(1, reward=1.0))
        assert [row["row"] for row in loaded(server)["runs"][0]["table"]] == [0, 1]
        with (tmp_path / "run" / EPISODES).open("ab") as file:
            file.write(b'{"env": "toy-v1", "row_')  # as a reader may see it while it is written
        half = loaded(server)
        with (tmp_path / "run" / EPISODES).open("r+b") as file:
            file.truncate(file.seek(0, 2) - 23)
        writer.append(made(2, reward=1.0))
        second = loaded(server)
        run = second["runs"][0]
        assert [row["row"] for row in half["runs"][0]["table"]] == [0, 1]
        assert [(row["i"], row["row"], row["bin"]) for row in run["table"]] == [(0, 0, 0), (1, 1, 19), (2, 2, 19)]
        assert (run["summary"]["episodes"], sum(run["histogram"]["counts"])) == (3, 3)
        assert json.loads(episode(server, 2, second["version"])[2])["row_index"] == 2
        assert episode(server, 1, first["version"])[0] == 200  # the page from before still has its episodes
        assert server.page("search?q=done")[2] == b"[0, 1, 2]"
    assert RunIndex(open_run(tmp_path / "run")).table == run["table"]


def test_a_training_shows_the_steps_of_now(tmp_path):
    path = written(tmp_path / "run", made(), training={"max_steps": 4})
    with served(path) as server:
        assert loaded(server)["runs"][0]["training"]["steps"] == 0
        (path / METRICS).write_text('{"step": 3, "reward": 0.5}\n')
        assert loaded(server)["runs"][0]["training"]["steps"] == 3
        (path / METRICS).write_text('{"step": "many"}\n')
        assert loaded(server)["runs"][0]["training"] is None


def test_a_run_that_is_deleted_or_renamed_is_one_line_and_there_again_once_it_is_back(tmp_path):
    path = written(tmp_path / "run", made(0), made(1))
    with served(path) as server:
        path.rename(tmp_path / "moved")
        assert "There is no run" in refused(server)
        assert "run/episodes.jsonl has changed" in refused(server, "episode?i=0")
        (tmp_path / "moved").rename(path)
        assert len(loaded(server)["runs"][0]["table"]) == 2
        shutil.rmtree(path)
        path.write_text("a file")
        assert "There is no run" in refused(server)


def test_a_page_of_another_run_than_the_one_that_is_there_now_gets_none_of_its_episodes(tmp_path):
    path = written(tmp_path / "run", made(0), made(1))
    with served(path) as server:
        earlier = loaded(server)["version"]
        shutil.rmtree(path)
        written(path, made(7), made(8), policy="other")
        now = loaded(server)
        assert [row["row"] for row in now["runs"][0]["table"]] == [7, 8]
        assert now["runs"][0]["manifest"]["policy"] == "other"
        assert "has another run or other episodes by now" in refused(server, f"episode?i=0&version={earlier}")
        assert "by now" in refused(server, f"search?q=done&version={earlier}")
        assert episode(server, 0, now["version"])[0] == 200


def test_episodes_that_run_again_are_read_from_the_beginning(tmp_path):
    path = written(tmp_path / "run", made(0), made(1))
    with served(path) as server:
        assert len(loaded(server)["runs"][0]["table"]) == 2
        with resume_run(open_run(path), PLANNED) as writer:
            writer.cut(lambda one: one.row_index == 0)
            writer.append(made(5))
        assert [row["row"] for row in loaded(server)["runs"][0]["table"]] == [0, 5]


@pytest.mark.parametrize("name", [EPISODES, MANIFEST])
def test_a_file_that_is_damaged_meanwhile_is_one_line_until_it_is_restored(tmp_path, name):
    path = written(tmp_path / "run", made(0), made(1))
    with served(path) as server:
        kept = (path / name).read_bytes()
        (path / name).write_bytes(kept + b"{\n")
        assert name in refused(server) or "The manifest of" in refused(server)
        (path / name).write_bytes(kept)
        assert len(loaded(server)["runs"][0]["table"]) == 2


def test_of_two_runs_that_are_compared_the_later_one_may_grow_and_become_another(tmp_path):
    before = written(tmp_path / "before", *(made(row, reward=0.0) for row in range(3)))
    with create_run(tmp_path / "after", PLANNED) as writer:
        writer.append(made(0, reward=1.0))
        with served(tmp_path / "after", before) as server:
            assert "of 1 rows 1 rose" in loaded(server)["comparison"]["text"]
            writer.append(made(1, reward=1.0))
            assert "of 2 rows 2 rose" in loaded(server)["comparison"]["text"]
            manifest = json.loads((before / MANIFEST).read_text())
            (before / MANIFEST).write_text(json.dumps(manifest | {"env": "another-v1"}))
            assert "their environments differ" in refused(server)


def test_a_run_that_has_begun_just_now_is_no_run_to_resume(tmp_path, capsys):
    with create_run(tmp_path / "run", PLANNED):
        assert main(["view", str(tmp_path / "run"), "--export", str(tmp_path / "page.html")]) == 2
        error = capsys.readouterr().err
    assert "has no episodes yet: it is running. Wait for the first of them." in error
