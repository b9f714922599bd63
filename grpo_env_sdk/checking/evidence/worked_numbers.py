"""Exact numbers of a prompt, and the formulas by which what it asks for may follow from them."""

import re
from collections.abc import Callable, Sequence
from fractions import Fraction

NUMBER = re.compile(r"(?<![\w.,])\d+(?:[.,]\d+)*(?![\d\w])|(?<![\w.,])\d+(?:[.,]\d+)*(?=[€$%£])")
Formula = Callable[..., Fraction]
OF_TWO: tuple[Formula, ...] = (
    lambda a, b: a * b,
    lambda a, b: a / b,
    lambda a, b: a * b / 100,
    lambda a, b: a * 100 / b,
    lambda a, b: a * (100 + b) / 100,
    lambda a, b: a * (100 - b) / 100,
    lambda a, b: a * 100 / (100 + b),
    lambda a, b: (a - b) * 100 / b,
    lambda a, b: a * 100 / (a + b),
)
OF_THREE: tuple[Formula, ...] = (
    lambda a, b, c: a * b / c,
    lambda a, b, c: a * b * c / 100,
    lambda a, b, c: a * b * (100 + c) / 100,
    lambda a, b, c: a * b * (100 - c) / 100,
)
"""How the value that is asked for may follow from numbers of the prompt, beside the mean of all of them."""


def fraction_of(number: str, comma: bool) -> Fraction:
    """A number with a decimal comma or a decimal point."""
    plain = number.replace(".", "").replace(",", ".", 1) if comma else number.replace(",", "")
    return Fraction(plain) if re.fullmatch(r"\d+(?:\.\d+)?", plain) else Fraction(0)


def mean_of_all(*numbers: Fraction) -> Fraction:
    """The mean of numbers."""
    return sum(numbers, Fraction(0)) / len(numbers)


def worked_out(formula: Formula, numbers: Sequence[Fraction]) -> Fraction | None:
    """The value by a formula; None where it divides by zero."""
    try:
        return formula(*numbers)
    except ZeroDivisionError:
        return None
