"""One line: what dominates the cost of a training, and the setting that would reduce it."""

from collections.abc import Sequence

from grpo_env_trl.costs.cost_plan import CostPlan, MemoryPlan
from grpo_env_trl.preflight.memory import GIB, NEAR
from grpo_env_trl.training.time_spent import SAVES, faster_sampling

_SAVES = {
    **SAVES,
    "evaluation": "the rows measured before and after the training: use fewer (--eval-rows)",
    "episodes": "episodes, which the trainer would wait for: give the vLLM server more GPUs, lower --max-turn-tokens, "
    "or make the environment faster",
}


def advice_of(plan: CostPlan, ways: Sequence[str], uses_vllm: bool) -> str:
    """What to change first: what does not fit into memory, else what takes most of the time.

    `ways` save memory.
    """
    if plan.memory and plan.memory.highest > NEAR * plan.memory.total:
        return _smaller(plan.memory, plan, ways)
    if plan.seconds is None:
        return "Run --plan on a machine like those of the training to see its seconds."
    shares = plan.seconds.shares(plan.steps)
    if not shares:
        return "Nothing took any time."
    most = max(shares, key=shares.__getitem__)
    of_device = {"update": faster_update(ways), "model": faster_sampling(plan.device, uses_vllm)}
    saves = {**_SAVES, **of_device}[most]
    return f"{shares[most]:.0%} of the time would go into {saves}."


def faster_update(ways: Sequence[str]) -> str:
    """What makes the update faster: not what is set already, which is not among the ways to save memory."""
    adapter = "train an adapter (--peft), " if "--peft" in ways else ""
    kept = "" if "--gradient-checkpointing" in ways else ", or, where memory is left, --gradient-checkpointing false"
    return f"the update: {adapter}use more processes or faster GPUs (--num-processes){kept}"


def _smaller(memory: MemoryPlan, plan: CostPlan, ways: Sequence[str]) -> str:
    parts = memory.most.parts
    largest = max(parts, key=parts.__getitem__)
    also = ["--accelerate-config zero3 with more --num-processes"] if plan.stage < 3 else ["more --num-processes"]
    return (
        f"A process needs up to {memory.highest / GIB:.1f} GiB, and {memory.device} has {memory.total / GIB:.1f}; "
        f"most of it is for {largest} ({parts[largest] / GIB:.1f}). These options help: {', '.join([*ways, *also])}."
    )
