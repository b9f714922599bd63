"""Trainings that are over in a second or two."""

from grpo_env_trl import train
from grpo_env_trl.runs.training_interrupt import TrainingInterrupt

QUICK = {
    "max_steps": 2, "per_device_train_batch_size": 4, "num_generations": 2, "max_completion_length": 24,
    "learning_rate": 1e-3, "eval_rows": 2, "sample_every": 2, "save_strategy": "no", "gradient_checkpointing": False,
}  # fmt: skip


def quick_run(env, model, folder, **changes):
    """A run of a few small steps, in this process; also one that is stopped by then."""
    settings = QUICK | {"out": folder and str(folder), "quiet": True} | changes
    try:
        return train(env, model, **settings)
    except TrainingInterrupt as interrupt:
        if interrupt.training is None:
            raise
        return interrupt.training


def flags(**changes):
    """The same settings as words of a command."""
    settings = QUICK | {"out": "run"} | changes
    given = {f"--{name.replace('_', '-')}": value for name, value in settings.items() if value is not None}
    return [word for flag, value in given.items() for word in (flag, str(value).lower())]
