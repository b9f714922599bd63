"""The seconds of a training step, from what a rehearsal measured and the sizes of a step."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from grpo_env_trl.costs.estimate import Estimate
from grpo_env_trl.costs.rehearsal import PlayedBatch, Rehearsed
from grpo_env_trl.costs.served_playing import ServedPlaying
from grpo_env_trl.costs.step_sizes import StepSizes


@dataclass(frozen=True)
class StepSeconds:
    """Wall time of one step of the optimizer, by what takes it."""

    environment: Estimate
    """While nothing is sampled."""
    sampling: Estimate
    update: Estimate
    """Log-probabilities, forward and backward passes, the optimizer."""
    evaluation: Estimate
    """All held-out rows, before and after, once in the training."""
    overlap: bool = False
    """Whether episodes go on during the update, so that a step takes as long as the slower of both."""
    served: str = ""
    """The server at which episodes were played: `sampling` is then all of playing."""

    @property
    def whole(self) -> Estimate:
        """A step."""
        played = self.environment + self.sampling
        return played.slower(self.update) if self.overlap else played + self.update

    def shares(self, steps: int) -> dict[str, float]:
        """The share of each part in the whole training."""
        parts = {"environment": self.environment, "model": self.sampling, "update": self.update}
        if self.overlap:
            waits = self.whole.value > self.update.value
            parts = {"episodes": self.whole} if waits else {"update": self.update}
        seconds = {name: part.value * steps for name, part in parts.items()} | {"evaluation": self.evaluation.value}
        whole = sum(seconds.values())
        return {name: value / whole for name, value in seconds.items()} if whole else {}


def overlapping(found: StepSeconds, measured: Rehearsed, passes: float, processes: int, crowd: int) -> StepSeconds:
    """The seconds where one process plays the episodes of all while they train.

    A step takes as long as so many `passes` that were measured; the sampler has given the log-probabilities.
    """
    gradient, optimizer = (
        Estimate.of([getattr(batch, part) for batch in measured.batches]) for part in ("gradient", "optimizer")
    )
    return replace(
        found, environment=found.environment * processes, sampling=found.sampling * processes,
        update=(gradient * passes + optimizer).up_to(crowd), overlap=True,
    )  # fmt: skip


def at_server(found: StepSeconds, playing: ServedPlaying, sizes: StepSizes, heldout: int) -> StepSeconds:
    """The seconds where the episodes are played at the server of the training, as was measured there."""
    return replace(
        found, environment=Estimate.exactly(0.0), sampling=playing.seconds * sizes.sampled,
        evaluation=playing.seconds * heldout, served=playing.url,
    )  # fmt: skip


def step_seconds(found: Rehearsed, sizes: StepSizes, heldout: int, crowd: int) -> StepSeconds:
    """The seconds of a step; `crowd` processes may have to share what one had to itself."""

    def of_batch(part: Callable[[PlayedBatch], float]) -> Estimate:
        """The seconds for a whole batch of a process; one that is larger takes at least as long as what was played."""
        seen = [(part(batch), max(1.0, sizes.batch / len(batch.lengths))) for batch in found.batches]
        most = Estimate.of([seconds * larger for seconds, larger in seen])
        return Estimate(most.value, min(seconds for seconds, _ in seen), most.high)

    def of_pass(part: Callable[[PlayedBatch], float]) -> Estimate:
        return Estimate.of([part(batch) for batch in found.batches])

    environment, sampling = of_batch(lambda batch: batch.environment), of_batch(lambda batch: batch.sampling)
    passes = of_pass(lambda batch: batch.gradient) * (sizes.accumulated * sizes.micro / found.micro)
    preparing = of_batch(lambda batch: batch.preparing) * sizes.played_a_step
    update = preparing + passes + of_pass(lambda batch: batch.optimizer)
    playing = (environment + sampling) * (heldout / sizes.batch / sizes.processes)
    return StepSeconds(
        (environment * sizes.played_a_step).up_to(crowd), (sampling * sizes.played_a_step).up_to(crowd),
        update.up_to(crowd), playing.up_to(crowd),
    )  # fmt: skip
