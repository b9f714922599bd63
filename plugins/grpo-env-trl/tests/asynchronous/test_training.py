import json

import pytest
from asynchronous.on_cpu import Copy, config
from environments import Chat, Letters, Parts
from transformers import TrainerCallback
from trl.experimental.async_grpo import AsyncGRPOTrainer

from grpo_env_sdk.errors import UsageError
from grpo_env_trl.asynchronous.async_kwargs import async_trainer_kwargs
from grpo_env_trl.asynchronous.state import FILE
from grpo_env_trl.env_weights import env_folder


def trainer_of(env, model, tokenizer, folder, *, steps=2, seen=None, **changes):
    """A real asynchronous trainer, and the copy of its model that samples."""
    model.save_pretrained(folder / "model")
    source = Copy(model)
    args = config(folder / "run", max_steps=steps, **changes)
    kwargs = async_trainer_kwargs(env, tokenizer, args=args, source=source, seen=seen)
    return AsyncGRPOTrainer(str(folder / "model"), weight_transfer=source, **kwargs), source


def test_a_training_learns_from_episodes_of_several_turns(tiny, tmp_path):
    batches = []
    trainer, source = trainer_of(Chat, *tiny(), tmp_path, steps=3, seen=batches.append)
    trainer.train()
    log = [entry for entry in trainer.state.log_history if "loss" in entry]
    assert [entry["step"] for entry in log] == [1, 2, 3]
    assert source.sent == 4
    assert {"reward", "episodes/turns", "sample/staleness_mean"} <= log[-1].keys()
    assert all(episode.error is None for batch in batches for episode in batch.episodes)


def test_the_copy_and_the_trainer_have_the_same_log_probabilities(tiny, tmp_path):
    trainer, _ = trainer_of(Parts, *tiny(), tmp_path, steps=1, learning_rate=0.0)
    trainer.train()
    first = next(entry for entry in trainer.state.log_history if "ratio" in entry)
    assert first["ratio"] == pytest.approx(1.0, abs=1e-4)
    assert abs(first["kl"]) < 1e-5


def test_a_sample_that_is_too_old_is_dropped_and_others_are_played(tiny, tmp_path):
    four_groups_at_once = {"max_inflight_tasks": 8, "token_budget": 0, "per_device_train_batch_size": 2}
    trainer, _ = trainer_of(Parts, *tiny(), tmp_path, steps=3, max_staleness=0, **four_groups_at_once)
    trainer.train()
    log = [entry for entry in trainer.state.log_history if "loss" in entry]
    assert [entry["sample/staleness_max"] for entry in log] == [0.0, 0.0, 0.0]
    assert sum(entry.get("sample/dropped_stale_total", 0.0) for entry in log) > 0


def test_a_resumed_training_trains_on_the_groups_that_are_left_and_is_refused_without_them(tiny, tmp_path):
    whole, played = {"save_strategy": "steps", "save_steps": 1, "per_device_train_batch_size": 2}, []
    first, _ = trainer_of(Parts, *tiny(), tmp_path, steps=2, **whole, token_budget=0)
    first.train()
    kept = json.loads((tmp_path / "run" / "checkpoint-2" / FILE).read_text())
    trained = {*range(kept["before"]), *kept["later"]}
    assert trained >= {0, 1}  # a group at each step, and the one that the dataloader has taken already

    again, _ = trainer_of(Parts, *tiny(), tmp_path, steps=3, seen=played.append, **whole, token_budget=0)
    again.train(resume_from_checkpoint=str(tmp_path / "run" / "checkpoint-2"))
    assert again.state.global_step == 3
    before = {job.row_index for group in trained for job in again.rollout_worker.jobs(group)}
    assert len(before) == len(trained)
    assert not before & {episode.row_index for batch in played for episode in batch.episodes}

    (tmp_path / "run" / "checkpoint-2" / FILE).write_text('{"before": "x"')
    lost, _ = trainer_of(Parts, *tiny(), tmp_path, steps=3, **whole, token_budget=0)
    with pytest.raises(UsageError, match="cannot be read"):
        lost.train(resume_from_checkpoint=str(tmp_path / "run" / "checkpoint-2"))


class Scored(TrainerCallback):
    """What an environment has scored, while the training goes on: its end may cost it its instance."""

    def __init__(self, loaded):
        self.loaded = loaded

    def on_step_begin(self, args, state, control, **kwargs):
        self.scored = list(self.loaded.env.scored)


def test_several_environments_are_trained_and_each_keeps_its_state(tiny, tmp_path):
    one_by_one = {"token_budget": 0, "max_inflight_tasks": 2}
    whole = {"save_strategy": "steps", "save_steps": 2, **one_by_one}
    first, _ = trainer_of({Letters: 1, Parts: 1}, *tiny(), tmp_path, **whole)
    names = [member.name for member in first.rollout_worker.members]
    first.train()
    logged = [entry for entry in first.state.log_history if "loss" in entry]
    assert {f"env/{name}/reward" for entry in logged for name in names} <= {key for entry in logged for key in entry}
    folder = tmp_path / "run" / "checkpoint-2"
    assert {one.name for one in (folder / "environments").iterdir()} == {env_folder(name) for name in names}

    again, _ = trainer_of({Letters: 1, Parts: 1}, *tiny(), tmp_path, steps=3, **whole)
    notes = Scored(again.rollout_worker.members[0].player.loaded)
    again.add_callback(notes)
    again.train(resume_from_checkpoint=str(folder))
    kept = json.loads((folder / "environments" / env_folder(names[0]) / "grpo_env_state.json").read_text())
    before = kept["attributes"]["scored"]
    assert before
    assert notes.scored[: len(before)] == before
