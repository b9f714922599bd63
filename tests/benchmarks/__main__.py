"""`make bench`: measure everything, print it, and keep it in docs/benchmarks.md."""

import argparse
import importlib
import os
import platform
from pathlib import Path

MEASUREMENTS = ("listing", "tool_calls", "stepping", "scripted_rollouts", "memory", "http_rollouts")
PAGE = Path(__file__).parent.parent.parent / "docs" / "benchmarks.md"
HEAD = """# Benchmarks

Each figure is a ratio, or a pair, measured within one run of `make bench`; compare columns, not machines.
The scripts are in `tests/benchmarks/`, one for each table. Last measured on {cores} cores, Python {python}.
"""
ABOUT = """
## Where the time goes

`cProfile` over 3,000 five-turn rollouts with tools against the loopback server, shares of the time: this package 25%,
aiohttp with its helpers 20%, JSON 10%, asyncio 10%, sockets 6%, reading rows by `datasets` 6%, the rest Python's own.
What it showed on the way, and what was done about it:

- **Validators and schema checks** ran for each instance: now one validator for equal schemas, and a class's tools and
  the signatures of its rewards are read once.
- **A proxy and ~/.netrc were looked up for every request**, in two threads (`trust_env`): now once for a policy.
- **JSON arguments** are parsed once, where the answer arrives; the episode, the record and the tools share the dict.
- **Thread hops**: one for `reset`, one for each sync tool, one for all rewards together; async tools and a plain
  class's reset take none. Threads are handed work through one queue, and an idle one is always at hand.
- **Writing**: a record is one `write`, and `fsync` runs once for 64 records or once a second.
"""


def main() -> None:
    """Run the measurements that were asked for; all of them also rewrite the page."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", choices=[[], *MEASUREMENTS], help="which (all, and write the page)")
    names = parser.parse_args().names or MEASUREMENTS
    tables = []
    for name in names:
        tables.append(str(importlib.import_module(f"tests.benchmarks.{name}").measure()))
        print(tables[-1], end="\n\n", flush=True)
    if len(names) == len(MEASUREMENTS):
        head = HEAD.format(cores=os.cpu_count(), python=platform.python_version())
        PAGE.write_text("\n".join([head, *(f"{table}\n" for table in tables)]) + ABOUT)


main()
