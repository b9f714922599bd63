"""The summary of an evaluation as text."""

from collections.abc import Mapping
from typing import Any

from grpo_env_sdk.cli.output import print_table, say
from grpo_env_sdk.evaluation.comparison_text import clusters_text
from grpo_env_sdk.evaluation.heldout_text import heldout_notes, heldout_text, heldout_title, missing_rows, scored_text
from grpo_env_sdk.evaluation.result import rows_of_passes
from grpo_env_sdk.evaluation.stats import Mean
from grpo_env_sdk.plain_text import command_line, counted
from grpo_env_sdk.rewards.completion_forms import form_hint
from grpo_env_sdk.runs.continuing import command_to_retry
from grpo_env_sdk.runs.reading import Run


def print_summary(summary: Mapping[str, Any], env: str) -> None:
    """Print the mean reward with its interval, then the parts, then stop reasons and errors; `env` names what of."""
    scored, episodes = summary["scored"], summary["episodes"]
    training = summary.get("training")
    if training:
        _say_training(summary, training, env)
    else:
        say(f"{summary['policy']} on {env}: reward {interval(summary['reward'])}")
    kept = f"kept as samples, with a mean reward of {interval(summary['reward'])}: " if training else ""
    say(f"{kept}{counted(episodes, 'episode')} of {counted(summary['rows'], 'row')}, {scored} scored{_spread(summary)}")
    if scored < episodes:
        over = f"the mean is over the other {scored}" if scored else "there is no mean"
        rows, scored_rows = summary["rows"], summary.get("scored_rows")  # which older runs have not
        on = f", on {scored_rows} of {counted(rows, 'row')}" if scored_rows and scored_rows < rows else ""
        say(f"{episodes - scored} of {episodes} have no reward; {over}{on}.")
        if unscored := episodes - scored - sum(summary["errors"].values()):
            say(f"note: scoring gave None for {counted(unscored, 'episode')}. Is a `return` missing?")
    if retried := summary.get("env_retries", {}).get("episodes"):
        say(f"{counted(retried, 'episode')} needed another try, as a reset or a step had failed.")
    say()
    rows = [[name, interval(part)] for name, part in summary["rewards"].items()]
    rows += [[name, "-"] for name in summary.get("abstained", {}) if name not in summary["rewards"]]
    if not training:  # the samples of a row are from different models
        few = rows_of_passes(summary)
        rows += [[f"pass@{k}", f"{value:.3f}{few.get(k, '')}"] for k, value in summary["pass_at_k"].items()]
        rows += [
            [f"pass^{k}", f"{value:.3f}{few.get(k, '')}"] for k, value in summary["pass_all_k"].items() if k != "1"
        ]
    rows += [[f"baseline {name}", interval(mean)] for name, mean in summary.get("baselines", {}).items()]
    rows += _groups(summary)
    rows += _costs(summary)
    print_table(["MEASURE", "VALUE"], rows)
    for name, count in summary["stop_reasons"].items():
        say(f"ended {name}: {count}")
    for cause, count in summary["errors"].items():
        example = summary.get("error_examples", {}).get(cause, "?")
        say(f"failed: {count} by {cause}, e.g. {example:.300}")
        if "environment score: " in cause and (hint := form_hint(cause.rpartition(" ")[2], example)):
            say(f"note: {hint}")
    if scored and not summary["pass_at_k"] and not training:
        say("note: the reward range has no highest reward, so nothing is a pass; --pass-at sets one.")
    if not training and _gold_never_passes(summary):
        say("note: gold never passes, as no episode earns the reward that counts as a pass; --pass-at R sets another.")
    if not training and any(rows_of_passes(summary).values()):
        say("note: pass@k and pass^k are over the rows with k scored samples.")
    if clusters := summary.get("cluster"):
        say(f"note: {clusters_text(clusters['column'], clusters['n'])}.")
    say_abstained(summary.get("abstained", {}))  # which older runs have not
    if summary["out_of_range"]:
        many = counted(summary["out_of_range"], "reward")
        say(f"note: {many} outside the declared range. Declare the real one: `range=` of a reward, or `reward_range`.")
    if summary["run"]:
        say(f"\nrun {summary['run']}\nview it: {command_line('view', summary['run'])}")


