"""Runs the checks of an environment in worker processes, and collects their events into a report."""

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from grpo_env_sdk.checking.check import Check, all_checks
from grpo_env_sdk.checking.evidence.playing.env_under_test import BUILDING, MAKING, OPENING
from grpo_env_sdk.checking.evidence.playing.episode_player import LEAST_ROWS
from grpo_env_sdk.checking.evidence.playing.failures import UNUSABLE
from grpo_env_sdk.checking.evidence.playing.machine_load import busy
from grpo_env_sdk.checking.evidence.playing.settings import Settings
from grpo_env_sdk.checking.findings.finding import MORE_TIME, REPORT_PLUGIN, Finding, Undecided, from_wire
from grpo_env_sdk.checking.findings.report import FIX_FIRST, Report
from grpo_env_sdk.checking.runner.results import Results
from grpo_env_sdk.checking.runner.sequence import FIRST, in_sequence
from grpo_env_sdk.checking.runner.worker import LEAST_PART, Order, plays, refusal, work
from grpo_env_sdk.checking.runner.worker_process import Stop, WorkerProcess
from grpo_env_sdk.errors import BrokenPackageError
from grpo_env_sdk.isolation.processes.env_pool import PoolKind
from grpo_env_sdk.types import EnvSpec

TYPICAL_SECONDS = {"quick": 3.5, "default": 7.0, "thorough": 90.0}
"""How long all checks of an ordinary environment should take together, without waiting for a processor."""
MOST_SLOWER = 4.0
"""On a busy machine a check may take so many times as long before it is taken to hang."""
PATIENCE_SECONDS = 15.0
"""How long one check may take beyond one call that hangs, longer on a busy machine; after each crash it is less."""
RESERVE_SECONDS = 2.0
MOST_SHARED = 0.75
"""The part of the timeout that is divided among the checks: a check may take longer than its share."""
LEAST_AGAIN = 5.0
"""The least seconds in which checks that had too little time run once more."""
MUCH_OUTPUT = 1_000_000
"""The bytes that an environment may print during a check before that is reported."""

OWN_CODE = "the check's own code"
OnEvent = Callable[[dict[str, Any]], None]


@dataclass(frozen=True, slots=True)
class CheckPlan:
    """Which checks to run, how, and in how many seconds."""

    checks: Sequence[Check]
    settings: Settings = field(default_factory=Settings)
    seconds: float = 120.0
    pool: PoolKind = "process"
    """Where environment code runs: in processes, in a sandbox, or in threads of this process."""
    unfiltered: bool = False
    """Whether these are all checks of the effort, so that the report may say what stayed unproven."""
    waivers: bool = True
    """Whether waivers count; without them every finding does."""
    at_once: int = 1
    """How many environments are tested at the same time."""
    stop: Stop | None = None
    """What ends the checks of every thread."""


def run_checks(
    spec: EnvSpec,
    plan: CheckPlan,
    on_event: OnEvent = lambda event: None,
    create: Callable[..., Any] | None = None,
) -> Report:
    """The report on one environment; raises only if it cannot be imported or does not take this config.

    `create` is a class, or what returns new instances, that no import path leads to; it is checked in this process.
    """
    ids = in_sequence(plan.checks)
    run = _CheckRun(spec, plan, on_event, create)
    run.run(ids)
    run.run_again([id for id in ids if id in run.late])
    return run.results.whole(time.monotonic() - run.started)


