"""`grpo-env test` over every id that the adapters bring, one after another."""

import time
from fnmatch import fnmatch

from tests.field_report.place import Place
from tests.field_report.record import Record, result_of

BROUGHT_BY = ("rg/", "gym/")


def sweep(place: Place, record: Record, only: str, *, quick: bool, again: bool) -> None:
    """Test what has no result yet, or only a quicker one, and keep each result as it comes."""
    listed = place.grpo_env("list")["environments"]
    ids = [item["id"] for item in listed if item["id"].startswith(BROUGHT_BY) and item["status"] == "ok"]
    known = {} if again else record.results()
    effort = "quick" if quick else "default"
    for id in ids:
        had = known.get(id, {}).get("effort")
        if fnmatch(id, only) and had not in (effort, "default"):
            started = time.monotonic()
            told = place.grpo_env("test", id, *["--quick"] * quick)
            result = result_of(id, told, effort, round(time.monotonic() - started, 1))
            record.add(result)
            errors = [item["id"] for item in result.get("findings", ()) if item["severity"] == "error"]
            print(f"{id:32} {result['verdict']:11} {result['seconds']:6} s  {' '.join(errors)}", flush=True)
