"""What a training leaves on disk can be read by every command that reads a run."""

import json
import math
from collections import Counter
from types import SimpleNamespace

from grpo_env_sdk.cli import main
from grpo_env_sdk.runs.reading import open_run
from grpo_env_sdk.runs.training_progress import progress_of
from grpo_env_sdk.runs.writing import create_run
from grpo_env_sdk.types import Episode
from grpo_env_trl import ranks
from grpo_env_trl.bridges.batch import Batch
from grpo_env_trl.training.recording import KEPT_A_BATCH, Recorder

MANIFEST = {"kind": "train", "env": "sums-v1"}


def batch(step, count=4, reward=0.5, training=True):
    asked = [{"role": "user", "content": "1 + 1?"}]
    ended = {"messages": asked, "opening": 1, "stop_reason": "terminated", "reward": reward}
    made = [Episode(env="sums-v1", row_index=place % 2, row={}, seed=0, **ended) for place in range(count)]
    return Batch(made, training, step=step)


def recorder(run, every=2):
    return Recorder(create_run(run, MANIFEST), every)


def steps_of(run):
    return Counter(episode.metrics["step"] for episode in open_run(run).episodes())


def test_some_episodes_of_every_so_many_steps_are_kept_each_with_a_sample_of_its_own(tmp_path):
    made = recorder(tmp_path / "run")
    for step in range(6):
        made.seen(batch(step, count=2 * KEPT_A_BATCH))
        made.seen(batch(step, training=False))
    made.writer.close()
    assert steps_of(tmp_path / "run") == {1: KEPT_A_BATCH, 3: KEPT_A_BATCH, 5: KEPT_A_BATCH}
    keys = [(episode.row_index, episode.sample) for episode in open_run(tmp_path / "run").episodes()]
    assert len(set(keys)) == len(keys)
    assert made.tally.summary()["episodes"] == 3 * KEPT_A_BATCH


def test_a_batch_without_one_score_is_kept_at_any_step(tmp_path):
    made = recorder(tmp_path / "run", every=100)
    for step in range(4):
        made.seen(batch(step, reward=None if step == 2 else 0.5))
    made.writer.close()
    assert [*steps_of(tmp_path / "run")] == [1, 3]


def test_episodes_of_all_processes_are_kept_and_of_one_in_which_all_failed_at_any_step(tmp_path, monkeypatch):
    others = []
    monkeypatch.setattr(ranks, "started_together", lambda: 2)
    monkeypatch.setattr(ranks, "of_all", lambda mine: [mine, [*others]])
    made = Recorder(create_run(tmp_path / "run", MANIFEST), 2, alone=False)
    for step in range(5):
        others[:] = batch(step, count=3, reward=None).episodes if step in (0, 1) else []
        made.seen(batch(step, count=KEPT_A_BATCH))
    made.writer.close()
    assert steps_of(tmp_path / "run") == {1: KEPT_A_BATCH // 2 + 3, 2: 3, 3: KEPT_A_BATCH // 2, 5: KEPT_A_BATCH // 2}
    keys = [(episode.row_index, episode.sample) for episode in open_run(tmp_path / "run").episodes()]
    assert len(set(keys)) == len(keys)


def test_none_are_kept_where_nobody_wants_any(tmp_path):
    made = recorder(tmp_path / "run", every=0)
    made.seen(batch(0, reward=None))
    made.writer.close()
    assert not steps_of(tmp_path / "run")


def test_a_step_that_is_trained_again_is_not_recorded_again(tmp_path):
    from grpo_env_sdk.runs.writing import resume_run

    first = recorder(tmp_path / "run")
    for step in range(3):
        first.seen(batch(step))
    first.writer.close()
    again = Recorder(resume_run(open_run(tmp_path / "run"), MANIFEST), 2)
    for step in range(2, 6):
        again.seen(batch(step))
    again.writer.close()
    assert steps_of(tmp_path / "run") == {1: 4, 3: 4, 5: 4}
    assert again.tally.summary()["episodes"] == 12


def test_only_numbers_are_logged(tmp_path):
    made = recorder(tmp_path / "run")
    state = SimpleNamespace(is_world_process_zero=True, global_step=3)
    made.on_log(None, state, None, {"reward": 0.5, "kl": math.nan, "lr": math.inf, "note": "x", "on": True, "no": None})
    made.on_log(None, state, None, {"train_runtime": 3.0})
    made.writer.close()
    assert (tmp_path / "run/metrics.jsonl").read_text() == '{"step": 3, "reward": 0.5}\n'


def test_every_command_that_reads_a_run_reads_a_training(finished, tmp_path, monkeypatch, capsys):
    run = str(finished.run)
    monkeypatch.chdir(tmp_path)
    assert main(["runs", "show", run, "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert str(finished.run) in json.dumps(summary)
    assert main(["view", run, "--export", "page.html"]) == 0
    assert "Task" in (tmp_path / "page.html").read_text()
    before, after = (str(finished.run / "heldout" / name) for name in ("before", "after"))
    assert main(["diff", before, after]) == 0
    assert main(["rescore", run, "--out", "again"]) == 0
    again, kept = (
        {(one.row_index, one.sample): one.reward for one in open_run(folder).episodes()} for folder in ("again", run)
    )
    assert again == kept
    assert progress_of(open_run("again")) is None  # it is an evaluation, and no training that could go on


def test_the_summary_says_what_train_json_prints(finished):
    summary = open_run(finished.run).summary()
    assert finished.summary.items() <= summary.items()
    assert summary["episodes"] == 8
    assert set(summary["stop_reasons"]) <= {"length", "terminated", "max_turns", "max_tokens"}
    assert (finished.model / "README.md").read_text().count("lessons:Spell")
