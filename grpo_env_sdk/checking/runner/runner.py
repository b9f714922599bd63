"""From the name of an environment to a report: which checks, in which processes, for how long."""

import os
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from grpo_env_sdk.checking.check import Check, all_checks
from grpo_env_sdk.checking.evidence.env_under_test import BUILDING, MAKING, Settings
from grpo_env_sdk.checking.findings.finding import Finding, Item, Undecided, from_wire
from grpo_env_sdk.checking.findings.report import MEND_FIRST, Report
from grpo_env_sdk.checking.runner.worker import FIRST, UNUSABLE, Order, refusal, work
from grpo_env_sdk.checking.runner.worker_process import Child
from grpo_env_sdk.errors import BrokenPackageError
from grpo_env_sdk.types import EnvSpec

MEANT = {"quick": 7.0, "default": 16.0, "thorough": 90.0}
"""The seconds in which an ordinary environment should be through, shared by the checks."""
PATIENCE_SECONDS = 15.0
"""How long one check may take beyond one call that hangs; each process that went down leaves the next ones less."""
RESERVE_SECONDS = 2.0
MOST_MEANT = 0.75
"""The part of all the time that is shared out: a check may overrun its share."""
MOST_BUSY = 3.0
"""However busy the machine is, checks get no more than so many times as long."""
MUCH_OUTPUT = 1_000_000
"""The bytes that a check's environment may print before it is told."""

Watch = Callable[[dict[str, Any]], None]


@dataclass(frozen=True, slots=True)
class Plan:
    """Which checks are run, how, and when it must have ended."""

    checks: Sequence[Check]
    settings: Settings = field(default_factory=Settings)
    seconds: float = 120.0
    isolated: bool = True


def run_checks(spec: EnvSpec, plan: Plan, watch: Watch = lambda event: None, cls: type | None = None) -> Report:
    """The report of one environment; raises only where it cannot even be imported or takes no such config.

    `cls` is a class that no name leads to; it is checked in this process.
    """
    started = time.monotonic()
    wanted = [check.id for check in plan.checks]
    ids = [*(id for id in FIRST if id in all_checks() and wanted), *(id for id in wanted if id not in FIRST)]
    trial = _Trial(spec, plan, watch)
    if plan.isolated and cls is None:
        trial.in_children(ids)
    else:
        work(trial.order(ids), trial.take, cls)
    trial.report.seconds = time.monotonic() - started
    return trial.report


def busy() -> float:
    """How many times as long as usual things take, by what else this machine has to do."""
    return min(MOST_BUSY, max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1)))


