"""Columns of a CSV in which codes and words stay as they are written."""

import csv
import re
from contextlib import suppress
from typing import Any

_CODE = re.compile(r"\s*(?:0\d+|\+[\d.]+|[-+]?\d*\.\d+0)\s*")
"""Digits that a number would spell otherwise: behind a zero or a plus, or with a zero after decimals."""
_NUMBER_OR_TRUTH = re.compile(r"\s*(?:[-+]?[\d.]+(?:e[-+]?\d+)?|true|false)\s*", re.IGNORECASE)
_LONG = re.compile(r"\s*-?\d{19,}\s*")
_GAPS = (
    *("", "NA", "N/A", "n/a", "<NA>", "#N/A", "#NA", "#N/A N/A", "null", "NULL", "None", "nan", "NaN", "-nan", "-NaN"),
    *("1.#IND", "1.#QNAN", "-1.#IND", "-1.#QNAN"),
)
"""What pandas takes for a gap; among words all but the first are words, such as the code of Namibia."""


def csv_options(path: str, separator: str) -> dict[str, Any]:
    """How to read a file so that codes and words stay as they are written, as arguments of pandas."""
    codes: set[str] = set()
    words: set[str] = set()
    with open(path, encoding="utf-8-sig", newline="") as file, suppress(csv.Error):  # of fields too long for it
        table = csv.DictReader(file, delimiter=separator)
        names = [name for name in table.fieldnames or () if isinstance(name, str)]
        for row in table:
            fields = [(name, row[name]) for name in names if isinstance(row[name], str) and row[name] not in _GAPS]
            codes |= {name for name, value in fields if _CODE.fullmatch(value) or _is_too_long(value)}
            words |= {name for name, value in fields if not _NUMBER_OR_TRUTH.fullmatch(value)}
    return {
        "sep": separator, "converters": dict.fromkeys(codes, _text), "keep_default_na": False,
        "na_values": {name: [""] if name in words else list(_GAPS) for name in names},
    }  # fmt: skip


def _is_too_long(field: str) -> bool:
    """Whether it is a whole number that no 64 bits hold."""
    return bool(_LONG.fullmatch(field)) and (len(field.strip()) > 20 or not -(2**63) <= int(field) < 2**63)


def _text(field: str) -> str | None:
    return field.strip() or None
