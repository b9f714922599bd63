import errno
import fcntl
import json
import os
import shutil
import subprocess
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from grpo_env_sdk import Episode, evaluate
from grpo_env_sdk.runs import writing
from grpo_env_sdk.runs.live_rows import LiveRow, left_in
from grpo_env_sdk.runs.new_folders import take_folder
from grpo_env_sdk.runs.reading import RunError, list_runs, open_run
from grpo_env_sdk.runs.running import is_running
from grpo_env_sdk.runs.writing import RunWriter, create_run, differences, resume_run
from grpo_env_sdk.types import Fault
from tests.environments import Phonebook
from tests.full_disk import no_file_above

CREATED = "2026-01-01T00:00:00"
MANIFEST = {"format": "run-v1", "env": "toy-v1", "config": {}, "rows": 2, "samples": 1, "created": CREATED}


def record(row=0):
    messages = [{"role": "user", "content": "line\nbreak \ud800 \u2028"}]
    return Episode(env="toy-v1", row={"prompt": "p"}, row_index=row, seed=1, messages=messages, opening=1,
                   stop_reason="terminated", reward=1.0)  # fmt: skip


def test_a_record_is_one_whole_line_whatever_is_in_it(tmp_path):
    with create_run(tmp_path / "r", MANIFEST) as writer:
        writer.append(record(0))
        writer.append(record(1))
    assert (tmp_path / "r/episodes.jsonl").read_bytes().count(b"\n") == 2
    assert [episode.row_index for episode in open_run(tmp_path / "r").episodes()] == [0, 1]


def test_an_episode_that_no_reader_would_count_is_refused(tmp_path):
    with create_run(tmp_path / "r", MANIFEST) as writer:
        writer.append(record(0))
        for more, why in ((record(0), "repeated"), (replace(record(1), sample=1), "not planned")):
            with pytest.raises(RunError, match=f"sample {more.sample} of row {more.row_index}: it is {why}.*EvalPlan"):
                writer.append(more)
        writer.append(record(1))
        with pytest.raises(RunError, match="row 2: it is not planned"):
            writer.append(record(2))
    assert [episode.row_index for episode in open_run(tmp_path / "r").episodes()] == [0, 1]


def test_a_resumed_run_refuses_what_is_on_disk_and_takes_what_was_set_aside_or_cut(tmp_path):
    failed = replace(record(1), error=Fault("environment", "reset", "OSError", "away"))
    with create_run(tmp_path / "r", MANIFEST) as writer:
        writer.append(record(0))
        writer.append(failed)
    with resume_run(open_run(tmp_path / "r"), MANIFEST, retry_failed=True) as writer:
        with pytest.raises(RunError, match="repeated"):
            writer.append(record(0))
        writer.append(record(1))
        writer.cut(lambda episode: episode.row_index == 0)
        writer.append(record(1))
    assert [episode.row_index for episode in open_run(tmp_path / "r").episodes()] == [0, 1]


class FullDisk:
    """A file on a disk that has three bytes left, which can be cut nevertheless."""

    def __init__(self, file):
        self._file, self._left = file, 3

    def __getattr__(self, name):
        return getattr(self._file, name)

    def write(self, data):
        if not self._left:
            raise OSError(errno.ENOSPC, "No space left on device")
        self._left = 0
        return self._file.write(data[:3])


def test_a_disk_that_is_full_after_a_cut_leaves_no_bytes(tmp_path):
    with create_run(tmp_path / "r", MANIFEST) as writer:
        for row in (0, 1):
            writer.append(record(row))
        writer.cut(lambda episode: episode.row_index == 0)
        whole, file = (tmp_path / "r/episodes.jsonl").read_bytes(), writer._file
        writer._file = FullDisk(file)
        with pytest.raises(RunError, match="space"):
            writer.append(record(1))
        writer._file = file
        assert (tmp_path / "r/episodes.jsonl").read_bytes() == whole
        writer.append(record(1))
    assert [episode.row_index for episode in open_run(tmp_path / "r").episodes()] == [0, 1]


def test_a_line_that_the_disk_did_not_confirm_is_not_written_again(tmp_path, monkeypatch):
    def fail(descriptor):
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(writing, "_SYNC_EVERY", 1)
    with create_run(tmp_path / "r", MANIFEST) as writer:
        with monkeypatch.context() as broken:
            broken.setattr(os, "fsync", fail)
            with pytest.raises(RunError, match="Input/output"):
                writer.append(record(0))
        with pytest.raises(RunError, match="repeated"):
            writer.append(record(0))
    assert [episode.row_index for episode in open_run(tmp_path / "r").episodes()] == [0]


