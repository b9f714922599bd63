"""When an environment was last tested, and whether it has changed since: a small file in the user's cache."""

import contextlib
import json
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grpo_env_sdk.checking.findings.report import Report
from grpo_env_sdk.runs.writing import write_whole
from grpo_env_sdk.types import EnvSpec, canonical_json

MOST_KEPT = 500


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
    newest = sorted(entries.items(), key=lambda item: item[1].get("at", 0))[-MOST_KEPT:]
    with contextlib.suppress(OSError):
        _path().parent.mkdir(parents=True, exist_ok=True)
        write_whole(_path(), dict(newest))


def _path() -> Path:
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "grpo-env" / "tested.json"


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
