import pytest
from asynchronous.on_cpu import Copy, config
from environments import Errands, Parts
from trl.experimental.async_grpo import AsyncGRPOTrainer

from grpo_env_trl.asynchronous.async_kwargs import async_trainer_kwargs


def trainer_of(env, model, tokenizer, folder, *, steps=2, seen=None, **changes):
    """A real asynchronous trainer, and the copy of its model that samples."""
    model.save_pretrained(folder / "model")
    source = Copy(model)
    args = config(folder / "run", max_steps=steps, **changes)
    kwargs = async_trainer_kwargs(env, tokenizer, args=args, source=source, context_length=4096, seen=seen)
    return AsyncGRPOTrainer(str(folder / "model"), weight_transfer=source, **kwargs), source


def test_a_training_learns_from_episodes_of_several_turns(tiny, tmp_path):
    batches = []
    trainer, source = trainer_of(Errands, *tiny(), tmp_path, steps=3, seen=batches.append)
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
