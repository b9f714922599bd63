"""The work of `grpo-env eval` on one environment: its episodes, what is printed of them, and how it ends."""

import argparse
import asyncio
import signal
import sys
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

from grpo_env_sdk.cli import INTERRUPTED
from grpo_env_sdk.cli.output import print_json, say
from grpo_env_sdk.cli.progress import EvalProgress
from grpo_env_sdk.cli.summary import print_summary, say_retry
from grpo_env_sdk.evaluation.evaluate import Evaluator
from grpo_env_sdk.evaluation.gates import min_reward_gate
from grpo_env_sdk.evaluation.metrics import Metrics
from grpo_env_sdk.evaluation.plan import EvalPlan
from grpo_env_sdk.evaluation.result import Evaluation
from grpo_env_sdk.isolation.calls.async_calls import run_loop
from grpo_env_sdk.isolation.calls.command_process import end_process
from grpo_env_sdk.isolation.processes.ending_signals import ending_signals, note_hangup
from grpo_env_sdk.isolation.processes.env_pool import THREADS
from grpo_env_sdk.plain_text import command_line, counted
from grpo_env_sdk.policies.make import PolicySpec
from grpo_env_sdk.registry.qualified import name_in_run, qualified
from grpo_env_sdk.runs.measured import measured
from grpo_env_sdk.runs.provenance import provenance_notes
from grpo_env_sdk.runs.reading import Run
from grpo_env_sdk.runs.watcher import Watcher
from grpo_env_sdk.runs.writing import RunWriter

TOO_LOW = 1
"""The exit code where nothing was scored, or too little."""
_FEW = 5
"""With fewer held-out rows, their mean is noted to say little."""


def resume_command(folder: Path, args: argparse.Namespace) -> str:
    """What goes on with the runs of a folder, under the same limit."""
    gate = [] if args.min_reward is None else ["--min-reward", args.min_reward]
    return command_line("eval", "--resume", folder, *gate)


def evaluate_run(
    work: Evaluator, writer: RunWriter, args: argparse.Namespace, baselines: dict[str, Any] | None = None,
    folder: Path | None = None,
) -> int:  # fmt: skip
    """Play what the run lacks and print its summary; the exit code.

    `folder` has the runs of all environments of the command, where there are several: what is resumed is that.
    """
    resume = resume_command(folder or writer.run.path, args)
    _note_fewer_at_once(work, args.concurrency)
    _note_few_rows(work)
    with writer:
        done = len({(episode.row_index, episode.sample) for episode in writer.run.episodes()})
        showing = EvalProgress(qualified(work.loaded.spec), len(work.jobs), done)
        with showing as progress, _watched(work, writer, resume, args.json):
            evaluation = run_loop(_until_interrupted(work, writer, progress))
        summary = evaluation.summary
        if not evaluation.interrupted and (found := _baselines(work) if args.baselines else baselines):
            summary |= {"baselines": found}
            writer.finish(summary)
    if retried := getattr(work.policy, "retried", ""):
        say(f"note: {retried}", file=sys.stderr)
    if evaluation.interrupted:
        of = f" of {qualified(work.loaded.spec)}" if folder else ""
        raise KeyboardInterrupt(
            f"Interrupted after {work.tally.episodes} of {len(work.jobs)} episodes{of}; all are saved.\n"
            f"Resume with: {resume}"
        )
    summary["sent_again"] = getattr(work.policy, "sent_again", 0)
    return report(summary, evaluation.tally, work.plan, len(work.jobs), writer.run, args)


def report(
    summary: Mapping[str, Any], tally: Metrics, plan: EvalPlan, asked: int, run: Run, args: argparse.Namespace
) -> int:  # fmt: skip
    """Print the summary of a run in which so many episodes were asked for, and what its limit says; the exit code."""
    gate = min_reward_gate(args.min_reward, plan, tally, asked)
    if args.json:
        print_json({**summary, **measured(run.manifest), **({"gate": gate.as_json()} if gate else {})})
    else:
        print_summary(summary, name_in_run(run))
        say_retry(summary, run)
        if gate:
            say(gate)
    for note in provenance_notes(run.manifest):
        say(f"note: {note}", file=sys.stderr)
    return 0 if tally.scored and (gate is None or gate.passed) else TOO_LOW


def _note_fewer_at_once(work: Evaluator, asked: int | None) -> None:
    """Say so where an environment allows fewer episodes at once than the user asked for."""
    env = work.loaded
    if asked is not None and (why := env.description.why_fewer_at_once(asked, env.pool)):
        say(f"note: {why}", file=sys.stderr)


def _note_few_rows(work: Evaluator) -> None:
    """Say so where the held-out rows are so few that their mean says little."""
    rows, plan = len(work.rows.indices), work.plan
    if plan.split == "test" and plan.rows is None and rows < _FEW and not work.loaded.splits_itself:
        say(f"note: only {counted(rows, 'row')}, as about a tenth is held out; --split all takes all.", file=sys.stderr)


def _watched(work: Evaluator, writer: RunWriter, resume: str, as_json: bool) -> AbstractContextManager[None]:
    """While this lasts, another process sees whether environment code ends this one, or freezes it."""
    seconds, live = work.plan.limits.call_seconds, writer.live_rows.path
    again = f"Go on in worker processes, where that costs one episode: {resume}"
    return Watcher(live, seconds, again, as_json) if work.loaded.pool == THREADS else nullcontext()


async def _until_interrupted(work: Evaluator, writer: RunWriter, progress: EvalProgress) -> Evaluation:
    """Run the evaluation; a first Ctrl-C, SIGTERM or SIGHUP ends it in good order, a second one at once."""
    loop = asyncio.get_running_loop()

    def stop(number: int, frame: object) -> None:  # not a handler of the loop, which a policy may block
        note_hangup(number)
        writer.live_rows.close()  # whatever ends the process from now on, it was asked to
        if work.interrupted and number == signal.SIGHUP:  # a shell and the kernel may both send it
            return
        if work.interrupted:
            end_process(INTERRUPTED)
        work.interrupted = True
        loop.call_soon_threadsafe(work.interrupt)

    before = {number: signal.signal(number, stop) for number in ending_signals()}
    try:
        return await work.run(writer, progress.seen)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _baselines(work: Evaluator) -> dict[str, Any]:
    """The mean reward of gold and of random on the same rows."""
    found = {}
    for name in ("gold", "random"):
        if name == "gold" and not work.loaded.traits.solvable:
            continue
        plan = replace(work.plan, policy=PolicySpec(name), samples=1, max_errors=None)
        found[name] = run_loop(
            Evaluator(work.loaded, plan, live_model=work.live_model).run(None)
        ).tally.reward.as_json()
    return found
