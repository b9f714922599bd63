"""docs/field-report.md, from the results, the confirmations and the false alarms."""

import json
import statistics
from collections import Counter, defaultdict
from pathlib import Path

from tests.field_report.confirming import Confirmation, unconfirmed
from tests.field_report.record import Record, Result
from tests.mutation.results import outcome, survivors, table

PAGE = Path(__file__).parents[2] / "docs" / "field-report.md"
FALSE_ALARMS = Path(__file__).with_name("false_alarms.jsonl")
"""Kept by hand: a line for each false alarm, with the check, the id, what it said, and how the check was fixed."""

PLANTED = Path(__file__).parents[1] / "mutation" / "planted.jsonl"
"""What `python -m tests.mutation planted` found."""
DAMAGED = PLANTED.with_name("damaged.jsonl")
"""What `python -m tests.mutation damage` found."""

HEAD = """# Field report

`grpo-env test` on every environment of the adapters: {versions}. Other people wrote them, for other
frameworks, without these checks in mind. `python -m tests.field_report --venv DIR` generates this page, in its own
virtual environment. `tests/field_report/results.jsonl` has every finding.
"""


def write_page(record: Record, confirmations: list[Confirmation], versions: dict[str, str]) -> None:
    """Write the page again."""
    results = list(record.results().values())
    told = ", ".join(f"{name} {version}" for name, version in versions.items())
    sections = [HEAD.format(versions=told), _summary(results), _errors(results, confirmations)]
    sections += [_warnings(results), _false_alarms(), _untold(results), _times(results), _planted(), _damaged()]
    PAGE.write_text("\n".join(sections), encoding="utf-8")
    print(f"{PAGE.name}: {len(results)} environments")


def _summary(results: list[Result]) -> str:
    rows = []
    for prefix in ("rg/", "gym/"):
        own = [result for result in results if result["id"].startswith(prefix)]
        if own:
            sound = [result for result in own if result["verdict"] == "sound"]
            clean = [result for result in sound if not result["findings"]]
            faulty = [result for result in own if _of(result, "error")]
            other = len(own) - len(sound) - len(faulty)
            rows.append([f"`{prefix}*`", len(own), len(clean), len(sound) - len(clean), len(faulty), other])
    headers = ["", "tested", "clean", "warnings only", "errors", "could not be tested"]
    return "## What was found\n\n" + _table(headers, rows)


def _errors(results: list[Result], confirmations: list[Confirmation]) -> str:
    found = _by_check(results, "error")
    parts = ["## Errors\n\nA few lines of code without this SDK reproduce each error.\n"]
    for check, messages in sorted(found.items()):
        parts.append(f"### {check}: {_environments(len(messages))}\n")
        parts.append(_table(["id", "what the check says"], [[f"`{id}`", _cell(text)] for id, text in messages.items()]))
        parts += [_shown(item) for item in confirmations if item.check == check]
    errors = {(check, id) for check, messages in found.items() for id in messages}
    left = list(unconfirmed(errors, confirmations))
    told = ", ".join(f"{check} of `{id}`" for check, id in left)
    parts.append(
        f"Confirmed: {len(errors) - len(left)} of {len(errors)}." + (f" Not yet: {told}." if left else "") + "\n"
    )
    return "\n".join(parts)


def _shown(item: Confirmation) -> str:
    ids = ", ".join(f"`{id}`" for id in item.ids)
    if not item.holds:
        return f"Not confirmed for {ids}: the code that should reproduce it raised.\n"
    return f"{item.about} {ids}:\n\n```text\n{item.code.strip()}\n```\n\n```text\n{item.printed}\n```\n"


def _warnings(results: list[Result]) -> str:
    found = _by_check(results, "warning")
    rows = [
        [
            check,
            len(messages),
            ", ".join(f"`{id}`" for id in list(messages)[:8]) + (" ..." if len(messages) > 8 else ""),
        ]
        for check, messages in sorted(found.items())
    ]
    return "## Warnings\n\n" + _table(["check", "environments", "which"], rows)


