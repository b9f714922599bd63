"""What the processes of a run have found so far."""

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from grpo_env_sdk.checking.check import all_checks
from grpo_env_sdk.checking.evidence.playing.episode_player import GUARANTEED
from grpo_env_sdk.checking.findings.finding import Finding, Item, Undecided
from grpo_env_sdk.checking.findings.report import Report
from grpo_env_sdk.checking.runner.sequence import FIRST

LONGER = "--timeout 600"
"""What checks advise that had too little time."""
WITHOUT_QUICK = "Leave out --quick: with it a longer --timeout gives checks no more time."


class Results:
    """Collects items, facts and rows, whichever process sent them."""

    def __init__(self, env: str, origin: str, seconds: float, quick: bool = False) -> None:
        self.report = Report(env)
        self._origin = origin + os.sep
        self._seconds = seconds
        """The timeout of the run."""
        self._quick = quick
        self._rows: set[int | None] = set()
        """The rows on which episodes were played."""
        self._group_rows: dict[str, set[int | None]] = {group: set() for group in GUARANTEED}

    def add(self, item: Item) -> None:
        """Keep an item."""
        if isinstance(item, Finding):
            self.report.blocked |= item.check in FIRST and item.severity == "error"
            item = self._with_relative_paths(item)
        elif isinstance(item, Undecided) and item.flags == LONGER and self._seconds >= 600:
            item = replace(item, flags=f"--timeout {2 * self._seconds:g}")
        self.report.add(item)

    def add_found(self, item: Item) -> None:
        """Keep an item of a check; where it lacked time with `--quick`, that is said."""
        if self._quick and isinstance(item, Undecided) and item.for_time:
            item = replace(item, would_help=f"{item.would_help} {WITHOUT_QUICK}")
        self.add(item)

    def note_row(self, check: str | None, row: int | None) -> None:
        """Note that a check plays on a row."""
        if row is not None:
            self._rows.add(row)
            if check and (of_group := self._group_rows.get(all_checks()[check].group)) is not None:
                of_group.add(row)

    def add_facts(self, facts: Mapping[str, Any], episode_seconds: float | None) -> None:
        """Add the facts of one process to those of the others."""
        if facts:
            before = self.report.facts
            known = {key: value for key, value in before.items() if facts.get(key) is None}
            scored = facts["gold_scored"] or bool(before.get("gold_scored"))
            unscored = facts["unscored_column"] if not before or before["unscored_column"] else None
            more = {"checked_rows": len(self._rows), "episode_seconds": episode_seconds}
            self.report.facts = {**facts, **known, "unscored_column": unscored, "gold_scored": scored, **more}

    def whole(self, seconds: float) -> Report:
        """The report on all that was found, in so many seconds."""
        self.report.seconds = seconds
        self.report.rows_of_groups = {group: len(rows) for group, rows in self._group_rows.items()}
        return self.report

    def _with_relative_paths(self, finding: Finding) -> Finding:
        """The finding with paths relative to the folder in which the command was called."""
        folder = self._origin
        if folder == os.sep:
            return finding
        message, hint, cause = (text.replace(folder, "") for text in (finding.message, finding.hint, finding.cause))
        return replace(finding, message=message, hint=hint, cause=cause)