def _gold_never_passes(summary: Mapping[str, Any]) -> bool:
    """Whether gold earns something, and never what counts as a pass."""
    passes = summary["pass_at_k"].values()
    return summary["policy"] == "gold" and bool(passes) and not any(passes) and (summary["reward"]["mean"] or 0) > 0


def say_retry(summary: Mapping[str, Any], run: Run) -> None:
    """Say how failed episodes are played again, where there are any."""
    if summary["errors"] and (command := command_to_retry(run)):
        say(f"play the failed episodes again: {command}")


def say_abstained(abstained: Mapping[str, Mapping[str, int]]) -> None:
    """Note each named reward that abstained in most of the episodes."""
    for name, counts in abstained.items():
        if 2 * counts["episodes"] > counts["of"]:
            many = f"{counts['episodes']} of {counted(counts['of'], 'episode')}"
            say(f"note: {name}: abstained in {many}.")


def steps_done(training: Mapping[str, Any], running: bool = False) -> str:
    """`4/100 steps` of a training."""
    of = "" if training["of"] is None else f"/{training['of']}"
    unfinished = ", running" if running else ", not finished"
    return f"{training['steps']}{of} steps" + ("" if training["finished"] else unfinished)


def before_and_after(training: Mapping[str, Any]) -> str:
    """`0.112 -> 0.831` on the rows that a training measures; `-` where they were not measured."""
    found = training["heldout"] or {}
    parts = [found.get(when) or {} for when in ("before", "after")]
    scored = [scored_text(part) for part in parts]
    missing = f" ({', '.join(filter(None, scored))} scored)" if any(map(missing_rows, parts)) else ""
    return " -> ".join(str(Mean(part.get("mean"))) for part in parts) + missing if found else "-"


def _say_training(summary: Mapping[str, Any], training: Mapping[str, Any], env: str) -> None:
    say(f"training of {summary['policy']} on {env}: {steps_done(training)}")
    for when, found in (training["heldout"] or {}).items():
        say(f"{heldout_title(found)} {when + ':':8}{heldout_text(found)}")
    for note in heldout_notes(training["heldout"], summary.get("heldout_compared")):
        say(note)


def interval(mean: Mapping[str, float | None]) -> str:
    """`0.812 [0.79, 0.83]`."""
    return str(Mean(mean["mean"], mean["low"], mean["high"]))


def _spread(summary: Mapping[str, Any]) -> str:
    share = summary["zero_spread_share"]
    return "" if share is None else f"; {share:.0%} of groups without spread"


def _groups(summary: Mapping[str, Any]) -> list[list[str]]:
    by = summary.get("by") or {"groups": {}}
    return [[f"{by['column']} = {name}", f"{interval(mean)}{_rows_of(mean)}"] for name, mean in by["groups"].items()]


def _rows_of(group: Mapping[str, Any]) -> str:
    return f" over {counted(group['n'], 'row')}" if "n" in group else ""  # which older runs have not


def _costs(summary: Mapping[str, Any]) -> list[list[str]]:
    rows = []
    if summary["turns"] is not None:
        rows.append(["turns", f"{summary['turns']:.2f}"])
    calls = summary["tool_calls"]
    if calls["mean"]:
        rows.append(["tool calls", f"{calls['mean']:.2f}, {calls['failed_share']:.1%} failed"])
    rows += [[name.replace("_", " "), str(count)] for name, count in summary["tokens"].items()]
    rows += [[name, f"{value:z.3f}"] for name, value in summary["metrics"].items()]
    seconds = summary["seconds"]
    if not isinstance(seconds, Mapping):  # of a training
        rows.append(["seconds", f"{seconds:.2f}"])
    elif seconds.get("p50") is not None:
        rows.append(["seconds", " ".join(f"{name} {value:.2f}" for name, value in seconds.items())])
    if "cost" in summary:
        rows.append(["cost", "-" if summary["cost"] is None else f"{summary['cost']:.4f}"])
    return rows
