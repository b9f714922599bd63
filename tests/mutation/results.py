"""How many faults of each kind were found, and as what."""

from collections import Counter
from typing import Any

COLUMNS = ("error", "warning", "survived", "no difference seen")


def outcome(result: dict[str, Any]) -> str:
    """As what a fault was found; one that played like the sound environment is none."""
    severities = {severity for _, severity, _ in result["findings"]}
    if severities:
        return "error" if "error" in severities else "warning"
    return "no difference seen" if result.get("same") else "survived"


def table(results: list[dict[str, Any]]) -> str:
    """A line for each kind, and one for all."""
    rows = {kind: Counter[str]() for kind in sorted({result["kind"] for result in results})}
    for result in results:
        rows[result["kind"]][outcome(result)] += 1
    rows["all"] = sum(rows.values(), Counter[str]())
    head = ["kind", "faults", *COLUMNS, "found"]
    lines = [[kind, tally.total(), *(tally[name] for name in COLUMNS), _share(tally)] for kind, tally in rows.items()]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in [head, ["---"] * len(head), *lines])


def _share(tally: Counter[str]) -> str:
    real = tally.total() - tally["no difference seen"]
    return f"{(real - tally['survived']) / real:.0%}" if real else ""


def survivors(results: list[dict[str, Any]]) -> str:
    """The faults that nothing was said about."""
    return ", ".join(result["fault"].replace("_", " ") for result in results if outcome(result) == "survived") or "none"
