"""What was found of each environment: one JSON line each, the last one of an id counts."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).with_name("results.jsonl")
Result = dict[str, Any]
LONGEST = 240
SHOWN = ("id", "severity", "message", "row", "input", "output", "expected")


@dataclass(frozen=True)
class Record:
    """A file of results that grows line by line."""

    file: Path

    def results(self) -> dict[str, Result]:
        """The result of each id, sorted by id."""
        lines = self.file.read_text(encoding="utf-8").splitlines() if self.file.exists() else []
        found = {result["id"]: result for result in map(json.loads, lines)}
        return dict(sorted(found.items()))

    def add(self, result: Result) -> None:
        """Append one; a sweep that is stopped loses nothing."""
        with self.file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(result, ensure_ascii=False) + "\n")


def result_of(id: str, told: dict[str, Any], effort: str, seconds: float, cpu_seconds: float) -> Result:
    """What is worth keeping of `grpo-env test --json`; what follows from another finding is not."""
    about = {"id": id, "effort": effort, "seconds": seconds, "cpu_seconds": cpu_seconds}
    if "error" in told:
        return {**about, "verdict": "refused", "why": told["error"]["message"]}
    findings = [{key: _short(item.get(key)) for key in SHOWN} for item in told["findings"]]
    own = [item for item, found in zip(findings, told["findings"], strict=True) if not found.get("follows")]
    return {
        **about, "verdict": told["verdict"],
        "findings": [item for item in own if item["severity"] != "info"],
        "infos": sorted({item["id"] for item in findings if item["severity"] == "info"}),
        "undecided": told["undecided"],
    }  # fmt: skip


def _short(value: Any) -> Any:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return value if len(text) <= LONGEST else f"{text[:LONGEST]}..."
