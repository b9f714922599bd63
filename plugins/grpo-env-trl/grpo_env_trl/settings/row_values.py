"""The values of the settings that say which rows are trained on."""

import argparse
import math
from typing import Any

from grpo_env_sdk.ext import UsageError, rows_asked

ROWS, RUN, RATE = CHOICES = ("rows", "rows_of", "pass_rate")
"""So many rows or a list of them; or those of a run whose pass rate is in a range."""


def pass_rate(text: str) -> tuple[float, float]:
    """An argparse type for the lowest and the highest pass rate."""
    found = _two_numbers(text.split(","))
    if found is None:
        raise argparse.ArgumentTypeError(f"must be two numbers, the lower one first, like 0.1,0.9, got {text}")
    return found


def row_choice(setting: str, value: Any, where: str) -> Any:
    """The value that a file or a program gives to one of these settings; lists become tuples."""
    if setting == ROWS:
        try:
            return rows_asked(value)
        except UsageError as exc:
            raise UsageError(f"{where}{exc.message.removeprefix(ROWS)}", exc.hint) from exc
    if setting != RATE:
        return value
    found = _two_numbers(value.split(",") if isinstance(value, str) else value)
    if found is None:
        raise UsageError(f"{where} is {value!r:.80}.", "Give two numbers, the lower one first, like 0.1,0.9.")
    return found


def _two_numbers(parts: Any) -> tuple[float, float] | None:
    """Two numbers in their order; None for anything else."""
    try:
        low, high = (float(part) for part in parts)
    except (TypeError, ValueError):
        return None
    return (low, high) if -math.inf < low <= high < math.inf else None
