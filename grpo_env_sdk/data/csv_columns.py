"""Columns of a CSV in which codes, words and whole numbers stay as they are written."""

import csv
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import zip_longest
from typing import Any

from grpo_env_sdk.errors import DatasetError

_CODE = re.compile(r"\s*(?:0\d+|\+[\d.]+|[-+]?\d*\.\d+0)\s*")
"""Digits that a number would spell otherwise: behind a zero or a plus, or with a zero after decimals."""
_NUMBER_OR_TRUTH = re.compile(r"\s*(?:[-+]?[\d.]+(?:e[-+]?\d+)?|true|false)\s*", re.IGNORECASE)
_WHOLE = re.compile(r"\s*-?\d+\s*")
_LONG = re.compile(r"\s*-?\d{19,}\s*")
_ALL_ROWS = 2**31 - 1
_GAPS = (
    *("", "NA", "N/A", "n/a", "<NA>", "#N/A", "#NA", "#N/A N/A", "null", "NULL", "None", "nan", "NaN", "-nan", "-NaN"),
    *("1.#IND", "1.#QNAN", "-1.#IND", "-1.#QNAN"),
)
"""What pandas takes for a gap; among words all but the first are words, such as the code of Namibia."""


def csv_options(path: str, separator: str) -> dict[str, Any]:
    """How to read a file so that each field stays as it is written and in its column, as arguments of pandas.

    A row with more fields than the header is an error, unless nothing is in those behind the last column.
    """
    kinds: dict[str, set[str]] = defaultdict(set)
    names: list[str] = []
    converters: dict[str, Any] = {}
    of_columns: dict[str, Any] = {}
    with open(path, encoding="utf-8-sig", newline="") as file, suppress(csv.Error):  # of fields too long for it
        rows = _filled_rows(file, separator)
        _, names = next(rows, (0, []))
        for line, row in rows:
            if any(row[len(names) :]):
                raise DatasetError(
                    f"{path}:{line}: this row has {len(row)} fields, and the header {len(names)}.",
                    f"Put values with {separator!r} in quotes, or name every column in the header.",
                )
            for name, field in zip_longest(names, row[: len(names)], fillvalue=""):
                kinds[name].add(_kind(field))
        of_columns = {"index_col": False, "usecols": list(range(len(names)))}
        converters = {name: _whole for name in names if kinds[name] == {"whole", "gap"}}
    converters |= {name: _text for name in names if "code" in kinds[name]}
    return {
        "sep": separator, "converters": converters, "keep_default_na": False, "chunksize": _ALL_ROWS,
        "na_values": {name: [""] if "word" in kinds[name] else list(_GAPS) for name in names}, **of_columns,
    }  # fmt: skip


def _filled_rows(file: Iterable[str], separator: str) -> Iterator[tuple[int, list[str]]]:
    """The rows that are no blank lines, each with the line where it begins."""
    begins, table = 1, csv.reader(file, delimiter=separator)
    for row in table:
        if len(row) > 1 or "".join(row).strip():
            yield begins, row
        begins = table.line_num + 1


def _kind(field: str) -> str:
    if field in _GAPS:
        return "gap"
    if _CODE.fullmatch(field) or _is_too_long(field):
        return "code"
    if _WHOLE.fullmatch(field):
        return "whole"
    return "number or truth" if _NUMBER_OR_TRUTH.fullmatch(field) else "word"


def _is_too_long(field: str) -> bool:
    """Whether it is a whole number that no 64 bits hold."""
    return bool(_LONG.fullmatch(field)) and (len(field.strip()) > 20 or not -(2**63) <= int(field) < 2**63)


def _text(field: str) -> str | None:
    return field.strip() or None


def _whole(field: str) -> Any:
    """A number, or the gap that makes no floats of the others."""
    from pandas import NA

    return NA if field in _GAPS else int(field)