def _false_alarms() -> str:
    lines = FALSE_ALARMS.read_text(encoding="utf-8").splitlines() if FALSE_ALARMS.exists() else []
    alarms = [json.loads(line) for line in lines]
    told = (
        "No check knows the name of an environment, so a false alarm is fixed in the check, for all environments.\n\n"
    )
    rows = [[item["check"], f"`{item['id']}`", _cell(item["said"]), _cell(item["mended"])] for item in alarms]
    return f"## False alarms: {len(alarms)}\n\n{told}" + _table(["check", "environment", "it said", "fix"], rows)


def _untold(results: list[Result]) -> str:
    reasons: dict[str, list[str]] = defaultdict(list)
    for result in results:
        if result["verdict"] in ("untestable", "refused"):
            told = result.get("why") or result["findings"][0]["message"]
            reasons[told.removeprefix(f"{result['id']}: ")].append(result["id"])
            continue
        for item in result["undecided"]:
            few = ", ".join(item["checks"][:3]) + " ..." * (len(item["checks"]) > 3)
            reasons[f"{few}: {item['why']}"].append(result["id"])
    rows = [[_cell(why), len(ids), f"`{ids[0]}`"] for why, ids in sorted(reasons.items(), key=lambda one: -len(one[1]))]
    return "## What could not be decided\n\n" + _table(["why", "environments", "such as"], rows)


def _times(results: list[Result]) -> str:
    """In CPU seconds: the sweep runs beside other work, so that seconds of the clock say little."""
    if not results:
        return ""
    slowest = sorted(results, key=lambda result: -result["cpu_seconds"])
    seconds = [result["cpu_seconds"] for result in slowest]
    quick = sum(result["effort"] == "quick" for result in results)
    told = ", ".join(f"`{result['id']}` {result['cpu_seconds']:.0f} s" for result in slowest[:5])
    return (
        f"## Time\n\n{statistics.median(seconds):.1f} CPU seconds is the median of an environment, all processes and "
        f"imports included; {sum(seconds) / 60:.0f} minutes in total. {quick} of {len(seconds)} were tested with "
        f"`--quick`. The machine had other work: `--timeout` was longer than by default. The slowest: {told}.\n"
    )


def _planted() -> str:
    """How many of our own faults are found; the page does without where none were planted."""
    results = _tried(PLANTED)
    if not results:
        return ""
    return (
        "## Planted faults\n\nMistakes of the kinds that authors make, put into sound environments: examples "
        "and the sound part of the gallery. `python -m tests.mutation planted` draws them and tests each as `grpo-env "
        f"test` does by default; `tests/mutation/planted.jsonl` has every finding.\n\n{table(results)}\n\n"
        f"Not found: {survivors(results)}.\n"
    )


def _damaged() -> str:
    """How much damage to one environment is found."""
    results = _tried(DAMAGED)
    if not results:
        return ""
    tally = Counter(map(outcome, results))
    left = ", ".join(result["kind"] for result in results if outcome(result) == "survived")
    return (
        f"## Damage\n\n`python -m tests.mutation damage` changed one place in the source of `hotel-v1`, {len(results)} "
        f"times, and tested each with `--quick`: {tally['error']} errors, {tally['warning']} warnings, "
        f"{tally['survived']} without a finding ({left or 'none'}), {tally['no difference seen']} that play alike. "
        "`tests/mutation/damaged.jsonl` has every change.\n"
    )


def _tried(file: Path) -> list[Result]:
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    return [result for line in lines if (result := json.loads(line))]


def _by_check(results: list[Result], severity: str) -> dict[str, dict[str, str]]:
    """For each check, the ids with a finding, with the first message."""
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for result in results:
        for item in _of(result, severity):
            found[item["id"]].setdefault(result["id"], item["message"])
    return found


def _of(result: Result, severity: str) -> list[Result]:
    if result["verdict"] in ("untestable", "refused"):
        return []  # listed with what could not be decided
    return [item for item in result["findings"] if item["severity"] == severity]


def _environments(count: int) -> str:
    return f"{count} environment{'s' * (count != 1)}"


def _table(headers: list[str], rows: list[list[object]]) -> str:
    lines = [headers, ["---"] * len(headers), *rows]
    return "".join(f"| {' | '.join(map(str, line))} |\n" for line in lines) if rows else "None.\n"


def _cell(text: str) -> str:
    """Text that cannot break a table and is not read as markup."""
    return " ".join(text.replace("|", "\\|").replace("<", "&lt;").replace("`", "'").split())
