"""Which rows are trained on, where a file, flags and a run say it: one of them decides."""

from collections.abc import Mapping
from typing import Any

from grpo_env_sdk.ext import UsageError
from grpo_env_trl.settings.layers import SettingValue
from grpo_env_trl.settings.row_values import CHOICES, RATE, ROWS, RUN


def without_other_rows(in_file: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of the file, without its choice of rows where the flags choose some; a run that goes on keeps it."""
    dropped: set[str] = set()
    if "resume" not in given:
        dropped |= {RUN, RATE} if ROWS in given else set()
        dropped |= {ROWS} if given.keys() & {RUN, RATE} else set()
    return {name: value for name, value in in_file.items() if name not in dropped}


def check_list_of_file(in_file: Mapping[str, SettingValue], given: Mapping[str, SettingValue]) -> None:
    """Raise for a list of rows in a file whose environment is another one than flags name."""
    rows, before, now = in_file.get(ROWS), in_file.get("env"), given.get("env")
    if ROWS not in given and rows and isinstance(rows.value, tuple) and before and now and before.value != now.value:
        raise UsageError(
            f"{rows.written} is a list of rows of {before.value}, and {now.value} is trained on.",
            "Choose rows of that one: --rows N, or --rows-of RUN and --pass-rate LOW,HIGH.",
        )


def check_row_choice(asked: Mapping[str, SettingValue]) -> None:
    """Raise where a part of the choice is missing, or rows are chosen twice."""
    rows, run, rate = map(asked.get, CHOICES)
    if run and not rate:
        raise UsageError(
            f"{run.written} needs a pass rate.", "Add --pass-rate, the lowest and the highest, like 0.1,0.9."
        )
    if rate and not run:
        raise UsageError(f"{rate.written} needs a run of `grpo-env eval`.", "Name it: --rows-of RUN.")
    if run and not isinstance(run.value, str):
        raise UsageError(f"{run.written} is {run.value!r:.80}.", "Give the folder of a run, like runs/base.")
    if rows and run and not _is_made(rows):
        raise UsageError(f"{rows.written} and {run.written} both choose the rows to train on.", "Leave one out.")


def _is_made(rows: SettingValue) -> bool:
    """Whether the rows are the list that a config keeps of an earlier choice by a run."""
    return rows.source.startswith("file") and isinstance(rows.value, tuple)
