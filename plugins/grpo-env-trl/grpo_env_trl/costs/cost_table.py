"""A plan as people read it: one table, what it assumes, and one line of advice."""

from collections.abc import Callable, Iterator

from grpo_env_trl.costs.cost_plan import CostPlan, MemoryPlan
from grpo_env_trl.costs.estimate import Estimate
from grpo_env_trl.preflight.memory import size

HEADERS = ("what", "a step", "in all", "how it is known")
_NAMES = {"generation": "KV cache"}


def heading(plan: CostPlan) -> str:
    """What is planned."""
    sizes = plan.sizes
    processes = f", {sizes.processes} processes" if sizes.processes > 1 else ""
    return (
        f"The cost of training {plan.model} on {plan.env}: {plan.steps:,} steps of {sizes.sampled:,.10g} "
        f"episodes{processes}. Nothing was trained, and nothing is left on disk."
    )


def rows_of(plan: CostPlan) -> Iterator[tuple[str, str, str, str]]:
    """The table."""
    played = f"{plan.episode.episodes} episodes of {plan.episode.source}"
    measured = "measured" if plan.seconds else "assumed"
    how = f"{measured}: {played}"
    yield "episodes", f"{plan.sizes.sampled:,.10g}", f"{plan.episodes:,.0f}", "computed"
    yield "tokens sampled", *_both(plan.sampled, plan.steps, count), how
    yield "tokens read by the update", *_both(plan.trained, plan.steps, count), how
    yield from _times(plan)
    if plan.memory:
        yield from _memory(plan, plan.memory)
    if plan.peak:
        yield f"memory of this plan ({'GPU' if plan.peak.on_gpu else 'RSS'})", size(plan.peak.peak), "", "measured"
    if plan.memory:
        kept = f"computed: {plan.checkpoints} checkpoint{'s' * (plan.checkpoints != 1)} at once, and the model"
        yield "disk", "", size(plan.disk), kept


def _times(plan: CostPlan) -> Iterator[tuple[str, str, str, str]]:
    found = plan.seconds
    code = f"measured: {plan.episode.episodes} episodes"
    yield "environment code, of one episode", duration(plan.episode.environment), "", code
    if found is None:
        for name in ("sampling", "update"):
            yield name, "?", "?", f"not measured: {plan.not_measured}"
        return
    device = f"measured on {plan.device}"
    if found.served:
        yield "playing", *_both(found.sampling, plan.steps, duration), f"measured at {found.served}"
    else:
        yield "environment, nothing sampled", *_both(found.environment, plan.steps, duration), device
        yield "sampling", *_both(found.sampling, plan.steps, duration), device
    yield "update", *_both(found.update, plan.steps, duration), device
    whole = "the slower of playing and the update" if found.overlap else "the sum"
    yield "a step", *_both(found.whole, plan.steps, duration), whole
    if plan.heldout:
        yield f"{plan.heldout} episodes before and after", "", duration(found.evaluation), "computed from a step"
    yield "the training", "", duration(plan.training_seconds), "the sum"


def _memory(plan: CostPlan, memory: MemoryPlan) -> Iterator[tuple[str, str, str, str]]:
    parts = [(_NAMES.get(name, name), number) for name, number in memory.seen.parts.items()]
    parts += [("vLLM", memory.vllm), ("Python and libraries", memory.base)]
    told = ", ".join(f"{name} {size(value)}" for name, value in parts if value >= memory.expected / 200)
    shared = f" (ZeRO {plan.stage} over {plan.sizes.processes})" if plan.stage else ""
    yield "memory of a process", size(memory.expected), "", f"computed{shared}: {told}"
    yield "at the longest completions", size(memory.highest), "", f"computed; {memory.device} has {size(memory.total)}"


def _both(one: Estimate, steps: int, shown: Callable[[Estimate], str]) -> tuple[str, str]:
    return shown(one), shown(one * steps)


def count(number: Estimate) -> str:
    """`1,240 (1,100 to 1,400)`."""
    return _ranged(number, lambda value: f"{float(f'{value:.3g}'):,.0f}")


def duration(seconds: Estimate) -> str:
    """`1.2 s (1.1 to 1.4 s)`, in the unit that suits."""
    return _ranged(seconds, _time)


def _time(seconds: float) -> str:
    for unit, name in ((86400, "days"), (3600, "h"), (60, "min")):
        if seconds >= 2 * unit:
            return f"{seconds / unit:.1f} {name}"
    return f"{seconds:.2g} s" if seconds < 10 else f"{seconds:.0f} s"


def _ranged(number: Estimate, shown: Callable[[float], str]) -> str:
    value, low, high = shown(number.value), shown(number.low), shown(number.high)
    return value if low == high else f"{value} ({low} to {high})"
