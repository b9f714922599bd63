"""What a training would cost, as data."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from grpo_env_trl.costs.episode_costs import EpisodeCosts
from grpo_env_trl.costs.estimate import Estimate
from grpo_env_trl.costs.memory_used import Memory
from grpo_env_trl.costs.step_seconds import StepSeconds
from grpo_env_trl.costs.step_sizes import StepSizes
from grpo_env_trl.preflight.memory import Needs
from grpo_env_trl.setup.chosen_rows import ChosenRows


@dataclass(frozen=True)
class MemoryPlan:
    """The memory of one process in bytes, where there is a config to compute it from."""

    seen: Needs
    """With episodes as long as the longest that was seen."""
    most: Needs
    """With the longest episode that the settings allow."""
    device: str
    total: float
    """Of the device that one process has here."""
    free: float
    base: float = 0.0
    """What Python and its libraries take of a process's memory on a CPU."""
    vllm: float = 0.0
    """What vLLM takes of the same GPU; 0 where it is not there, or that GPU is not here."""

    @property
    def expected(self) -> float:
        """The peak at the lengths that were seen."""
        return self.seen.whole + self.base + self.vllm

    @property
    def highest(self) -> float:
        """The peak at the greatest lengths."""
        return self.most.whole + self.base + self.vllm


@dataclass(frozen=True)
class CostPlan:
    """The cost of a training, before it starts: what was measured, what was computed, and what was assumed."""

    model: str
    env: str
    sizes: StepSizes
    stage: int
    steps: int
    episode: EpisodeCosts
    seconds: StepSeconds | None
    """None where no step was rehearsed."""
    not_measured: str
    """Why not."""
    device: str
    memory: MemoryPlan | None
    peak: Memory | None
    """The memory that the rehearsal used."""
    heldout: int
    """Episodes on held-out rows."""
    checkpoints: int
    disk: float
    """Bytes of the checkpoints that are kept at once, and of the model."""
    assumptions: Sequence[str]
    advice: str
    chosen: ChosenRows | None = None
    """How the rows were chosen by their pass rates in a run."""
    packed: float | None = None
    """Tokens that a step reads where it reads what sequences share once."""

    @property
    def episodes(self) -> float:
        """Episodes of the whole training, without held-out rows."""
        return self.sizes.sampled * self.steps

    @property
    def sampled(self) -> Any:
        """Tokens that the model samples in a step."""
        return self.episode.sampled * self.sizes.sampled

    @property
    def trained(self) -> Any:
        """Tokens that the forward and backward passes of a step read."""
        return self.episode.read * self.sizes.trained if self.packed is None else Estimate.exactly(self.packed)

    @property
    def training_seconds(self) -> Any:
        """Wall time of the training with its evaluations; None where it was not measured."""
        return self.seconds.whole * self.steps + self.seconds.evaluation if self.seconds else None

    def as_json(self) -> dict[str, Any]:
        """All figures by name, in tokens, seconds and bytes."""
        seconds, memory = self.seconds, self.memory
        return {
            "model": self.model, "environment": self.env, "rows_of": self.chosen and self.chosen.as_json(),
            "steps": self.steps, "sizes": asdict(self.sizes),
            "stage": self.stage, "episode": asdict(self.episode),
            "tokens": {"sampled_a_step": self.sampled.as_json(), "read_a_step": self.trained.as_json(),
                       "sampled": (self.sampled * self.steps).as_json(), "read": (self.trained * self.steps).as_json()},
            "seconds": seconds and {
                "environment": seconds.environment.as_json(), "sampling": seconds.sampling.as_json(),
                "update": seconds.update.as_json(), "step": seconds.whole.as_json(),
                "evaluation": seconds.evaluation.as_json(), "training": self.training_seconds.as_json(),
            },
            "memory": memory and {
                **{name: value for name, value in asdict(memory.seen).items() if name not in ("saved", "checkpoint")},
                "process": memory.base, "vllm": memory.vllm, "expected": memory.expected, "highest": memory.highest,
                "device": memory.device, "device_total": memory.total, "device_free": memory.free,
            },
            "measured_peak": self.peak.peak if self.peak else None, "device": self.device,
            "not_measured": self.not_measured or None, "heldout_episodes": self.heldout,
            "disk": self.disk, "checkpoints": self.checkpoints, "assumptions": list(self.assumptions),
            "advice": self.advice,
        }  # fmt: skip
