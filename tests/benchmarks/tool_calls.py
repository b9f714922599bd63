"""A validated tool call against the bare function."""

import json
import timeit

from grpo_env_sdk import Toolbox, ToolCall, tool
from tests.benchmarks.table import Table


@tool
def search(city: str, nights: int = 1, amenities: list[str] | None = None) -> list[dict[str, int]]:
    """Find hotels.

    Args:
        city: Where.
        nights: How long.
        amenities: What it must have.
    """
    return [{"hotel": len(city), "price": nights}]


def measure() -> Table:
    """Microseconds a call, the best of a hundred short measurements, which a busy machine spoils least."""
    arguments = {"city": "Lyon", "nights": 2, "amenities": ["wifi"]}
    box = Toolbox([search])
    good = ToolCall("1", "search", arguments)
    bad = ToolCall("1", "search", {"city": "Lyon", "nights": "two"})
    unknown = ToolCall("1", "serch", arguments)
    text = json.dumps(arguments)
    timed = {
        "bare function": _micro(lambda: search(**arguments)),
        "the same with JSON in and out": _micro(lambda: json.dumps(search(**json.loads(text)))),
        "Toolbox: checked, run, answered": _micro(lambda: box.run(good)),
        "Toolbox: wrong argument, answered": _micro(lambda: box.run(bad)),
        "Toolbox: unknown tool, answered": _micro(lambda: box.run(unknown)),
    }
    bare = timed["the same with JSON in and out"]
    rows = [[name, f"{value:.1f} µs", f"{value / bare:.1f}"] for name, value in timed.items()]
    return Table(
        "A tool call",
        "The floor is JSON itself. To hold: 20 µs for a checked call.",
        ["call", "time", "times JSON alone"],
        rows,
    )


def _micro(function: object) -> float:
    return min(timeit.repeat(function, number=100, repeat=100)) / 100 * 1e6  # type: ignore[arg-type]  # a lambda