def test_an_episode_that_was_not_written_can_be_written_once_there_is_space(tmp_path):
    with create_run(tmp_path / "r", MANIFEST) as writer:
        writer.append(record(0))
        with no_file_above((tmp_path / "r/episodes.jsonl").stat().st_size + 9), pytest.raises(RunError, match="space"):
            writer.append(record(1))
        writer.append(record(1))
    assert [episode.row_index for episode in open_run(tmp_path / "r").episodes()] == [0, 1]


def test_a_torn_last_line_is_left_aside_and_cut_off_on_resume(tmp_path):
    with create_run(tmp_path / "r", MANIFEST) as writer:
        writer.append(record(0))
    with (tmp_path / "r/episodes.jsonl").open("ab") as file:
        file.write(b'{"env": "toy-v1", "row_ind')
    run = open_run(tmp_path / "r")
    assert len(list(run.episodes())) == 1
    with resume_run(run, MANIFEST) as writer:
        writer.append(record(1))
    assert [episode.row_index for episode in open_run(tmp_path / "r").episodes()] == [0, 1]


def test_a_line_that_somebody_damaged_is_named(tmp_path):
    with create_run(tmp_path / "r", MANIFEST) as writer:
        writer.append(record(0))
        writer.append(record(1))
    path = tmp_path / "r/episodes.jsonl"
    path.write_bytes(b"oops\n" + path.read_bytes())
    with pytest.raises(RunError, match=r"episodes.jsonl:1 is not an episode"):
        list(open_run(tmp_path / "r").episodes())


def test_failed_episodes_are_run_again_where_asked_to_and_their_records_kept_aside(tmp_path):
    class Moody(Phonebook):
        broken = True

        def setup(self, row):
            if Moody.broken and row["half"]:
                raise OSError("server is down")

    evaluate(Moody, "gold", split="all", out=tmp_path / "r")
    run = open_run(tmp_path / "r")
    failed = [episode for episode in run.episodes() if episode.error]
    assert len(failed) == 15
    with resume_run(run, run.manifest, retry_failed=True) as writer:
        kept = list(writer.run.episodes())
    assert len(kept) == 15
    assert all(episode.reward == 1.0 for episode in kept)
    assert (tmp_path / "r/failed.jsonl").read_bytes().count(b"\n") == 15


def test_a_forked_child_that_outlives_its_parent_does_not_keep_the_run_locked(tmp_path):
    has_begun, begun = os.pipe()
    may_end, end = os.pipe()
    with create_run(tmp_path / "r", MANIFEST):
        child = os.fork()
        if not child:
            os.write(begun, b".")
            os.read(may_end, 1)
            os._exit(0)
        os.read(has_begun, 1)
    resume_run(open_run(tmp_path / "r"), MANIFEST).close()
    assert os.waitpid(child, os.WNOHANG) == (0, 0)
    os.write(end, b".")
    os.waitpid(child, 0)
    for pipe in (has_begun, begun, may_end, end):
        os.close(pipe)


def test_two_writers_of_one_run_are_refused(tmp_path):
    with create_run(tmp_path / "r", MANIFEST), pytest.raises(RunError, match="Another process is writing"):
        resume_run(open_run(tmp_path / "r"), MANIFEST)


def test_a_run_that_began_and_ended_meanwhile_is_not_written_over(tmp_path):
    class Slow(type(tmp_path)):
        """Between the look at the folder and its lock, another process has a whole run there."""

        def mkdir(self, *args, **kwargs):
            with create_run(tmp_path / "r", MANIFEST) as writer:
                writer.append(record(0))

    with pytest.raises(RunError, match="already has a run"):
        create_run(Slow(tmp_path / "r"), MANIFEST)
    assert len([*open_run(tmp_path / "r").episodes()]) == 1
    resume_run(open_run(tmp_path / "r"), MANIFEST).close()


