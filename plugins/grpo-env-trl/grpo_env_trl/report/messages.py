"""What a training says before it begins and after it ended."""

from typing import Any

from grpo_env_trl.preflight.environment import when_tested
from grpo_env_trl.report.formatting import sparkline, told_episode
from grpo_env_trl.report.row_pairs import pairs
from grpo_env_trl.result import TrainingRun
from grpo_env_trl.setup.preparing import Prepared

NEXT_MODEL = "Qwen/Qwen3-0.6B"


def told_before(prepared: Prepared) -> str:
    """What will be trained on what."""
    args, loaded = prepared.args, prepared.loaded
    per_step = args.generation_batch_size // args.num_generations
    what = "the built-in demo model" if prepared.demo else prepared.model_name
    lines = [
        f"Training {what} on {loaded.spec.id}: {len(prepared.rows)} rows, {loaded.traits.kind}, "
        f"{args.num_generations} answers a row, {per_step} row{'s' * (per_step != 1)} a step."
    ]
    lines.append(f"{loaded.spec.id}: {when_tested(loaded)}")
    if prepared.demo:
        lines.append(
            "This is a demonstration: a model of about 0.1M parameters, made on the spot from the environment's own "
            "solve(row). It is taught how to call and answer, not what is right; GRPO teaches it that."
        )
    return "\n".join(lines)


def told_after(made: TrainingRun, prepared: Prepared) -> str:
    """What came of it, and what to type next."""
    if not made.finished:
        return f"Stopped after step {made.steps}, and saved. Go on with:\n  grpo-env train --resume {made.run}"
    lines = [*_same_row(made), f"{made.steps} steps in {made.seconds:.0f} s."]
    rewards = [entry["reward"] for entry in made.metrics if "reward" in entry]
    if rewards:
        lines.append(f"Reward {rewards[0]:.2f} {sparkline(rewards)} {rewards[-1]:.2f}")
    if made.metrics and all(entry.get("frac_reward_zero_std", 0.0) == 1.0 for entry in made.metrics):
        lines.append("In every step all answers to a row scored the same, so there was nothing to learn from.")
    if made.heldout:
        lines += [_told(name, found) for name, found in made.heldout.items()]
        lines += _verdict(made.heldout)
    lines += [
        f"See how it went:   {made.report}",
        f"Read episodes:     grpo-env view {made.run}",
        f"Take the model:    grpo-env export {made.run}",
    ]
    if prepared.demo:
        lines.append(f"A real model:      grpo-env train {prepared.loaded.spec.id} --model {NEXT_MODEL} --peft")
    else:
        lines.append(f"Measure it:        grpo-env eval {prepared.loaded.spec.id} --model {made.run}")
    return "\n".join(lines)


def _same_row(made: TrainingRun) -> list[str]:
    """The held-out row that gained most, before and after."""
    found = pairs(made.run, 2)
    if not found:
        return []
    before, after = found[0]
    return [told_episode(f"row {before.row_index}, before", before), told_episode("the same row, after", after)]


def _verdict(heldout: dict[str, dict[str, Any]]) -> list[str]:
    """A sentence where the intervals before and after overlap, as the one row shown may suggest otherwise."""
    before, after = heldout["before"], heldout["after"]
    if None in (before["high"], after["low"]) or after["low"] > before["high"]:
        return []
    return ["That is no change beyond noise: more steps, more held-out rows, or docs/when-it-does-not-learn.md."]


def _told(name: str, found: dict[str, Any]) -> str:
    if found["mean"] is None or found["greedy"] is None:
        return f"Held-out reward {name + ':':8}nothing was scored"
    low, high = found["low"], found["high"]
    interval = f" [{low:.3f}, {high:.3f}]" if low is not None and high is not None else ""
    return f"Held-out reward {name + ':':8}sampled {found['mean']:.3f}{interval}, greedy {found['greedy']:.3f}"
