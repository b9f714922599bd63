"""A short training of the demo model, with an evaluation before and after."""

import time
from collections.abc import Callable
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Any

from transformers import TrainerCallback
from transformers.trainer_callback import PrinterCallback

from grpo_env_sdk import Limits, Run, open_run
from grpo_env_sdk.ext import LoadedEnv, Split, UsageError, mean_of
from grpo_env_trl.bridges.trainer_kwargs import trainer_kwargs
from grpo_env_trl.demo import DemoModel, make_demo_model
from grpo_env_trl.inference.sampling_params import SamplingParams
from grpo_env_trl.learning.result import LearningResult, MeanReward
from grpo_env_trl.setup.arguments import grpo_config
from grpo_env_trl.training.heldout import Heldout

STEPS = 120
MOST_ROWS, LEAST_HELD_OUT = 200, 20
EPISODES = 150
"""Episodes of an evaluation at least: with few rows, each is played several times."""
Progress = Callable[[str, int, int], None]


def learn(
    loaded: LoadedEnv, *, steps: int = STEPS, seed: int = 0, seconds: float = 180.0, progress: Progress
) -> LearningResult:
    """Train the demo model for so many steps, or until only the time for the last evaluation is left."""
    ends = time.monotonic() + seconds
    with TemporaryDirectory(prefix="grpo-env-learn-") as name:
        folder = Path(name)
        args = grpo_config({"max_steps": steps, "seed": seed, "save_strategy": "no"}, True, folder)
        rows = loaded.rows("train")
        if len(rows) * args.num_generations < args.generation_batch_size:
            least = args.generation_batch_size // args.num_generations
            raise UsageError(
                f"A training step needs {least} rows, and there are only {len(rows)}.", "Use 100 rows or more."
            )
        made = make_demo_model(loaded, rows, seed=seed, progress=progress)
        heldout = _measured_rows(loaded, args, made, seed)
        began = time.monotonic()
        before = heldout.measure(made.model, made.tokenizer, folder / "before", progress)
        ends -= 1.5 * (time.monotonic() - began)
        trainer = _trainer(loaded, made, args, _Clock(ends, progress))
        trainer.train()
        after = heldout.measure(made.model, made.tokenizer, folder / "after", progress)
        gain = _gain(folder / "before", folder / "after")
        gold = heldout.gold(made.model, made.tokenizer)["reward"]
    return LearningResult(
        MeanReward.of(before), MeanReward.of(after), MeanReward.of(gold), gain, heldout.rows,
        heldout.split == "test", steps,
        loaded.traits.reward_range, trainer.state.log_history,
    )  # fmt: skip


def _measured_rows(loaded: LoadedEnv, args: Any, made: DemoModel, seed: int) -> Heldout:
    """The held-out rows, or the training rows where too few are held out."""
    split: Split = "test" if len(loaded.rows("test")) >= LEAST_HELD_OUT else "train"
    count = min(MOST_ROWS, len(loaded.rows(split)))
    sampling = SamplingParams(
        args.temperature, args.top_p, args.top_k, max_turn_tokens=made.max_turn_tokens,
        max_completion_length=args.max_completion_length,
    )  # fmt: skip
    return Heldout(loaded, split, count, Limits(), sampling, seed, samples=max(1, EPISODES // count))


def _gain(before: Path, after: Path) -> MeanReward | None:
    """What the rows gained from one run to the other."""
    first, last = (_by_row(open_run(folder)) for folder in (before, after))
    gained = {row: [fmean(last[row]) - fmean(first[row])] for row in first.keys() & last.keys()}
    return MeanReward.of(mean_of(gained).as_json())


def _by_row(run: Run) -> dict[int, list[float]]:
    found: dict[int, list[float]] = {}
    for episode in run.episodes():
        if episode.reward is not None:
            found.setdefault(episode.row_index, []).append(episode.reward)
    return found


def _trainer(loaded: LoadedEnv, made: DemoModel, args: Any, clock: "_Clock") -> Any:
    from trl import GRPOTrainer

    kwargs = trainer_kwargs(loaded, made.tokenizer, args=args, callbacks=[clock], max_turn_tokens=made.max_turn_tokens)
    trainer = GRPOTrainer(model=made.model, **kwargs)
    trainer.remove_callback(PrinterCallback)
    return trainer


class _Clock(TrainerCallback):
    """Reports each step, and ends the training when its time is up."""

    def __init__(self, ends: float, progress: Progress) -> None:
        self._ends = ends
        self._progress = progress

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self._progress("step", state.global_step, state.max_steps)
        if time.monotonic() >= self._ends:
            control.should_training_stop = True