class _CheckRun:
    """The state while the checks of one environment run."""

    def __init__(
        self, spec: EnvSpec, plan: CheckPlan, on_event: OnEvent, create: Callable[..., Any] | None = None
    ) -> None:
        self.spec = spec
        self.create = create
        self.plan = plan
        self.on_event = on_event
        self.results = Results(spec.id, plan.settings.origin, plan.seconds, plan.settings.effort == "quick")
        self.report = self.results.report
        self.started = self.shared_from = time.monotonic()
        self.slower = max(busy(MOST_SLOWER), plan.at_once / (os.cpu_count() or 1))
        self.seconds = plan.seconds + sum(map(self._own_seconds, plan.checks))
        self.ends = time.monotonic() + self.seconds - RESERVE_SECONDS
        self.most = MOST_SHARED * plan.seconds
        self.typical = min(TYPICAL_SECONDS[plan.settings.effort], self.most)
        self.call_seconds = plan.settings.call_seconds
        self.least_part = LEAST_PART
        self.crashes = 0
        self.stopped: set[str] = set()
        """The checks in which a process ended."""
        self.holds = False
        """Whether a check found that the environment holds its process for ever."""
        self.running: str | None = None
        """The check that runs; None before the first and after the last one."""
        self.given = 0.0
        """The seconds that it was given."""
        self.place: tuple[str, int | None] = ("the import", None)
        """The stage, and its row."""
        self.measured: float | None = None
        self.measuring = False
        self._enter("the import")

    @property
    def late(self) -> set[str]:
        """The checks that found nothing and had too little time."""
        found = {finding.check for finding in self.report.findings}
        gaps = {id for gap in self.report.undecided if gap.for_time for id in gap.checks}
        return {id for id in gaps - found - self.stopped if not all_checks()[id].seconds}

    @property
    def left_seconds(self) -> float:
        """What is left of the timeout; what checks with time of their own took is beyond it."""
        own = sum(taken for id, taken in self.report.timings.items() if all_checks()[id].seconds)
        return self.plan.seconds - RESERVE_SECONDS - (time.monotonic() - self.started - own)

    def run(self, ids: list[str]) -> None:
        """Run the checks where environment code runs."""
        if self.plan.pool != "thread" and self.create is None:
            return self.in_processes(ids)
        try:
            return work(self.order(ids), self.take, self.create)
        except KeyboardInterrupt:
            return self.interrupted([id for id in ids if id not in self.report.timings])

    def run_again(self, ids: list[str]) -> None:
        """Run checks once more that had too little time, in what is left of the timeout."""
        left, over = self.left_seconds, self.holds or self.report.blocked or self.report.interrupted
        if self.plan.settings.effort == "quick" or not ids or left < LEAST_AGAIN or over:
            return
        self.report.reopen(ids)
        self.shared_from = time.monotonic()
        self.typical = self.most = MOST_SHARED * left
        self.least_part = 0.0  # each of them has had that
        self.ends = self.shared_from + left
        self.run(ids)

    def order(self, ids: list[str]) -> Order:
        """The order for these checks, with the rest of the shared time."""
        passed = time.monotonic() - self.shared_from
        most, seconds = max(1.0, self.most - passed), max(1.0, self.typical - passed / self.slower)
        own = {id: taken for id in ids if (taken := self._own_seconds(all_checks()[id]))}
        most = max(seconds, most)
        return Order(self.spec, self.plan.settings, tuple(ids), seconds, most, self.least_part, self.measured, own)

    def _own_seconds(self, check: Check) -> float:
        """What a check gets that has time of its own: more by `--timeout`, and on a busy machine."""
        return max(check.seconds, self.plan.seconds) * self.slower if check.seconds else 0.0

    def in_processes(self, ids: list[str]) -> None:
        """Run the checks in a worker process; after a crash a new one runs the rest."""
        left = list(ids)
        while left and not self.report.blocked:
            if time.monotonic() >= self.ends:
                why = f"The timeout of {self.seconds:g} s was used up."
                if any(" hangs" in one.message for one in self.report.findings if one.severity == "error"):
                    return self.results.add(Undecided(why, FIX_FIRST, tuple(left)))
                return self.results.add(Undecided(why, MORE_TIME, tuple(left), f"--timeout {2 * self.plan.seconds:g}"))
            cpu_seconds = int(self.seconds * 4)
            with WorkerProcess(self.order(left), cpu_seconds, self.plan.stop, self.plan.pool) as child:
                self._enter("the import")
                try:
                    self._follow(child, left)
                except KeyboardInterrupt:
                    return self.interrupted(left)
        if left:
            self.results.add(Undecided(UNUSABLE, FIX_FIRST, tuple(left)))
        return None

    def interrupted(self, left: Sequence[str]) -> None:
        """Keep what was found, if only checks with time of their own are left; else the run is over."""
        if not left or not all(all_checks()[id].seconds for id in left):
            raise KeyboardInterrupt
        self.report.interrupted = True
        self.results.add(Undecided("It was stopped.", "Let it run to its end.", tuple(left)))

    def take(self, event: dict[str, Any]) -> None:
        """Keep what an event says."""
        match event["event"]:
            case "refused":
                raise refusal(event)
            case "imported":
                self.report.waive = event["waive"]
                self.call_seconds = event["call_seconds"] or self.call_seconds
            case "started":
                self._enter(OWN_CODE, event["check"])
                self.given = event["seconds"]
            case "measuring":
                self._enter("an episode")
                self.measuring, self.measured = True, 0.0
            case "measured":
                self.measuring, self.measured = False, event["seconds"]
            case "at":
                self.place, self.since = (event["stage"], event["row"]), time.monotonic()
                self.results.note_row(self.running, event["row"])
            case "found":
                self.results.add_found(from_wire(event["item"]))
            case "ended":
                self.report.timings[event["check"]] = event["seconds"]
                self.running = None
            case "facts":
                self.results.add_facts({key: event[key] for key in event if key != "event"}, self.measured)
            case "forked":
                how = "forked this process, and both continued"
                self._add_misuse(how, "Use subprocess.run, or multiprocessing.")
        self.on_event(event)

    def _enter(self, stage: str, check: str | None = None) -> None:
        """Begin with a check, or with what comes before all of them."""
        self.running, self.place = check, (stage, None)
        self.began = self.since = time.monotonic()
        self.given = 0.0

    def _until(self) -> float:
        settings, times = self.plan.settings, MOST_SLOWER * 2 if self.holds else 1 + self.crashes
        spare = PATIENCE_SECONDS * busy(MOST_SLOWER) / times
        if self.place[0] in (MAKING, BUILDING, OPENING):
            return min(self.ends, self.since + settings.build_seconds + spare)
        least = LEAST_ROWS * (self.measured or 0.0)
        return min(self.ends, self.began + max(self.given, self.call_seconds) + least + spare)

    def _follow(self, child: WorkerProcess, left: list[str]) -> None:
        """Take the events of one process; checks that it did not run stay in `left`."""
        strays = printed = 0
        for event in child.events(self._until):
            if child.lines.strays > strays:
                self._add_misuse("wrote to a descriptor that it did not open", "Write only to files that you opened.")
            if child.printed - printed > MUCH_OUTPUT:
                how = f"printed {(child.printed - printed) / 1e6:.0f} MB"
                self._add_misuse(how, "Print nothing: a training run has thousands of episodes.", "warning")
            strays, printed = child.lines.strays, child.printed
            match event["event"]:
                case "done":
                    return left.clear()
                case "crowded":
                    return None
                case "ended":
                    left[:] = [id for id in left if id != event["check"]]
            self.take(event)
        return self._crashed(child, left)

    def _add_misuse(self, how: str, hint: str, severity: Any = "error", output: str | None = None) -> None:
        """A finding of the running check, about what the environment did to its process, or the check of a plugin."""
        stage, row = self.place
        where = stage if row is None else f"{stage} of row {row}"
        message, id = f"The environment {how}, in {where}.", self.running or FIRST[0]
        if whose := self._of_plugin(id):
            message, hint, severity = f"The check {id}{whose} {how}.", REPORT_PLUGIN, "warning"
        finding = Finding(message, hint, row, output=output, severity=severity, check=id, cause=f"{how}: {stage}")
        self.results.add(finding)

    def _of_plugin(self, check: str) -> str:
        """Whose code runs, where it is that of a plugin."""
        plugin = all_checks()[check].plugin if self.place[0] == OWN_CODE else ""
        return plugin and f" of the plugin {plugin}"

    def _crashed(self, child: WorkerProcess, left: list[str]) -> None:
        """Report why a process ended early; only the check that it ran is lost."""
        self.crashes += 1
        how = "did not return and could not be stopped" if child.timed_out else child.how_it_ended()
        if self.running is None and not self.report.timings and self.place[0] == "the import":
            raise BrokenPackageError(
                f"Importing {self.spec.entry_point} failed: it {how}.", "Move code that runs at import into a function."
            )
        if not left:
            return None
        lines = child.own_lines()
        long_ago = time.monotonic() - self.since >= self.call_seconds
        measuring, self.measuring = self.measuring, False
        if measuring and not (child.timed_out and lines and long_ago):
            return None  # the next process goes on without; the check that plays the same reports it
        self.running = id = self.running or left[0]
        self.stopped.add(id)
        left.remove(id)
        if child.timed_out and self.holds:
            self.results.add(Undecided("The environment holds its process here too.", FIX_FIRST, (id, *left)))
            return left.clear()
        built_before = self.place[0] in (MAKING, BUILDING) and id not in FIRST
        if child.timed_out and (built_before or not (lines and long_ago)):  # the check or the machine may be slow
            why = f"Its time ran out, in {self.place[0]}{self._of_plugin(id)}."
            if self._of_plugin(id):
                return self.results.add(Undecided(why, REPORT_PLUGIN, (id,), "--timeout 600"))
            if built_before or all_checks()[id].seconds or time.monotonic() >= self.ends:
                return self.results.add(Undecided(why, MORE_TIME, (id,), "--timeout 600"))
            return self.results.add(Undecided(why, "Run it alone, on fewer rows.", (id,), "--rows 2"))
        hint = "Fix this code: it would stop a whole training run."
        self.report.blocked = id in FIRST
        if child.timed_out:
            self.holds = True
            left.sort(key=lambda each: plays(all_checks()[each]))  # these may be held too
        return self._add_misuse(how, hint, output="\n".join(lines) or child.last_output or None)
