"""The folder of a training: what a crash leaves of it, and when it may be taken up again."""

import json
import shutil
import tracemalloc
from dataclasses import replace

import pytest
import torch

from grpo_env_sdk import Episode
from grpo_env_sdk.errors import UsageError
from grpo_env_sdk.runs.reading import RunError, open_run
from grpo_env_trl.runs.resuming import check_steps_left
from grpo_env_trl.runs.run_folder import (
    RunFolder,
    check_resumable,
    check_unfinished,
    create_folder,
    is_write_error,
    resume_folder,
)
from grpo_env_trl.runs.whole_checkpoints import drop_older, fault_of, mark_unfinished, mark_whole, processes_of
from tests.full_disk import no_file_above

MANIFEST = {"kind": "train", "env": "sums-v1", "source_hash": "abc", "training": {}}


def begun(folder, steps=0, checkpoints=()):
    """A run that logged so many steps and saved these checkpoints, the last of them torn."""
    create_folder(folder, MANIFEST, "env: sums-v1\n").close()
    made = RunFolder(folder)
    made.metrics.write_text("".join(f'{{"step": {step}, "reward": 0.5}}\n' for step in range(1, steps + 1)))
    for step in checkpoints:
        path = folder / "checkpoints" / f"checkpoint-{step}"
        path.mkdir(parents=True)
        (path / "optimizer.pt").write_bytes(b"...")
        if step != checkpoints[-1]:
            (path / "trainer_state.json").write_text("{}")
            mark_whole(path, 1)
    return made


def test_what_came_after_the_last_whole_checkpoint_is_forgotten(tmp_path):
    made = begun(tmp_path / "run", steps=9, checkpoints=(2, 10, 6, 9))
    with made.metrics.open("a") as file:
        file.write('{"step": 10, "rew')
    assert [*made.checkpoints()] == [2, 6, 10]
    shutil.rmtree(tmp_path / "run/checkpoints/checkpoint-10")
    writer, checkpoint, notes = resume_folder(open_run(tmp_path / "run"), MANIFEST)
    writer.close()
    assert (checkpoint.name, notes) == ("checkpoint-6", [])
    assert [entry["step"] for entry in made.logged()] == [1, 2, 3, 4, 5, 6]
    assert made.metrics.read_text().endswith("}\n")
    assert not (tmp_path / "run/checkpoints/checkpoint-9").exists()


def test_without_a_checkpoint_a_training_begins_again_in_its_folder(tmp_path):
    made = begun(tmp_path / "run", steps=3)
    writer, checkpoint, _ = resume_folder(open_run(tmp_path / "run"), MANIFEST)
    writer.close()
    assert checkpoint is None
    assert [*made.logged()] == []


def cut(checkpoint):
    (checkpoint / "optimizer.pt").write_bytes(b".")
    return "optimizer.pt has 1 bytes, not 3"


def lose(checkpoint):
    (checkpoint / "optimizer.pt").unlink()
    return "optimizer.pt is missing"


def change(checkpoint):
    (checkpoint / "optimizer.pt").write_bytes(b"..,")
    return "optimizer.pt has changed since it was written"


def spoil_the_marker(checkpoint):
    (checkpoint / "grpo_env_checkpoint.json").write_text('{"files": [')
    return "its grpo_env_checkpoint.json cannot be read"


def test_the_episodes_of_steps_that_are_played_again_are_recorded_again(tmp_path):
    made = begun(tmp_path / "run", steps=3, checkpoints=(2, 3))
    row = {"prompt": "1 + 1?", "case_idx": 0}
    played = Episode(env="sums-v1", row=row, seed=0, messages=[], opening=0, stop_reason="terminated")
    told = [replace(played, metrics={"step": step}) for step in (1, 2, 3)]
    run = open_run(tmp_path / "run")
    (tmp_path / "run/episodes.jsonl").write_text("".join(json.dumps(one.as_json()) + "\n" for one in told))
    (tmp_path / "run/grpo_env_seal.json").unlink()
    writer, _, _ = resume_folder(run, MANIFEST)
    writer.append(replace(told[2], sample=7))
    writer.close()
    assert [(one.metrics["step"], one.sample) for one in run.episodes()] == [(1, 0), (2, 0), (3, 7)]
    assert made.checkpoints()


