"""How many faults `grpo-env test` finds: damage to `hotel-v1`, or mistakes planted in sound environments."""

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from tests.mutation.planting import planted, tried_plant
from tests.mutation.results import table
from tests.mutation.trial import EFFORT, drawn, tried, write_hotel

Result = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("what", choices=("damage", "planted"))
    parser.add_argument("--count", type=int, default=100, help="how many of them")
    parser.add_argument("--seed", type=int, default=0, help="which of them")
    parser.add_argument(
        "--effort", choices=("quick", "default", "thorough"), help="quick for damage, default if planted"
    )
    parser.add_argument("--results", type=Path, help="goes on where this file ends (damage.jsonl, planted.jsonl)")
    given = parser.parse_args()
    os.nice(10)
    sys.dont_write_bytecode = os.environ["PYTHONDONTWRITEBYTECODE"] = "1"  # a file that is written again is read again
    file = given.results or Path(f"{given.what}.jsonl")
    with tempfile.TemporaryDirectory() as folder:
        if given.what == "damage":
            package, effort = write_hotel(Path(folder)), given.effort or EFFORT
            results = run(file, given.count, drawn(package, given.seed), lambda one: tried(package, one, effort))
        else:
            results = run(
                file, given.count, planted(given.seed), lambda one: tried_plant(one, given.effort or "default")
            )
    print(table(results))


def run(file: Path, count: int, faults: Iterable[Any], trial: Callable[[Any], Result | None]) -> list[Result]:
    """The results of so many faults, each written down as it comes; None is one that cannot be tried."""
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    results = [json.loads(line) for line in lines]
    with file.open("a", encoding="utf-8") as out:
        for number, fault in enumerate(faults):
            if sum(result is not None for result in results) >= count:
                break
            if number < len(results):
                continue
            results.append(trial(fault))
            print(json.dumps(results[-1]), file=out, flush=True)
            print(number + 1, fault.kind, _told(results[-1]), flush=True)
    return [result for result in results if result is not None]


def _told(result: Result | None) -> str:
    if result is None:
        return "cannot be tried"
    if result["findings"]:
        return f"{result['fault']}: {' '.join(result['findings'][0])}"
    return f"{'NO DIFFERENCE' if result.get('same') else 'SURVIVED'} {result['fault']}"


if __name__ == "__main__":
    main()
