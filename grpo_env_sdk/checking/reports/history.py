"""When an environment was last tested, with its report, and whether it has changed since: files in the user's cache."""

import contextlib
import hashlib
import json
import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grpo_env_sdk.checking.findings.report import Report
from grpo_env_sdk.checking.reports.earlier import Earlier, last_on, read_reports
from grpo_env_sdk.errors import GrpoEnvWarning
from grpo_env_sdk.files.user_folders import cache_folder
from grpo_env_sdk.plain_text import joined
from grpo_env_sdk.registry.qualified import full_name
from grpo_env_sdk.runs.record_shapes import parsed
from grpo_env_sdk.runs.writing import write_whole
from grpo_env_sdk.types import EnvSpec, canonical_json

MOST_KEPT = 500
LAST = "last"
"""What `--diff` takes in place of a file."""


@dataclass(frozen=True, slots=True)
class LastTested:
    """The last complete test of an environment with this config; `str` gives it in one line."""

    at: float
    verdict: str
    changed: bool

    def __str__(self) -> str:
        before = ", before your last change" if self.changed else ""
        return f"last tested {_ago(time.time() - self.at)}: {self.verdict}{before}"


def last_tested(spec: EnvSpec, dataset_fingerprint: str | None = None) -> LastTested | None:
    """When the environment was last tested completely, or None; the spec of a `LoadedEnv` has the source hash."""
    kept = _read().get(_key(spec))
    if not isinstance(kept, Mapping) or not isinstance(kept.get("at"), int | float):
        return None
    changed = kept.get("source_hash") != spec.source_hash or kept.get("version") != spec.version
    rows_changed = dataset_fingerprint is not None and kept.get("dataset_fingerprint") != dataset_fingerprint
    return LastTested(float(kept["at"]), str(kept.get("verdict")), changed or rows_changed)


def remember(spec: EnvSpec, report: Report) -> None:
    """Store what was tested, and when; a cache that cannot be written is ignored."""
    kept: dict[str, Any] = {key: report.facts.get(key) for key in ("source_hash", "dataset_fingerprint")}
    kept |= {"at": time.time(), "verdict": report.verdict_text, "version": spec.version}
    entries = _read() | {_key(spec): kept}
    by_age = sorted(entries, key=lambda key: entries[key].get("at", 0))
    with contextlib.suppress(OSError):
        _report_path(_key(spec)).parent.mkdir(parents=True, exist_ok=True)
        for key in by_age[:-MOST_KEPT]:
            _report_path(key).unlink(missing_ok=True)
        write_whole(_report_path(_key(spec)), report.as_json())
        write_whole(_path(), {key: entries[key] for key in by_age[-MOST_KEPT:]})


def earlier_reports(named: str, specs: Sequence[EnvSpec]) -> list[Earlier | None]:
    """The earlier report on each environment: from a file, or with `last` from its last complete test here."""
    if named == LAST:
        return list(map(last_report, specs))
    reports = read_reports(named)
    found = [last_on(spec, reports) for spec in specs]
    without = [spec for spec, earlier in zip(specs, found, strict=True) if earlier is None]
    if missing := [repr(full_name(spec.id, spec.distribution)) for spec in without]:
        about = joined(list(dict.fromkeys(report.name for report in reports)))
        text = f"{named!r} has no report on {joined(missing)}, so every finding is new. It is about {about}."
        warnings.warn(text, GrpoEnvWarning, stacklevel=2)
    return found


def last_report(spec: EnvSpec) -> Earlier | None:
    """The report of the last complete test, or None."""
    try:
        return Earlier.from_json(parsed(_report_path(_key(spec)).read_bytes()))
    except (OSError, ValueError):
        return None


def _report_path(key: str) -> Path:
    return _path().parent / "reports" / f"{hashlib.sha256(key.encode()).hexdigest()[:32]}.json"


def _path() -> Path:
    return cache_folder() / "tested.json"


def _key(spec: EnvSpec) -> str:
    """The environment, its source, and its config."""
    return canonical_json([spec.distribution, spec.id, spec.entry_point, spec.config])


def _read() -> dict[str, Any]:
    try:
        found = json.loads(_path().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return {key: value for key, value in found.items() if isinstance(value, dict)} if isinstance(found, dict) else {}


def _ago(seconds: float) -> str:
    for name, length in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
        count = int(seconds // length)
        if count:
            return f"{count} {name}{'s' if count > 1 else ''} ago"
    return "just now"