def test_a_checkpoint_that_the_disk_had_no_room_to_mark_is_not_taken_for_one_of_an_earlier_version(tmp_path):
    made = begun(tmp_path / "run", steps=9, checkpoints=(2, 4))
    torn = tmp_path / "run/checkpoints/checkpoint-4"
    mark_unfinished(torn)
    for name in ("trainer_state.json", "grpo_env_state.json"):
        (torn / name).write_text("{}")
    with no_file_above(0), pytest.raises(OSError, match="too large"):
        mark_whole(torn, 1)
    assert [*made.checkpoints()] == [2]
    mark_whole(torn, 1)
    assert [*made.checkpoints()] == [2, 4]
    assert fault_of(torn) is None


def test_a_disk_without_room_for_the_config_leaves_no_run(tmp_path):
    with (
        no_file_above(4000),
        pytest.raises(RunError, match=r"cannot be written: .*\. Free some space, and begin again"),
    ):
        create_folder(tmp_path / "run", MANIFEST, "x: 1\n" * 1000)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("damage", [cut, lose, change, spoil_the_marker])
def test_a_training_goes_on_from_the_newest_whole_checkpoint_and_says_so(damage, tmp_path):
    made = begun(tmp_path / "run", steps=9, checkpoints=(2, 6, 9))
    told = damage(made.checkpoints()[6])
    writer, checkpoint, notes = resume_folder(open_run(tmp_path / "run"), MANIFEST)
    writer.close()
    assert checkpoint.name == "checkpoint-2"
    assert notes == [f"checkpoint-6 is damaged: {told}. Going on from checkpoint-2; it is now damaged-checkpoint-6."]
    assert [entry["step"] for entry in made.logged()] == [1, 2]
    assert (tmp_path / "run/checkpoints/damaged-checkpoint-6").is_dir()


def test_too_few_steps_after_a_damaged_checkpoint_are_refused_with_what_happened_to_it(tmp_path):
    made = begun(tmp_path / "run", steps=12, checkpoints=(2, 6, 9, 12))
    run = open_run(tmp_path / "run")
    check_steps_left(run, 9, 9)
    with pytest.raises(UsageError, match=r"goes on after step 9, so --max-steps 1"):
        check_steps_left(run, 9, 1)
    told = cut(made.checkpoints()[9])
    with pytest.raises(UsageError, match=rf"goes on after step 6, as checkpoint-9 is damaged: {told}, so --max-steps"):
        check_steps_left(run, 6, 1)


def test_where_none_is_whole_a_training_begins_again_and_says_so(tmp_path):
    made = begun(tmp_path / "run", steps=3, checkpoints=(2, 3))
    cut(made.checkpoints()[2])
    writer, checkpoint, notes = resume_folder(open_run(tmp_path / "run"), MANIFEST)
    writer.close()
    assert checkpoint is None
    assert "There is no other, so the training begins again" in notes[0]


def test_a_checkpoint_of_an_earlier_version_has_no_marker(tmp_path):
    path = tmp_path / "checkpoint-2"
    path.mkdir()
    (path / "trainer_state.json").write_text("{}")
    assert fault_of(path) == "it was not written to its end"
    (path / "grpo_env_state.json").write_text("{}")
    assert (fault_of(path), processes_of(path)) == (None, None)


@pytest.mark.parametrize(("keep", "best", "left"), [
    (None, None, [1, 2, 3, 10]), (2, None, [3, 10]), (1, None, [10]), (1, 2, [2, 10]), (3, 1, [1, 3, 10]),
])  # fmt: skip
def test_older_checkpoints_go_but_never_the_newest_nor_the_best(keep, best, left, tmp_path):
    for step in (1, 2, 3, 10):
        (tmp_path / f"checkpoint-{step}").mkdir()
    drop_older(tmp_path / "checkpoint-10", keep, best and str(tmp_path / f"checkpoint-{best}"))
    assert sorted(int(path.name.rpartition("-")[2]) for path in tmp_path.iterdir()) == left