def test_commands_that_begin_in_the_same_second_have_folders_of_their_own(tmp_path):
    named = tmp_path / "runs" / "hotel-20260101-000000"
    assert [take_folder(named).name for _ in range(3)] == [named.name, f"{named.name}-2", f"{named.name}-3"]
    (tmp_path / "file").touch()
    with pytest.raises(RunError, match="cannot be written"):
        take_folder(tmp_path / "file" / "run")


def test_a_changed_environment_is_refused_by_name_and_a_forced_one_is_noted(tmp_path):
    with create_run(tmp_path / "r", MANIFEST) as writer:
        writer.append(record(0))
    changed = MANIFEST | {"config": {"difficulty": "hard"}, "created": "2026-01-02T00:00:00"}
    with pytest.raises(RunError, match=r'config\.difficulty was not set and is "hard".*--force'):
        resume_run(open_run(tmp_path / "r"), changed)
    resume_run(open_run(tmp_path / "r"), changed, force=True).close()
    (forced,) = open_run(tmp_path / "r").manifest["forced"]
    assert forced == {"at": "2026-01-02T00:00:00", "differences": differences(MANIFEST, changed)}


def test_changed_code_is_told_in_words():
    assert differences({"source_hash": "1a"}, {"source_hash": "2b"}) == ["the environment's code changed"]
    assert differences({}, {"source_hash": "2b"}) == ['source_hash was null and is "2b"']


def test_of_objects_only_the_keys_that_differ_are_named():
    long = {"extra": {"top_k": 5, "stop": "a" * 90}, "logprobs": False, "seed": 0}
    one = {"sampling": long, "limits": {"turns": None, "tokens": 5}, "config": {"shop": {"size": 1, "name": "a"}}}
    other = {
        "sampling": long | {"seed": 1, "extra": long["extra"] | {"top_k": 6}},
        "limits": {"turns": 3, "tokens": 5},
        "config": {"shop": {"size": 2, "name": "a"}, "new": None},
    }
    assert differences(one, other) == [
        "config.shop.size was 1 and is 2", "config.new was not set and is null", "extra.top_k was 5 and is 6",
        "seed was 0 and is 1", "limits.turns was null and is 3",
    ]  # fmt: skip
    assert differences(one, one) == []


def test_another_environment_is_refused_even_where_it_is_forced(tmp_path):
    create_run(tmp_path / "r", MANIFEST).close()
    with pytest.raises(RunError, match="is a run of 'toy-v1', not of 'other-v1'"):
        resume_run(open_run(tmp_path / "r"), MANIFEST | {"env": "other-v1"}, force=True)
    assert "forced" not in open_run(tmp_path / "r").manifest


