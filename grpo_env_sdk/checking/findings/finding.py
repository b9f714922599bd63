"""What a check can yield: a finding with evidence, a gap that it could not decide, and exhibits for the report."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, get_args

from grpo_env_sdk.checking.findings.transcript_text import is_transcript, turns_text
from grpo_env_sdk.report.exhibits import Plot as Plot
from grpo_env_sdk.report.exhibits import Table as Table

Severity = Literal["error", "warning", "info"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)
MOST_CHARS = 2_000
"""The characters of one piece of evidence that a report keeps."""
NOT_YOURS = "If the code that draws is not yours, set isolate_globals = True on the class."
"""What else helps against code that draws from the random state of the process."""
STATELESS = "Keep nothing between episodes: compute the score only from the row and the answer."
"""What helps where a score depends on what was scored before."""

REPORT_PLUGIN = "Report it to the authors of the plugin, or leave the check out with --ignore."
"""What helps against a mistake in a plugin's check."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong, with the example that proves it; `check` and `severity` come from the check."""

    message: str
    hint: str = ""
    row: int | None = None
    input: Any = None
    output: Any = None
    expected: Any = None
    severity: Severity | None = None
    check: str = ""
    cause: str = ""
    """What failed and where, `KeyError (hotel.py:31)`, so that one mistake seen by several checks is reported once."""
    follows: str = ""
    """The check whose finding explains this one, and is to be fixed first."""

    def as_json(self) -> dict[str, Any]:
        """The finding as `--json` prints it, with its evidence cut to a readable length."""
        return {
            "id": self.check, "severity": self.severity, "message": self.message, "row": self.row, "hint": self.hint,
            "input": evidence(self.input), "output": evidence(self.output), "expected": evidence(self.expected),
            "cause": self.cause, "follows": self.follows,
        }  # fmt: skip


MORE_TIME = "Give it more time."
"""What would help a check for which there was no time."""
MORE_TIME_ALONE = "Run it alone, with more time."
"""What would help one that measures for as long as it may."""


@dataclass(frozen=True, slots=True)
class Undecided:
    """What could not be decided, why, and what would make it testable."""

    why: str
    would_help: str = ""
    checks: tuple[str, ...] = ()
    flags: str | None = None
    """What to add to the command if its checks may decide more when they run again alone."""

    @property
    def for_time(self) -> bool:
        """Whether its checks may decide more in more time."""
        return self.flags is not None and self.would_help.startswith((MORE_TIME, MORE_TIME_ALONE))

    def as_json(self) -> dict[str, Any]:
        """The gap as `--json` prints it."""
        return {"checks": list(self.checks), "why": self.why, "would_help": self.would_help}


Item = Finding | Undecided | Table | Plot
"""Everything that a check may yield."""

_KINDS: dict[str, type] = {kind.__name__.lower(): kind for kind in (Finding, Undecided, Table, Plot)}


def to_wire(item: Item) -> dict[str, Any]:
    """The item as plain JSON, as a worker process sends it."""
    data = {slot.name: getattr(item, slot.name) for slot in fields(item)}
    if isinstance(item, Finding):
        data |= {name: evidence(data[name]) for name in ("input", "output", "expected")}
    return {"is": type(item).__name__.lower(), **plain(data)}


def from_wire(data: Mapping[str, Any]) -> Item:
    """The item that `to_wire` wrote."""
    given = dict(data)
    kind = _KINDS[given.pop("is")]
    if kind is Undecided:
        given["checks"] = tuple(given["checks"])
    return kind(**given)  # type: ignore[no-any-return]  # one of four dataclasses


def evidence(value: Any) -> Any:
    """A value as a report keeps it: plain JSON, shortened if long."""
    if isinstance(value, str):
        return value if len(value) <= MOST_CHARS else f"{value[:MOST_CHARS]}... ({len(value):,} characters)"
    data = plain(value)
    text = json.dumps(data)
    if len(text) <= MOST_CHARS:
        return data
    return evidence(turns_text(data)) if is_transcript(data) else evidence(text)


def plain(value: Any) -> Any:
    """The value after a round trip through JSON; what JSON cannot express becomes text."""
    try:
        text = json.dumps(value, default=_as_text)
    except (TypeError, ValueError):  # a key of another type, or a value within itself
        text = json.dumps(_as_text(value))
    return json.loads(text)


def _as_text(value: Any) -> Any:
    if isinstance(value, set | frozenset):
        return sorted(map(repr, value))
    return repr(value)[:MOST_CHARS]