def test_two_processes_do_not_share_a_folder(tmp_path):
    with (
        create_folder(tmp_path / "run", MANIFEST, ""),
        pytest.raises(RunError, match=r"Another process is writing to .*run.\. Wait until it ends, or stop it\."),
    ):
        resume_folder(open_run(tmp_path / "run"), MANIFEST)


def test_a_finished_training_is_not_resumed(tmp_path):
    begun(tmp_path / "run")
    (tmp_path / "run/summary.json").write_text(json.dumps({"finished": True}))
    with pytest.raises(UsageError, match=r"is finished\. To train its model further: --model .*run"):
        check_resumable(open_run(tmp_path / "run"), MANIFEST)


def test_what_changed_since_it_stopped_is_named(tmp_path):
    begun(tmp_path / "run")
    changed = {**MANIFEST, "source_hash": "def"}
    with pytest.raises(UsageError, match=r"cannot be resumed: the environment.s code changed\. Undo the change"):
        check_resumable(open_run(tmp_path / "run"), changed)
    check_resumable(open_run(tmp_path / "run"), MANIFEST)


@pytest.mark.parametrize(("before", "now", "told"), [
    ([("m:f", 1.0)], [], "reward_funcs was m:f=1 and is none"),
    ([("m:f", 1.0)], [("m:f", 0.5)], "reward_funcs was m:f=1 and is m:f=0.5"),
    ([], [(None, 1.0)], "reward_funcs was none and is Mine=1"),
    ([(None, 1.0)], [], r"rewards that only a program has: Mine\. Resume it there: train\(\.\.\., resume="),
])  # fmt: skip
def test_a_run_resumes_with_the_rewards_that_it_had(before, now, told, tmp_path):
    def manifest(rewards):
        listed = [{"kind": "function", "name": "Mine", "reference": name, "weight": weight} for name, weight in rewards]
        return {**MANIFEST, "reward_funcs": listed}

    create_folder(tmp_path / "run", manifest(before), "").close()
    check_resumable(open_run(tmp_path / "run"), manifest(before))
    with pytest.raises(UsageError, match=told):
        check_resumable(open_run(tmp_path / "run"), manifest(now))


@pytest.mark.parametrize("size", [10, 300, 2_000, 20_000, 60_000])
def test_what_torch_raises_on_a_full_disk_is_a_write_error(size, tmp_path):
    with no_file_above(size), pytest.raises((OSError, RuntimeError)) as caught:
        torch.save([torch.zeros(100), list(range(5_000)), torch.zeros(20_000)], tmp_path / "state.pt")
    assert is_write_error(caught.value)


def test_metrics_that_are_no_file_are_one_line(tmp_path):
    made = begun(tmp_path / "run")
    made.metrics.unlink()
    made.metrics.mkdir()
    with pytest.raises(RunError, match=r"metrics\.jsonl is not a file\. Restore or remove it"):
        list(made.logged())


def test_metrics_without_an_end_of_line_are_not_read_whole(tmp_path):
    made = begun(tmp_path / "run", steps=2)
    with made.metrics.open("r+b") as file:
        file.truncate(40_000_000)
    tracemalloc.start()
    assert [entry["step"] for entry in made.logged()] == [1, 2]
    assert tracemalloc.get_traced_memory()[1] < 10_000_000
    tracemalloc.stop()


def test_a_finished_training_whose_last_checkpoint_is_damaged_says_that_it_cannot_go_on(tmp_path):
    made = begun(tmp_path / "run", steps=6, checkpoints=(2, 6, 7))
    (tmp_path / "run/summary.json").write_text('{"steps": 6, "finished": true}')
    run = open_run(tmp_path / "run")
    check_unfinished(run, 9)
    told = cut(made.checkpoints()[6])
    for steps in (9, 0):
        with pytest.raises(UsageError, match=rf"is finished, and cannot go on, as checkpoint-6 is damaged: {told}\."):
            check_unfinished(run, steps)
