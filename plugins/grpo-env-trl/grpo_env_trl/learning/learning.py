"""A short training of the demo model, with an evaluation before and after."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Any

import torch
from transformers import TrainerCallback, set_seed
from transformers.trainer_callback import PrinterCallback

from grpo_env_sdk import Episode, Limits, open_run
from grpo_env_sdk.ext import LoadedEnv, Split, UsageError, mean_of
from grpo_env_trl.bridges.trainer_kwargs import trainer_kwargs
from grpo_env_trl.demo import DemoModel, make_demo_model
from grpo_env_trl.inference.sampling_params import SamplingParams
from grpo_env_trl.learning.result import LearningResult, MeanReward, rewards_of, zero_spread_of
from grpo_env_trl.progress import Progress
from grpo_env_trl.setup.arguments import grpo_config
from grpo_env_trl.training.heldout import Heldout

STEPS, DEMONSTRATIONS = 100, 2000
MOST_ROWS, LEAST_HELD_OUT = 200, 20
EPISODES = 150
"""Episodes of an evaluation at least: with few rows, each is played several times."""
LOOK_EVERY, RECENT = 10, 20
"""After so many steps the training looks at its recent steps, and stops where it has its result."""
MEASURE_EVERY = 30
"""The least number of steps between two evaluations."""
ENOUGH = 0.35
"""The share of the way to gold that the answers in training have gone when an evaluation is worth its time."""
EXHAUSTED = 0.95
"""With so many groups without spread there is nothing more to learn from."""


def learn(loaded: LoadedEnv, *, steps: int = STEPS, seed: int = 0, progress: Progress) -> LearningResult:
    """Train the demo model for at most so many steps; the same seed gives the same result.

    No clock decides about anything; `progress` may raise where there is no time left.
    """
    with _one_thread(), TemporaryDirectory(prefix="grpo-env-learn-") as name:
        set_seed(seed)
        folder = Path(name)
        args = grpo_config({"max_steps": steps, "seed": seed, "save_strategy": "no"}, True, folder)
        rows = loaded.rows("train")
        if len(rows) * args.num_generations < args.generation_batch_size:
            least = args.generation_batch_size // args.num_generations
            raise UsageError(
                f"A training step needs {least} rows, and there are only {len(rows)}.", "Use 100 rows or more."
            )
        made = make_demo_model(loaded, rows, seed=seed, progress=progress, episodes=DEMONSTRATIONS)
        measured = _Measured(_measured_rows(loaded, args, made, seed), made, folder, progress)
        start = measured.start()
        return _trained(loaded, made, args, _Looks(start, measured)) if start.has_room else start


@contextmanager
def _one_thread() -> Iterator[None]:
    """Have torch compute in one thread: the same sums on any number of processors, and little lost on busy ones."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _trained(loaded: LoadedEnv, made: DemoModel, args: Any, looks: "_Looks") -> LearningResult:
    from trl import GRPOTrainer

    kwargs = trainer_kwargs(loaded, made.tokenizer, args=args, callbacks=[looks], max_turn_tokens=made.max_turn_tokens)
    trainer = GRPOTrainer(model=made.model, **kwargs)
    trainer.remove_callback(PrinterCallback)
    trainer.train()
    history = trainer.state.log_history
    return replace(looks.found or looks.measured.now(looks.start), history=history)


def _measured_rows(loaded: LoadedEnv, args: Any, made: DemoModel, seed: int) -> Heldout:
    """The held-out rows, or the training rows where too few are held out."""
    split: Split = "test" if len(loaded.rows("test")) >= LEAST_HELD_OUT else "train"
    rows = loaded.rows(split)[:MOST_ROWS]
    sampling = SamplingParams(
        args.temperature, args.top_p, args.top_k, max_turn_tokens=made.max_turn_tokens,
        max_completion_length=args.max_completion_length,
    )  # fmt: skip
    trained_on = len(rows) if split == "train" else 0
    return Heldout(loaded, split, rows, Limits(), sampling, seed, max(1, EPISODES // len(rows)), trained_on)


@dataclass(frozen=True)
class _Measured:
    """Measures the model on the same rows, again and again."""

    heldout: Heldout
    made: DemoModel
    folder: Path
    progress: Progress

    def start(self) -> LearningResult:
        """What the model and gold score before the training."""
        before, loaded = self._sample("before"), self.heldout.loaded
        gold = _mean(_by_row(self.heldout.gold(self.made.model, self.made.tokenizer)), loaded.traits.reward_range)
        held_out = self.heldout.split == "test"
        return LearningResult(before, gold, len(self.heldout.rows), held_out, reward_range=loaded.traits.reward_range)

    def now(self, start: LearningResult) -> LearningResult:
        """The same with what the model scores now."""
        after = self._sample("after")
        return replace(start, after=after, gain=self._gain())

    def _sample(self, when: str) -> MeanReward | None:
        made = self.made
        self.heldout.sample(made.model, made.tokenizer, self.folder / when, self.progress)
        return _mean(_by_row(open_run(self.folder / when).episodes()), self.heldout.loaded.traits.reward_range)

    def _gain(self) -> MeanReward | None:
        """What the rows gained from the first run to the last one."""
        first, last = (_by_row(open_run(self.folder / when).episodes()) for when in ("before", "after"))
        least, most = self.heldout.loaded.traits.reward_range
        gains = {row: [fmean(last[row]) - fmean(first[row])] for row in first.keys() & last.keys()}
        return _mean(gains, (least - most, most - least))


def _mean(by_row: Mapping[int, list[float]], bounds: tuple[float, float]) -> MeanReward | None:
    """The mean with its error, which is 0 where all rows have the same: it is of these rows alone."""
    return MeanReward.of(mean_of(by_row, bounds, exact=True).as_json())


def _by_row(episodes: Iterable[Episode]) -> dict[int, list[float]]:
    found: dict[int, list[float]] = {}
    for episode in episodes:
        if episode.reward is not None:
            found.setdefault(episode.row_index, []).append(episode.reward)
    return found


@dataclass
class _Looks(TrainerCallback):
    """Reports each step, and ends the training once the environment is learned, or nothing more can be."""

    start: LearningResult
    measured: _Measured
    found: LearningResult | None = field(default=None, init=False)
    """The result of the evaluation after which the training ended, if one was done then."""
    _measure_at: int = field(default=0, init=False)

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        step, history = state.global_step, state.log_history
        self.measured.progress("step", step, state.max_steps)
        if step % LOOK_EVERY:
            return
        if step >= RECENT and fmean(zero_spread_of(history)[-RECENT:]) >= EXHAUSTED:
            control.should_training_stop = True
        elif step >= self._measure_at and self._has_come_far(rewards_of(history)[-LOOK_EVERY:]):
            self._measure_at = step + MEASURE_EVERY
            now = replace(self.measured.now(self.start), history=history)
            if now.learned:
                self.found, control.should_training_stop = now, True

    def _has_come_far(self, rewards: list[float]) -> bool:
        assert self.start.before is not None  # else there is no room, and no training
        return fmean(rewards) >= self.start.before.mean + ENOUGH * self.start.room