class _Trial:
    """One environment's checks under way."""

    def __init__(self, spec: EnvSpec, plan: Plan, watch: Watch) -> None:
        self.spec = spec
        self.plan = plan
        self.watch = watch
        self.report = Report(spec.id)
        self.seconds = plan.seconds + sum(check.seconds for check in plan.checks)
        self.ends = time.monotonic() + self.seconds - RESERVE_SECONDS
        meant = min(MEANT[plan.settings.effort] * busy(), MOST_MEANT * plan.seconds)
        self.meant_end = time.monotonic() + meant
        self.went_down = 0
        self.running: str | None = None
        self.place: tuple[str, int | None] = ("the import", None)
        self.rows: set[int | None] = set()
        """Those on which episodes were played."""
        self._at("the import")

    def order(self, ids: list[str]) -> Order:
        """These checks, in what is left of the time that is meant for all."""
        return Order(self.spec, self.plan.settings, tuple(ids), max(1.0, self.meant_end - time.monotonic()))

    def in_children(self, ids: list[str]) -> None:
        """All checks in child processes: one, and another for what is left whenever one went down."""
        left = list(ids)
        while left and not self.report.blocked:
            if time.monotonic() >= self.ends:
                why, more = f"There was no time left of {self.seconds:g} s.", f"--timeout {2 * self.plan.seconds:g}"
                return self.report.add(Undecided(why, "Give it more time.", tuple(left), more))
            with Child(self.order(left), cpu_seconds=int(self.seconds * 4)) as child:
                self._at("the import")
                self._follow(child, left)
        if left:
            self.report.add(Undecided(UNUSABLE, MEND_FIRST, tuple(left)))
        return None

    def take(self, event: dict[str, Any]) -> None:
        """Keep what an event tells."""
        match event["event"]:
            case "refused":
                raise refusal(event)
            case "imported":
                self.report.waive = event["waive"]
            case "started":
                self._at("its own code", event["check"])
            case "at":
                self.place, self.since = (event["stage"], event["row"]), time.monotonic()
                self.rows |= {event["row"]} - {None}
            case "found":
                self._found(from_wire(event["item"]))
            case "ended":
                self.report.timings[event["check"]] = event["seconds"]
                self.running = None
            case "facts":
                self._learnt({key: value for key, value in event.items() if key != "event"})
            case "forked":
                self._told("forked this process, and both went on", "Use subprocess.run, or multiprocessing.")
        self.watch(event)

    def _learnt(self, facts: dict[str, Any]) -> None:
        """Add what one process knows to what those before it knew."""
        if facts:
            known = {key: value for key, value in self.report.facts.items() if facts.get(key) is None}
            self.report.facts = {**facts, **known, "checked_rows": len(self.rows)}

    def _at(self, stage: str, check: str | None = None) -> None:
        self.running = check
        self.place = (stage, None)
        self.began = self.since = time.monotonic()

    def _until(self) -> float:
        settings, spare = self.plan.settings, PATIENCE_SECONDS / (1 + self.went_down)
        if self.place[0] in (MAKING, BUILDING):
            return min(self.ends, self.since + settings.build_seconds + spare)
        own = all_checks()[self.running].seconds if self.running else 0.0
        return min(self.ends, self.began + max(own, settings.call_seconds) + spare)

    def _follow(self, child: Child, left: list[str]) -> None:
        """Take the events of one child; what it did not get to stays in `left`."""
        strays = printed = 0
        for event in child.events(self._until):
            if child.strays > strays:
                self._told("wrote to a descriptor that it did not open", "Write only to what you opened.")
            if child.printed - printed > MUCH_OUTPUT:
                told = f"printed {(child.printed - printed) / 1e6:.0f} MB"
                self._told(told, "Print nothing: a training run has thousands of episodes.", "warning")
            strays, printed = child.strays, child.printed
            if event["event"] == "done":
                return left.clear()
            if event["event"] == "crowded":
                return None
            if event["event"] == "ended":
                left.remove(event["check"])
            self.take(event)
        return self._lost(child, left)

    def _found(self, item: Item) -> None:
        if isinstance(item, Finding):
            self.report.blocked |= item.check in FIRST and item.severity == "error"
            item = self._from_here(item)
        self.report.add(item)

    def _from_here(self, finding: Finding) -> Finding:
        """The finding with paths as they are written in the folder that the command was called in."""
        folder = self.plan.settings.origin + os.sep
        if folder == os.sep:
            return finding
        message, hint, cause = (text.replace(folder, "") for text in (finding.message, finding.hint, finding.cause))
        return replace(finding, message=message, hint=hint, cause=cause)

    def _told(self, how: str, hint: str, severity: Any = "error", output: str | None = None) -> None:
        """A finding of the check that runs, about what the environment did to its process."""
        stage, row = self.place
        where = stage if row is None else f"{stage} of row {row}"
        message, id = f"The environment {how}, in {where}.", self.running or FIRST[0]
        finding = Finding(message, hint, row, output=output, severity=severity, check=id, cause=f"{how}: {stage}")
        self.report.add(finding)

    def _lost(self, child: Child, left: list[str]) -> None:
        """Record what a process that went down cost: its own check, and nothing else."""
        self.went_down += 1
        how = "did not come back, and could not be stopped" if child.timed_out else child.how_it_ended()
        if self.running is None and not self.report.timings and self.place[0] == "the import":
            raise BrokenPackageError(
                f"Importing {self.spec.entry_point}: it {how}.", "Move what runs at import into a function."
            )
        if not left:
            return None
        self.running = id = self.running or left[0]
        left.remove(id)
        lines = self._own_lines(child)
        long_ago = time.monotonic() - self.since >= self.plan.settings.call_seconds
        built_before = self.place[0] in (MAKING, BUILDING) and id not in FIRST
        if child.timed_out and (built_before or not (lines and long_ago)):  # a check may be slow, and the machine
            why = f"It was still at work when its time was up, in {self.place[0]}."
            if built_before:
                return self.report.add(Undecided(why, "Give it longer.", (id,), "--timeout 600"))
            return self.report.add(Undecided(why, "Run it alone, on fewer rows.", (id,), "--rows 2"))
        hint = "Mend it there: it would stop a whole training run."
        self.report.blocked = id in FIRST
        return self._told(how, hint, output="\n".join(lines) or child.last_words or None)

    def _own_lines(self, child: Child) -> list[str]:
        """Where the environment's own code was, innermost first, by what Python printed of the threads at the end."""
        package = re.escape(self.spec.entry_point.partition(":")[0].partition(".")[0])
        found = re.findall(rf'File "(.*/{package}(?:\.py|/.*))", line (\d+) in (\S+)', child.last_words)
        origin = self.plan.settings.origin + os.sep
        return [f"{file.removeprefix(origin)}:{line} in {function}" for file, line, function in found]
