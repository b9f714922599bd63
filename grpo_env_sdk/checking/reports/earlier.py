"""Earlier reports, read from what `grpo-env test --json` printed, and compared with a new one."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any

from grpo_env_sdk.checking.findings.changes import Change, Changes, Status
from grpo_env_sdk.checking.findings.finding import SEVERITIES, Finding
from grpo_env_sdk.checking.findings.report import Report
from grpo_env_sdk.errors import UsageError
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.registry.entry_points import normalised
from grpo_env_sdk.registry.qualified import full_name
from grpo_env_sdk.runs.record_shapes import parsed
from grpo_env_sdk.runs.value_tests import label
from grpo_env_sdk.types import EnvSpec, canonical_json

MOST_BYTES = 64 << 20
_HOW = "Give a file that `grpo-env test ENV --json > FILE` wrote, or `last`."
_VARIES = regex(r"'[^']*'|\"[^\"]*\"|\d+(?:[.,:]\d+)*|s\b")
"""What differs between two messages about the same mistake: examples, numbers, plurals."""
_HOW_TESTED = ("version", "config", "effort", "seed")


@dataclass(frozen=True, slots=True)
class Earlier:
    """An earlier report, as far as it is compared."""

    env: str
    verdict: str
    findings: tuple[Finding, ...]
    ran: frozenset[str]
    distribution: str | None = None
    names_package: bool = False
    """Whether it says which package it is on, as the reports of the first version do not."""
    how: Mapping[str, Any] = field(default_factory=dict)
    """What it says about how the environment was tested."""

    @property
    def name(self) -> str:
        """The environment, with its package where it is known."""
        return full_name(self.env, self.distribution)

    def is_on(self, spec: EnvSpec) -> bool:
        """Whether it is on this environment of this package, as far as it says."""
        same_package = normalised(self.distribution or "") == normalised(spec.distribution or "")
        return self.env == spec.id and (same_package or not self.names_package)

    @classmethod
    def from_json(cls, data: Any) -> "Earlier":
        """The report that `Report.as_json` gave; a ValueError that names what is missing or wrong."""
        if not isinstance(data, dict):
            raise ValueError("it is not an object")
        for key, kind in (("id", str), ("verdict", str), ("findings", list), ("checks", dict)):
            if not isinstance(data.get(key), kind):
                raise ValueError(f"it has no {key}")
        package = data.get("distribution")
        if not isinstance(package, str | None):
            raise ValueError("its distribution is no text")
        return cls(
            data["id"], data["verdict"], tuple(map(_finding, data["findings"])), frozenset(data["checks"]),
            package, "distribution" in data, {key: data[key] for key in _HOW_TESTED if key in data},
        )  # fmt: skip


def read_reports(path: str) -> list[Earlier]:
    """The reports in a file, in its order; raises if it has none, or anything else."""
    try:
        with open(path, "rb") as file:
            text = file.read(MOST_BYTES + 1)
        if len(text) > MOST_BYTES:
            raise ValueError(f"it has more than {MOST_BYTES} bytes")
        reports = [Earlier.from_json(data) for data in _objects(text) if not _is_error(data)]
        if not reports:
            raise ValueError("there is no report in it")
    except OSError as exc:
        raise UsageError(f"The report {path!r} cannot be read: {exc.strerror}.", _HOW) from exc
    except ValueError as exc:
        raise UsageError(f"{path!r} is no report of `grpo-env test`: {exc}.", _HOW) from exc
    return reports


def last_on(spec: EnvSpec, reports: Sequence[Earlier]) -> Earlier | None:
    """The last report on an environment; one that names another package is none, and one that names none is second."""
    found = [report for report in reports if report.is_on(spec)]
    return max(reversed(found), key=lambda report: report.names_package, default=None)


def compared(since: str, earlier: Earlier | None, report: Report, asked: Set[str] | None = None) -> Changes:
    """What changed since an earlier report; without one, every finding is new.

    Where only some checks were `asked` for, the earlier findings of others are left out.
    """
    if earlier is None:
        return Changes(since, None, [Change("new", finding) for finding in report.findings])
    before = [finding for finding in earlier.findings if asked is None or finding.check in {*asked, *report.timings}]
    pairs = list(_pairs(before, report.findings))
    now = [id(finding) for _, finding in pairs]
    then = [id(finding) for finding, _ in pairs]
    changes = [Change("new", one) for one in report.findings if id(one) not in now]
    changes += [Change(_moved(one, two), two, one.severity) for one, two in pairs if one.severity != two.severity]
    changes += [Change(_left(one, report), one, one.severity) for one in before if id(one) not in then]
    same = sum(one.severity == two.severity for one, two in pairs)
    new_checks = [id for id in report.timings if id not in earlier.ran]
    return Changes(since, earlier.verdict, changes, same, new_checks, list(_differences(earlier, report)))


def _differences(earlier: Earlier, report: Report) -> Iterator[str]:
    """What was tested, or how, where it is not the same as before."""
    now = report.as_json()
    for key, before in earlier.how.items():
        if canonical_json(before) != canonical_json(now[key]):
            yield f"the {key} was {_shown(before)} and is {_shown(now[key])}"


def _shown(value: Any) -> str:
    return value if label(value) else canonical_json(value)


def _objects(text: bytes) -> Iterable[Any]:
    """One JSON value, a list of them, or one a line."""
    if not text.strip():
        return []
    try:
        value = parsed(text)
    except json.JSONDecodeError:
        lines = [line for line in text.splitlines() if line.strip()]
        if len(lines) == 1:
            raise ValueError("it is not JSON") from None
        return [parsed(line) for line in lines]
    return value if isinstance(value, list) else [value]


def _is_error(data: Any) -> bool:
    """Whether this is the report of an environment that could not be tested at all."""
    return isinstance(data, dict) and "error" in data and "verdict" not in data


def _finding(data: Any) -> Finding:
    if not isinstance(data, dict):
        raise ValueError("a finding is not an object")
    texts = [data.get(key, "") for key in ("message", "hint", "id", "cause", "follows")]
    if not all(isinstance(text, str) for text in texts) or data.get("severity") not in SEVERITIES:
        raise ValueError("a finding has no id, message or severity")
    message, hint, check, cause, follows = texts
    row, given, output, expected = (data.get(key) for key in ("row", "input", "output", "expected"))
    return Finding(message, hint, row, given, output, expected, data["severity"], check, cause, follows)


def _pairs(before: Iterable[Finding], now: Iterable[Finding]) -> Iterator[tuple[Finding, Finding]]:
    """The findings that are the same: of one check, with the same message, or else one that differs in its examples."""
    left, after = list(before), list(now)
    keys: tuple[Callable[[str], str], ...] = (str, _shape)
    for key in keys:
        for finding in list(after):
            wanted = (finding.check, key(finding.message))
            same = next((one for one in left if (one.check, key(one.message)) == wanted), None)
            if same is not None:
                left = [one for one in left if one is not same]
                after = [one for one in after if one is not finding]
                yield same, finding


def _shape(message: str) -> str:
    return " ".join(_VARIES.sub("", message).casefold().split())


def _moved(before: Finding, now: Finding) -> Status:
    levels = [SEVERITIES.index(one.severity or "error") for one in (before, now)]
    return "worse" if levels[1] < levels[0] else "better"


def _left(finding: Finding, report: Report) -> Status:
    """What became of a finding that is not in the report."""
    if any(waived.finding.check == finding.check for waived in report.waived):
        return "waived"
    decided = finding.check in report.timings and finding.check not in report.open
    return "gone" if decided else "undecided"
