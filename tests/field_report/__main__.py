"""python -m tests.field_report --venv DIR: test what the adapters bring, one after another, and write the page.

It goes on where it stopped: what is in results.jsonl already is left out.
"""

import argparse
from pathlib import Path

from tests.field_report.confirming import confirm_all
from tests.field_report.page import write_page
from tests.field_report.place import Place
from tests.field_report.record import RESULTS, Record
from tests.field_report.sweep import sweep


def main() -> None:
    """Sweep as far as it was asked, confirm the errors, write the page."""
    parser = argparse.ArgumentParser(prog="python -m tests.field_report", description=__doc__)
    parser.add_argument("--venv", required=True, type=Path, metavar="DIR", help="made there where it is missing")
    parser.add_argument("--source", type=Path, default=Path(), metavar="DIR", help="the checkout to install (.)")
    parser.add_argument("--only", default="*", metavar="GLOB", help="ids like rg/chain*, and no page")
    parser.add_argument("--quick", action="store_true", help="`grpo-env test --quick`; replaced by a longer test later")
    parser.add_argument(
        "--timeout", default="120", metavar="S", help="more on a busy machine, so that load decides nothing"
    )
    parser.add_argument("--again", action="store_true", help="also what has a result already")
    parser.add_argument("--page", action="store_true", help="test nothing, only confirm and write the page")
    asked = parser.parse_args()
    place, record = Place(asked.venv), Record(RESULTS)
    place.prepare(asked.source)
    if not asked.page:
        flags = ["--timeout", asked.timeout, *["--quick"] * asked.quick]
        sweep(place, record, asked.only, flags, again=asked.again)
    if asked.page or asked.only == "*":
        write_page(record, confirm_all(place), place.versions())


main()
