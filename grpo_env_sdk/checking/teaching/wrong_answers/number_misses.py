"""Numbers that look like the right one, and are wrong."""

import re
from decimal import Decimal

from grpo_env_sdk.checking.evidence.attempts.corruption import wrong_value
from grpo_env_sdk.late_patterns import regex

NUMBER = regex(r"-?\d[\d,]*(?:\.\d+)?")
MOST_DIGITS = 300
_THOUSANDS = regex(r"(-?[1-9]\d{0,2})(?:(?:[,'\u2019 \u00a0\u202f]\d{3})+|(?:\.\d{3}){2,})(?:[.,]\d{1,2})?")
_DECIMAL_SIGN = regex(r"[.,](?!\d{3}(?!\d))")
"""A point or comma that no three digits follow, so that it does not part thousands."""


def first_digit(text: str) -> str:
    """The number with another first digit."""
    sign, digits = ("-", text[1:]) if text.startswith("-") else ("", text)
    return sign + str(wrong_value(digits[0])) + digits[1:]


def last_digit(text: str) -> str:
    """The number with its last digit one more."""
    return text[:-1] + str((int(text[-1]) + 1) % 10)


def digit_in_front(text: str) -> str:
    """The number with a digit before its first one."""
    return f"-7{text[1:]}" if text.startswith("-") else f"7{text}"


def digits_swapped(text: str) -> str | None:
    """Two digits beside each other exchanged, so far to the left that no tolerance is meant."""
    place = next((n for n in range(len(text) - 1) if text[n : n + 2].isdigit() and text[n] != text[n + 1]), None)
    if place is None or text[place + 1] == "0":
        return None
    return text[:place] + text[place + 1] + text[place] + text[place + 2 :]


def last_digits(text: str) -> str | None:
    """The end of a number of several digits."""
    return text[-2:] if text.isdecimal() and len(text) > 2 and text[-2] != "0" else None


def plus_twelve(text: str) -> str | None:
    """Twelve more, as an hour may be mistaken, where that is no small part of the number."""
    return str(int(text) + 12) if text.isdecimal() and len(text) < 3 and int(text) <= 40 else None


def plus(text: str) -> str | None:
    """A number that a tolerance relative to its size cannot accept: half as much again, and 12."""
    return str(int(text) + int(text) // 2 + 12) if text.isdecimal() and len(text) <= MOST_DIGITS else None


def a_little_more(text: str) -> str | None:
    """A number that differs by six hundredths, where that is more than rounding may bring."""
    if not re.fullmatch(r"-?\d+(?:\.\d+)?", text):
        return None
    places = len(text.partition(".")[2])
    changed = f"{float(text) * 1.06:.{places}f}"
    return changed if abs(float(changed) - float(text)) >= 4 / 10**places else None


def other_sign(text: str) -> str | None:
    """The number with the other sign."""
    if not text.strip("-0.,"):
        return None  # zero has no sign
    return text[1:] if text.startswith("-") else f"-{text}"


def without_decimal_sign(text: str) -> str | None:
    """120.5 and 120,5 as 1205, as where a comma is taken for one that parts thousands."""
    changed = _DECIMAL_SIGN.sub("", text)
    return changed if changed != text else None


def cut_at_thousands(text: str) -> str | None:
    """18 for 18,675, as where a pattern of numbers knows no separator of thousands."""
    found = _THOUSANDS.fullmatch(text)
    return found[1] if found else None


def hundredfold(text: str) -> str | None:
    """A hundred times as much, as where a percentage is taken for a share."""
    return f"{(Decimal(text) * 100).normalize():f}" if _is_scaled(text) else None


def hundredth(text: str) -> str | None:
    """A hundredth of it, as where cents are taken for whole units."""
    return f"{(Decimal(text) / 100).normalize():f}" if _is_scaled(text) else None


def _is_scaled(text: str) -> bool:
    return "," not in text and len(text) < 12 and Decimal(text) != 0
