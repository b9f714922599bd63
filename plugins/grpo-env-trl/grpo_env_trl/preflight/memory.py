"""Whether the model and a step of its training fit into memory: an estimate, from the config alone."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grpo_env_trl.preflight.planned_training import PlannedTraining
from grpo_env_trl.preflight.problem import Problem
from grpo_env_trl.preflight.shape import Shape, shape_of

GIB = 1 << 30
NEAR = 0.9
_WIDTHS = {"float32": 4.0, "bfloat16": 2.0, "float16": 2.0}
_PROMPT = 512
"""Tokens of a prompt that are reckoned with."""
_ACTIVATIONS = 25
"""Numbers that a layer keeps of a token, for each of its width, where nothing is computed again."""
_LOGITS = 8.0
"""Bytes of one logit beside itself: in full precision, and its gradient."""


@dataclass(frozen=True)
class Needs:
    """Bytes by what they are for."""

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
    """The same with the state of the optimizer."""

    @property
    def whole(self) -> float:
        """At the worst moment: generating and learning take turns."""
        learning = self.gradients + self.optimizer + self.logits + self.activations
        return self.weights + self.reference + max(learning, self.optimizer + self.generation)

    def __str__(self) -> str:
        names = ("weights", "gradients", "optimizer", "reference", "logits", "activations", "generation")
        parts = [f"{name} {getattr(self, name) / GIB:.1f}" for name in names if getattr(self, name) >= GIB / 20]
        return f"{self.whole / GIB:.1f} GiB ({', '.join(parts)})" if parts else f"{self.whole / GIB:.1f} GiB"


def problems(subject: PlannedTraining) -> Iterator[Problem]:
    """What does not fit."""
    needs = None if is_sharded(subject.prepared.args) else needs_of(subject)
    if needs is not None:
        yield from too_large(needs, *_memory(subject.prepared.args), _ways(subject))


def too_large(needs: Needs, where: str, total: float, free: float, ways: list[str]) -> Iterator[Problem]:
    """A model whose weights alone do not fit, or a training that is near the edge."""
    hint = f"It would help: {', '.join(ways)}." if ways else "Take a smaller model."
    if needs.weights > total:
        yield Problem(
            f"The weights alone take {needs.weights / GIB:.1f} GiB, and {where} has {total / GIB:.1f} GiB.", hint
        )
    elif needs.whole > NEAR * free:
        yield Problem(
            f"A step takes about {needs}, and {where} has {free / GIB:.1f} GiB free of {total / GIB:.1f}.",
            hint,
            fatal=False,
        )


def needs_of(subject: PlannedTraining) -> Needs | None:
    """What this training takes, or None where the model's config does not tell."""
    shape = shape_of(subject)
    prepared = subject.prepared
    if shape is None:
        return None
    return estimated(shape, prepared.args, prepared.model_args, _width(subject))


def estimated(shape: Shape, args: Any, model_args: Any, width: float) -> Needs:
    """The bytes for a shape; `width` is that of one stored weight."""
    lora = bool(model_args.use_peft)
    learnt = 4.0 if lora else width
    trained = shape.trained * learnt
    state = shape.trained * _state_width(str(getattr(args.optim, "value", args.optim)), learnt)
    batch, tokens = args.per_device_train_batch_size, _PROMPT + args.max_completion_length
    computed = 2.0 if args.bf16 or args.fp16 else width
    layer = _ACTIVATIONS * computed
    kept = shape.layers * computed + layer if _checkpointing(args) else shape.layers * layer
    drawn = batch * args.max_completion_length * shape.vocabulary
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
    """Whether several devices hold one model together, which this estimate knows nothing of."""
    told = (os.environ.get(f"ACCELERATE_USE_{name}", "").lower() for name in ("FSDP", "DEEPSPEED"))
    return bool(args.fsdp or args.deepspeed) or "true" in told


def _width(subject: PlannedTraining) -> float:
    """Bytes of one stored weight."""
    import torch

    prepared = subject.prepared
    asked = prepared.model_args
    if asked.load_in_4bit:
        return 0.55
    if asked.load_in_8bit:
        return 1.05
    if prepared.model is not None:
        return float(prepared.model.dtype.itemsize)
    dtype = getattr(subject.config, "dtype", None) if asked.dtype == "auto" else None
    return float(dtype.itemsize) if isinstance(dtype, torch.dtype) else _WIDTHS.get(str(asked.dtype), 4.0)


def _state_width(optimizer: str, width: float) -> float:
    """Bytes that the optimizer keeps for one trained weight."""
    if "8bit" in optimizer:
        return 2.0
    return 2 * width if "adam" in optimizer else 0.0


def _checkpointing(args: Any) -> bool:
    return bool(getattr(args, "activation_checkpointing", None) or getattr(args, "gradient_checkpointing", None))


def _memory(args: Any) -> tuple[str, float, float]:
    """Where the model will be, the bytes there, and those that are free."""
    import torch

    if torch.cuda.is_available() and not args.use_cpu:
        device = int(os.environ.get("LOCAL_RANK") or 0)
        of_device = torch.cuda.mem_get_info(device)
        return f"the {torch.cuda.get_device_name(device)}", float(of_device[1]), float(of_device[0])
    import psutil  # type: ignore[import-untyped]  # it has no types

    found = psutil.virtual_memory()
    total, free = float(found.total), float(found.available)
    limit = Path("/sys/fs/cgroup/memory.max")
    if limit.exists() and (told := limit.read_text().strip()).isdigit():  # a container's
        total = min(total, float(told))
    shared = int(os.environ.get("LOCAL_WORLD_SIZE") or 1)
    return "this machine", total / shared, min(total, free) / shared


def _ways(subject: PlannedTraining) -> list[str]:
    """What would take less, of what was not asked for."""
    import torch

    args, model_args = subject.prepared.args, subject.prepared.model_args
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