def test_a_folder_with_something_in_it_is_not_touched(tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(RunError, match=r"is not empty\. Take another --out\.$"):
        create_run(tmp_path, MANIFEST)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_a_run_that_exists_is_not_overwritten(tmp_path):
    create_run(tmp_path / "my run", MANIFEST).close()
    with pytest.raises(RunError, match=r"already has a run.*--resume '.*my run', or"):
        create_run(tmp_path / "my run", MANIFEST)


def test_a_run_that_never_began_leaves_nothing_behind(tmp_path):
    with pytest.raises(ZeroDivisionError), create_run(tmp_path / "r", MANIFEST):
        1 / 0  # noqa: B018
    assert not (tmp_path / "r").exists()


def test_a_run_whose_folder_was_deleted_is_one_clear_line_and_nothing_is_written_again(tmp_path):
    def write():
        with create_run(tmp_path / "r", MANIFEST) as writer:
            writer.append(record())
            shutil.rmtree(tmp_path / "r")
            writer.finish({})

    with pytest.raises(RunError, match=r"r' was deleted or moved .* Begin again"):
        write()
    assert [*tmp_path.iterdir()] == []


def test_the_episode_after_its_folder_was_deleted_or_renamed_ends_a_run(tmp_path):
    def write(name, do):
        with create_run(tmp_path / name, MANIFEST) as writer, writer.live_rows.during(LiveRow(0, 0, "step", "toy")):
            do(tmp_path / name)
            writer.append(record())

    with pytest.raises(RunError, match=r"one' was deleted or moved .* Begin again"):
        write("one", shutil.rmtree)
    with pytest.raises(RunError, match=r"two' was deleted or moved .* --resume and its new place"):
        write("two", lambda folder: folder.rename(tmp_path / "moved"))
    assert [path.name for path in tmp_path.iterdir()] == ["moved"]
    assert [*open_run(tmp_path / "moved").episodes()] == [record()]
    assert left_in(tmp_path / "moved") == []


def test_a_run_that_took_the_place_of_another_is_left_alone(tmp_path):
    def write():
        with create_run(tmp_path / "r", MANIFEST) as writer, writer.live_rows.during(LiveRow(0, 0, "step", "toy")):
            (tmp_path / "r").rename(tmp_path / "moved")
            other.append(create_run(tmp_path / "r", MANIFEST))
            writer.append(record())

    other: list[RunWriter] = []
    with pytest.raises(RunError, match="deleted or moved"):
        write()
    with other[0] as writer:
        writer.append(record(1))
    assert [*open_run(tmp_path / "r").episodes()] == [record(1)]


def test_whoever_asks_whether_a_run_is_written_keeps_nobody_from_writing_it(tmp_path):
    with create_run(tmp_path / "r", MANIFEST) as writer:
        writer.append(record())
        assert is_running(tmp_path / "r")
    assert not is_running(tmp_path / "r")
    with (tmp_path / "r" / ".lock").open("rb") as asking:
        fcntl.flock(asking, fcntl.LOCK_SH)
        letting_go = threading.Timer(0.01, lambda: fcntl.flock(asking, fcntl.LOCK_UN))
        letting_go.start()
        resume_run(open_run(tmp_path / "r"), MANIFEST).close()
        letting_go.join()


def test_a_run_that_is_written_is_not_to_be_resumed_by_whoever_meant_a_new_one(tmp_path):
    with create_run(tmp_path / "r", MANIFEST), pytest.raises(RunError, match=r"Another .* Take another --out") as found:
        create_run(tmp_path / "r", MANIFEST)
    assert "--resume" not in str(found.value)


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo, lambda path: path.symlink_to("/dev/zero")])
def test_a_lock_that_is_no_file_is_nobody_who_writes(tmp_path, make):
    make(tmp_path / ".lock")
    assert not is_running(tmp_path)
    with pytest.raises(RunError, match=r"\.lock' is not a file\. Remove it"):
        create_run(tmp_path, MANIFEST)


def test_a_folder_that_cannot_be_written_is_one_clear_line(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(RunError, match=r"file/r' cannot be written: Not a directory\. Make it a folder .*--out"):
        create_run(tmp_path / "file" / "r", MANIFEST)


@pytest.fixture
def small_disk(tmp_path):
    """A disk of 256 KiB, where this machine lets us mount one."""
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", tmp_path], capture_output=True).returncode:
        pytest.skip("mounting a disk is not permitted here")
    yield tmp_path
    subprocess.run(["umount", "--lazy", tmp_path], check=True)


def test_a_full_disk_is_one_clear_line_and_what_was_written_is_whole(small_disk):
    def fill():
        with create_run(small_disk / "r", MANIFEST | {"rows": 10_000}) as writer:
            for row in range(10_000):
                writer.append(record(row))

    with pytest.raises(RunError, match="No space left on device"):
        fill()
    kept = [episode.row_index for episode in open_run(small_disk / "r").episodes()]
    assert kept == list(range(len(kept)))
    assert len(kept) > 10


def test_what_is_no_run_is_said_with_the_next_step(tmp_path):
    with pytest.raises(RunError, match="There is no run"):
        open_run(tmp_path / "nothing")
    with pytest.raises(RunError, match=r"it has no manifest\.json"):
        open_run(tmp_path)
    (tmp_path / "manifest.json").write_text("{")
    with pytest.raises(RunError, match="cannot be read"):
        open_run(tmp_path)
    create_run(tmp_path / "runs/first-run", MANIFEST).close()
    with pytest.raises(RunError, match=r"Did you mean '.*first-run'"):
        open_run(tmp_path / "runs/first-rum")
    assert [run.path.name for run in list_runs(tmp_path / "runs")] == ["first-run"]


def test_no_secret_reaches_a_run(tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    evaluate(Phonebook, "gold", out=tmp_path / "r", rows=2, base_url="http://user:hunter2@127.0.0.1:9/v1")
    written = b"".join(path.read_bytes() for path in Path(tmp_path / "r").iterdir())
    assert b"sk-very-secret" not in written
    assert b"hunter2" not in written
    assert json.loads((tmp_path / "r/manifest.json").read_text())["base_url"] == "http://127.0.0.1:9/v1"
