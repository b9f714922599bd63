"""One line: what dominates the cost of a training, and the setting that would reduce it."""

from collections.abc import Sequence

from grpo_env_trl.costs.cost_plan import CostPlan, MemoryPlan
from grpo_env_trl.preflight.memory import GIB, NEAR
from grpo_env_trl.training.time_spent import SAVES

_SAVES = {
    **SAVES,
    "update": "the update: train an adapter (--peft), use more processes (--num-processes), or, where memory is "
    "left, --gradient-checkpointing false",
    "evaluation": "the held-out rows before and after the training: use fewer (--eval-rows)",
}


def advice_of(plan: CostPlan, ways: Sequence[str]) -> str:
    """What to change first: what does not fit into memory, else what takes most of the time."""
    if plan.memory and plan.memory.highest > NEAR * plan.memory.total:
        return _smaller(plan.memory, plan, ways)
    if plan.seconds is None:
        return "Run --plan on a machine like those of the training to see its seconds."
    shares = plan.seconds.shares(plan.steps)
    if not shares:
        return "Nothing took any time."
    most = max(shares, key=shares.__getitem__)
    return f"{shares[most]:.0%} of the time would go into {_SAVES[most]}."


def _smaller(memory: MemoryPlan, plan: CostPlan, ways: Sequence[str]) -> str:
    where = memory.device if plan.sizes.processes == 1 else f"a device like {memory.device}"
    parts = {
        name: getattr(memory.most, name)
        for name in ("weights", "gradients", "optimizer", "reference", "logits", "activations", "generation")
    }
    largest = max(parts, key=parts.__getitem__)
    also = ["--accelerate-config zero3 with more --num-processes"] if plan.stage < 3 else ["more --num-processes"]
    return (
        f"A process needs up to {memory.highest / GIB:.1f} GiB, and {where} has {memory.total / GIB:.1f}; most of it "
        f"is for {largest} ({parts[largest] / GIB:.1f}). These options help: {', '.join([*ways, *also])}."
    )
