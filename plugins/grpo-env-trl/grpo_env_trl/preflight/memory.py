"""Whether the model and a training step fit into memory: an estimate from the config of the model."""

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from grpo_env_trl.preflight.planned_training import PlannedTraining
from grpo_env_trl.preflight.problem import Problem
from grpo_env_trl.preflight.shape import Shape

GIB = 1 << 30
_UNITS = ("B", "KiB", "MiB", "GiB", "TiB")
NEAR = 0.9
_WIDTHS = {"float32": 4.0, "bfloat16": 2.0, "float16": 2.0}
_PROMPT = 512
"""The assumed tokens of a prompt."""
_ACTIVATIONS = 25
"""Activations that a layer keeps per token and hidden unit without gradient checkpointing."""
_LOGITS = 8.0
"""Extra bytes of one logit: its float32 copy and its gradient."""


@dataclass(frozen=True)
class Needs:
    """Bytes by purpose."""

    weights: float
    gradients: float
    optimizer: float
    reference: float
    logits: float
    activations: float
    generation: float
    saved: float
    """The trained model, or its adapter, on disk."""
    checkpoint: float
    """The model with the state of the optimizer."""

    @property
    def whole(self) -> float:
        """The peak: generation and the optimizer step do not overlap."""
        learning = self.gradients + self.optimizer + self.logits + self.activations
        return self.weights + self.reference + max(learning, self.optimizer + self.generation)

    @property
    def parts(self) -> dict[str, float]:
        """What is in memory, by purpose."""
        names = ("weights", "gradients", "optimizer", "reference", "logits", "activations", "generation")
        return {name: getattr(self, name) for name in names}

    def shared(self, stage: int, processes: int) -> "Needs":
        """What each process has where all share by ZeRO of this stage; FSDP is 3. One layer is whole at a time."""
        divided = ("optimizer", "gradients", "weights", "reference")[: (0, 1, 2, 4)[stage]]
        return replace(self, **{name: getattr(self, name) / processes for name in divided})

    def __str__(self) -> str:
        parts = [f"{name} {number / GIB:.1f}" for name, number in self.parts.items() if number >= GIB / 20]
        return f"{size(self.whole)} ({', '.join(parts)})" if parts else size(self.whole)


def size(number: float) -> str:
    """`1.4 GiB`."""
    for unit in _UNITS:
        if number < 1024 or unit == _UNITS[-1]:
            break
        number /= 1024
    return f"{number:.0f} {unit}" if number >= 100 or unit == "B" else f"{number:.1f} {unit}"


def problems(planned: PlannedTraining) -> Iterator[Problem]:
    """What does not fit."""
    needs = None if is_sharded(planned.setup.args) else needs_of(planned)
    if needs is not None:
        yield from too_large(needs, *device_memory(planned.setup.args), ways_to_save(planned))


def too_large(needs: Needs, where: str, total: float, free: float, ways: list[str]) -> Iterator[Problem]:
    """Weights that do not fit, or a training that may run out of memory."""
    hint = f"These options help: {', '.join(ways)}." if ways else "Use a smaller model."
    if needs.weights > total:
        yield Problem(f"The weights alone need {size(needs.weights)}, and {where} has {size(total)}.", hint)
    elif needs.whole > NEAR * free:
        yield Problem(
            f"A training step needs about {needs}, and {where} has {size(free)} free of {size(total)}.",
            hint,
            fatal=False,
        )


def needs_of(planned: PlannedTraining, prompt: int = _PROMPT, completion: int | None = None) -> Needs | None:
    """The memory that this training needs, or None where the config of the model does not say.

    `prompt` and `completion` are the tokens of the longest episode; a completion is assumed to be as long as it may be.
    """
    shape, setup = planned.shape, planned.setup
    if shape is None:
        return None
    return estimated(shape, setup.args, setup.model_args, _width(planned), prompt, completion)


