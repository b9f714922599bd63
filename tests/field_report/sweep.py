"""`grpo-env test` over every id that the adapters bring, one after another."""

import resource
import time
from fnmatch import fnmatch

from tests.field_report.place import Place
from tests.field_report.record import Record, result_of

BROUGHT_BY = ("rg/", "gym/")


def sweep(place: Place, record: Record, only: str, flags: list[str], *, again: bool) -> None:
    """Test what has no result yet, or only a quicker one, and keep each result as it comes."""
    listed = place.grpo_env("list")["environments"]
    ids = [item["id"] for item in listed if item["id"].startswith(BROUGHT_BY) and item["status"] == "ok"]
    known = {} if again else record.results()
    effort = "quick" if "--quick" in flags else "default"
    for id in ids:
        had = known.get(id, {}).get("effort")
        if fnmatch(id, only) and had not in (effort, "default"):
            started, worked = time.monotonic(), _processor_seconds()
            told = place.grpo_env("test", id, *flags)
            seconds, cpu_seconds = time.monotonic() - started, _processor_seconds() - worked
            result = result_of(id, told, effort, round(seconds, 1), round(cpu_seconds, 1))
            record.add(result)
            errors = [item["id"] for item in result.get("findings", ()) if item["severity"] == "error"]
            print(f"{id:32} {result['verdict']:11} {result['cpu_seconds']:6} s  {' '.join(errors)}", flush=True)


def _processor_seconds() -> float:
    """What the commands that have ended used, with the processes that they started: no load changes it."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
