"""The messages before a training starts and after it ended."""

from collections.abc import Sequence
from typing import Any

from grpo_env_sdk.ext import command_line, heldout_notes, heldout_rows, heldout_text, heldout_title
from grpo_env_trl import ranks
from grpo_env_trl.continuing import command_to_continue
from grpo_env_trl.outside_rewards.calling import name_of
from grpo_env_trl.preflight.environment import when_tested
from grpo_env_trl.report.formatting import episode_text, sparkline
from grpo_env_trl.report.row_pairs import pairs
from grpo_env_trl.result import TrainingRun
from grpo_env_trl.settings.config_words import config_words
from grpo_env_trl.setup.preparing import TrainingSetup

NEXT_MODEL = "Qwen/Qwen3-0.6B"
FEW_ROWS = 5
"""With fewer rows, neither a difference nor its absence says much."""


def start_message(setup: TrainingSetup) -> str:
    """Which model will be trained on which environment."""
    args = setup.args
    per_step = args.generation_batch_size // args.num_generations
    completions = args.generation_batch_size // ranks.started_together()
    what = "the built-in demo model" if setup.demo else setup.model_name
    rows = _rows(setup.row_count)
    kind = "" if setup.several else f"{setup.loaded.traits.kind}, "
    lines = [
        f"Training {what} on {_typed(setup)}: {rows}, {kind}"
        f"{args.num_generations} completions per row, {_rows(per_step)} per step."
    ]
    for env in setup.envs:
        of_it = f"{_rows(len(env.rows))}, {env.loaded.traits.kind}, " if setup.several else ""
        lines.append(f"{env.name}: {of_it}{when_tested(env.loaded)}")
        if few := env.loaded.description.why_fewer_at_once(completions, env.loaded.pool):
            lines.append(f"note: {few}")
    if setup.chosen:
        lines.append(str(setup.chosen))
    if setup.outside:
        also = ", ".join(f"{one.reference or name_of(one.thing)} (weight {one.weight:g})" for one in setup.outside)
        lines.append(f"Rewards beside the environment's score: {also}")
    if setup.demo:
        lines.append(
            "This is a demonstration: a model of about 0.1M parameters, built from the environment's own solve(row). "
            "It starts knowing how to call tools and answer, not which answer is right: it learns that with GRPO."
        )
    return "\n".join(lines)


def end_message(made: TrainingRun, setup: TrainingSetup) -> str:
    """The results, and the next commands."""
    if not made.finished:
        command = command_to_continue(made.run, setup.settings)
        return f"Stopped after step {made.steps}; a checkpoint is saved. Continue with:\n  {command}"
    lines = [*_same_row(made), f"{made.duration}."]
    rewards = [entry["reward"] for entry in made.metrics if "reward" in entry]
    if rewards:
        lines.append(f"Reward {rewards[0]:z.2f} {sparkline(rewards)} {rewards[-1]:z.2f}")
    if made.failures:
        lines.append(made.failures)
    flat = bool(made.metrics) and all(entry.get("frac_reward_zero_std", 0.0) == 1.0 for entry in made.metrics)
    if flat:
        lines.append("In every step all completions of a row had the same reward, so there was nothing to learn from.")
    if made.heldout:
        lines += [_told(name, found) for name, found in made.heldout.items()]
        lines += _of_each(made) if setup.several else ()
        ways = ["more steps"] * (not flat)
        ways += ["more --eval-rows"] * any(env.has_more_to_measure for env in setup.envs)
        lines += [*heldout_notes(made.heldout, made.compared), *_verdict(made, ways)]
    lines += [
        f"Open the report:   {made.report}",
        f"Read episodes:     {command_line('view', made.run)}",
        f"Export the model:  {command_line('export', made.run)}",
    ]
    if setup.demo:
        lines.append(f"Train a real model: grpo-env train {_typed(setup)} --model {NEXT_MODEL} --peft")
    else:
        for env in setup.envs:
            words = ("eval", env.typed_name, "--model", made.run, *config_words(env.loaded.spec))
            lines.append(f"Evaluate it:       {command_line(*words)}")
    return "\n".join(lines)


def _typed(setup: TrainingSetup) -> str:
    """The environment as one types it, or all of them with their weights."""
    return " ".join(f"{env.typed_name}{f'={env.weight}' * setup.several}" for env in setup.envs)


def _rows(count: int) -> str:
    return f"{count} row{'s' * (count != 1)}"


def _same_row(made: TrainingRun) -> list[str]:
    """The row with the largest gain, before and after."""
    found = pairs(made.run, 2)
    if not found:
        return []
    before, after = found[0]
    of = f"{before.env}, " * (len(made.environments) > 1)
    return [episode_text(f"{of}row {before.row_index}, before", before), episode_text("the same row, after", after)]


def _of_each(made: TrainingRun) -> list[str]:
    """The held-out reward of each environment, below that of all."""
    return [
        f"  {name}, {_told(when, found)}"
        for name, env in made.environments.items()
        for when, found in (env["heldout"] or {}).items()
    ]


def _verdict(made: TrainingRun, ways: Sequence[str]) -> list[str]:
    """A sentence where the intervals before and after overlap, as the one row shown may suggest otherwise.

    `ways` are what may help.
    """
    compared = made.compared or {}
    sampled, greedy = compared.get("sampled"), compared.get("greedy")
    if not sampled:
        return []
    rows, of = sampled["rows"], sampled["of"]
    if rows < FEW_ROWS:
        which = heldout_rows({**(made.heldout or {})["after"], "rows": of})
        which = which if rows == of else f"{rows} of {which} scored both times"
        more = "more --eval-rows" if "more --eval-rows" in ways else "build more rows"
        return [f"{which}: too few to show what the model learned. Measure more: {more}."]
    if all(change["before"] == change["after"] for change in (sampled, greedy) if change):
        return [f"Nothing changed. {_advice(ways)}"]
    before, after = sampled["before"], sampled["after"]
    high, low = (one["mean"] if one[end] is None else one[end] for one, end in ((before, "high"), (after, "low")))
    if low > high:
        return []
    return [f"This difference may be noise. {_advice(ways)}"]


def _advice(ways: Sequence[str]) -> str:
    tried = f"Try {' or '.join(ways)}, or read" if ways else "Read"
    return f'{tried} "When it does not learn" in the documentation.'


def _told(name: str, found: dict[str, Any]) -> str:
    title = heldout_title(found)
    return f"{title[0].upper()}{title[1:]} {name + ':':8}{heldout_text(found)}"