def estimated(
    shape: Shape, args: Any, model_args: Any, width: float, prompt: int = _PROMPT, completion: int | None = None
) -> Needs:
    """The bytes for a shape; `width` is that of one stored weight."""
    lora = bool(model_args.use_peft)
    trained_width = 4.0 if lora else width
    trained = shape.trained * trained_width
    state = shape.trained * _state_width(str(getattr(args.optim, "value", args.optim)), trained_width)
    completion = args.max_completion_length if completion is None else completion
    batch, tokens = args.per_device_train_batch_size, prompt + completion
    computed = 2.0 if args.bf16 or args.fp16 else width
    layer = _ACTIVATIONS * computed
    kept = shape.layers * computed + layer if _checkpointing(args) else shape.layers * layer
    drawn = batch * completion * shape.vocabulary
    cached = batch * args.steps_per_generation * tokens * shape.layers * shape.cached * computed
    return Needs(
        weights=shape.parameters * width,
        gradients=trained,
        optimizer=state,
        reference=shape.parameters * width if args.beta and not lora else 0.0,
        logits=0.0 if args.use_liger_kernel else drawn * (computed + _LOGITS),
        activations=batch * tokens * shape.hidden * kept,
        generation=0.0 if args.use_vllm else cached,
        saved=trained,
        checkpoint=trained + (0.0 if args.save_only_model else state),
    )


def is_sharded(args: Any) -> bool:
    """Whether several devices share one model, which this estimate does not cover."""
    text = (os.environ.get(f"ACCELERATE_USE_{name}", "").lower() for name in ("FSDP", "DEEPSPEED"))
    return bool(args.fsdp or args.deepspeed) or "true" in text


def _width(planned: PlannedTraining) -> float:
    """Bytes of one stored weight."""
    import torch

    setup = planned.setup
    asked = setup.model_args
    if asked.load_in_4bit:
        return 0.55
    if asked.load_in_8bit:
        return 1.05
    if setup.model is not None:
        return float(setup.model.dtype.itemsize)
    dtype = getattr(planned.config, "dtype", None) if asked.dtype == "auto" else None
    return float(dtype.itemsize) if isinstance(dtype, torch.dtype) else _WIDTHS.get(str(asked.dtype), 4.0)


def _state_width(optimizer: str, width: float) -> float:
    """Bytes that the optimizer keeps for one trained weight."""
    if "8bit" in optimizer:
        return 2.0
    return 2 * width if "adam" in optimizer else 0.0


def _checkpointing(args: Any) -> bool:
    return bool(getattr(args, "activation_checkpointing", None) or getattr(args, "gradient_checkpointing", None))


def device_memory(args: Any) -> tuple[str, float, float]:
    """The device of the model, its memory in bytes, and how much is free."""
    import torch

    if torch.cuda.is_available() and not args.use_cpu:
        device = int(os.environ.get("LOCAL_RANK") or 0)
        of_device = torch.cuda.mem_get_info(device)
        return f"the {torch.cuda.get_device_name(device)}", float(of_device[1]), float(of_device[0])
    import psutil  # type: ignore[import-untyped]  # it has no types

    found = psutil.virtual_memory()
    total, free = float(found.total), float(found.available)
    limit = Path("/sys/fs/cgroup/memory.max")
    if limit.exists() and (text := limit.read_text().strip()).isdigit():  # a container's
        total = min(total, float(text))
    shared = int(os.environ.get("LOCAL_WORLD_SIZE") or 1)
    return "this machine", total / shared, min(total, free) / shared


def ways_to_save(planned: PlannedTraining) -> list[str]:
    """Options that reduce memory and are not set yet."""
    import torch

    args, model_args = planned.setup.args, planned.setup.model_args
    ways = {
        "--peft": not model_args.use_peft,
        "--load-in-4bit": torch.cuda.is_available() and not model_args.load_in_4bit,
        "--dtype bfloat16": bool(args.bf16) and model_args.dtype == "float32",
        "--gradient-checkpointing": not _checkpointing(args),
        "--per-device-train-batch-size": args.per_device_train_batch_size > args.num_generations,
        "--max-completion-length": True,
    }
    smaller = {"--per-device-train-batch-size", "--max-completion-length"}
    return [f"a smaller {way}" if way in smaller else way for way, helps in ways.items() if helps]
