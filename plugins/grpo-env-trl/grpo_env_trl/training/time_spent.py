"""Where the time of a training went, and what would save some where one thing took most of it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from transformers import TrainerCallback

from grpo_env_sdk import Episode
from grpo_env_trl.bridges.batch import Batch, seconds_of

AT_LEAST = 60.0
"""Seconds of a training below which nothing is said."""
STEPS = 2
"""Steps below which nothing is said: the first ones load, compile and warm up."""
MOST = 0.5
"""The share of a training's time from which one thing takes most of it."""
FEW = 16
"""Requests at once below which a GPU has room for more."""
SAVES = {
    "environment": "the environments, while nothing was sampled: make tools, reset and score faster, or play more "
    "episodes at once (--per-device-train-batch-size)",
    "model": "sampling: lower --max-turn-tokens",
    "ranks": "waiting for other processes, whose episodes took longer: lower --max-turn-tokens, or set a deadline "
    "(--limit-call)",
}
"""What takes time, and what saves some."""


def faster_sampling(device: str, uses_vllm: bool) -> str:
    """What makes sampling faster on a device; vLLM needs CUDA."""
    if uses_vllm:
        return f"{SAVES['model']}, or give vLLM more GPUs"
    return SAVES["model"] + ", or use --use-vllm" * device.startswith("cuda")


class TimeSpent(TrainerCallback):
    """Sees the batches of a training, and says in one line what takes most of its time as soon as something does."""

    def __init__(
        self, history: Sequence[Mapping[str, Any]], note: Callable[[str], None], args: Any, in_order: bool = False
    ) -> None:
        """`history` is what was logged, as it grows; `args` are those of the trainer.

        `in_order` is whether episodes are scored one after another.
        """
        self._history = history
        self._in_order = in_order
        self._note = note
        self._faster_sampling = faster_sampling(args.device.type, bool(getattr(args, "use_vllm", False)))
        self._steps_a_batch = _steps_a_batch(args)
        self._slowest: Episode | None = None
        self._told: set[str] = set()
        self._counted = self._step = 0
        """How many entries of the history are in the sums, and the step of the last one."""
        self._whole = 0.0
        self._spent = dict.fromkeys(SAVES, 0.0)

    def seen(self, batch: Batch) -> None:
        """A batch of episodes ended."""
        if self._slowest is None or seconds_of(batch.slowest) > seconds_of(self._slowest):
            self._slowest = batch.slowest

    def on_log(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Say what takes most of the time, once for each such thing."""
        most = self._most()
        if most and most not in self._told:
            self._told.add(most)
            self._note(f"{self._spent[most] / self._whole:.0%} of the time goes into {self._how(most)}")

    def say_at_the_end(self) -> None:
        """Say it of the whole training."""
        if most := self._most():
            self._note(f"{self._spent[most] / self._whole:.0%} of the time went into {self._how(most)}")

    def _most(self) -> str | None:
        """What takes most of the time of the logged steps; None while nothing does, or too early."""
        self._add_up()
        most = max(self._spent, key=self._spent.__getitem__)
        if self._step < STEPS or self._whole < AT_LEAST or self._spent[most] < MOST * self._whole:
            return None
        return most

    def _add_up(self) -> None:
        """Add what was logged since the last time: an entry has the means of the steps since the one before it."""
        new, self._counted = self._history[self._counted :], len(self._history)
        for entry in (entry for entry in new if "step_time" in entry):
            made, self._step = entry["step"] - self._step, entry["step"]
            batches = max(1.0, made / self._steps_a_batch)
            self._whole += entry["step_time"] * made
            for name in SAVES:
                self._spent[name] += entry.get(f"time/{name}", 0.0) * batches

    def _how(self, most: str) -> str:
        rows = [entry["sampler/rows"] for entry in self._history if "sampler/rows" in entry]
        found = SAVES[most]
        if most == "model" and rows and sum(rows) / len(rows) < FEW:
            found = (
                f"sampling, with {sum(rows) / len(rows):.0f} requests at once: play more episodes at once "
                "(--per-device-train-batch-size), or lower --max-turn-tokens"
            )
        elif most == "model":
            found = self._faster_sampling
        elif most == "environment" and self._in_order:
            found = (
                "the environment, which scores one episode after another: set parallel = True in its class if it may "
                "score several at once, or make score_episode faster"
            )
        return f"{found}. The slowest episode was {self._named()}."

    def _named(self) -> str:
        episode = self._slowest
        if episode is None:
            return "not seen"
        parts = ", ".join(f"{name} {seconds:.1f}" for name, seconds in episode.timings.items() if seconds >= 0.05)
        return f"{episode.env}, row {episode.row_index}: {seconds_of(episode):.1f} seconds ({parts})"


def _steps_a_batch(args: Any) -> float:
    """How many optimizer steps learn from one batch of episodes, below 1 where one step plays several."""
    if not hasattr(args, "steps_per_generation"):
        return 1.0
    return float(args.steps_per_generation * args.num_iterations / args.gradient_accumulation_steps)
