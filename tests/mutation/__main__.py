"""Damages `hotel-v1` in a hundred ways, one at a time, and tells how many of them `grpo-env test` finds."""

import argparse
import json
import os
import sys
import tempfile
from collections import Counter
from pathlib import Path

from tests.mutation.trial import EFFORT, drawn, tried, write_hotel


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("--count", type=int, default=100, help="how many mutants that can be imported")
    parser.add_argument("--seed", type=int, default=0, help="which of them")
    parser.add_argument("--effort", default=EFFORT, choices=("quick", "default", "thorough"))
    parser.add_argument("--results", type=Path, default=Path("mutants.jsonl"), help="goes on where this file ends")
    given = parser.parse_args()
    os.nice(10)
    sys.dont_write_bytecode = os.environ["PYTHONDONTWRITEBYTECODE"] = "1"  # a file that is written again is read again
    results = run(given.results, given.count, given.seed, given.effort)
    print(table(results))
    survivors = [result for result in results if not result["findings"]]
    file = given.results.with_suffix(".survivors.diff")
    file.write_text("\n\n".join(f"# {one['kind']}\n{one['diff']}" for one in survivors), encoding="utf-8")
    print(f"The {len(survivors)} survivors are in {file}.")


def run(file: Path, count: int, seed: int, effort: str) -> list[dict]:
    """The results of so many mutants, each written down as it comes."""
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    results = [json.loads(line) for line in lines]
    with tempfile.TemporaryDirectory() as folder, file.open("a", encoding="utf-8") as out:
        package = write_hotel(Path(folder))
        for number, mutant in enumerate(drawn(package, seed)):
            if sum(result is not None for result in results) >= count:
                break
            if number < len(results):
                continue
            results.append(tried(package, mutant, effort))
            print(json.dumps(results[-1]), file=out, flush=True)
            print(number + 1, mutant.kind, _told(results[-1]), flush=True)
    return [result for result in results if result is not None]


def _told(result: dict | None) -> str:
    if result is None:
        return "cannot be imported"
    return " ".join(result["findings"][-1]) if result["findings"] else f"SURVIVED\n{result['diff']}"


def table(results: list[dict]) -> str:
    """How many of each kind of damage were found, and as what."""
    rows = {kind: Counter() for kind in sorted({result["kind"] for result in results})}
    for result in results:
        severities = {severity for _, severity, _ in result["findings"]}
        worst = "error" if "error" in severities else "warning" if severities else "survived"
        rows[result["kind"]][worst] += 1
    rows["all"] = sum(rows.values(), Counter())
    head = ["damage", "mutants", "error", "warning", "survived"]
    lines = [[kind, tally.total(), *(tally[name] for name in head[2:])] for kind, tally in rows.items()]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in [head, ["---"] * len(head), *lines])


if __name__ == "__main__":
    main()
