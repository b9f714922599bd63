"""What questions about numbers have as their answers."""

import ast
import math
import operator
import re
from collections.abc import Callable, Mapping
from statistics import mean, median

from grpo_env_sdk.checking.evidence.prompts.opinions_on_texts import SPECIAL
from grpo_env_sdk.checking.evidence.prompts.second_opinions import Value, number_of, numbers_in, opinion
from grpo_env_sdk.late_patterns import regex

_TERM = r"\(*\s*[-\u2212]?\d+(?:\.\d+)?\s*\)*"
_EXPRESSION = regex(rf"(?<![\w.])\(*{_TERM}(?:\s*(?:\*\*|(?<=\s)x(?=\s)|[-+*/\u00d7·÷\u2212^])\s*{_TERM})+(?![\w.]*\w)")
_SIGNS = {" x ": " * ", "\u00d7": "*", "·": "*", "÷": "/", "\u2212": "-", "^": "**"}
_OPERATORS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}  # fmt: skip
_SIGNED = regex(r"(?<![\d)])([-\u2212]\d+(?:\.\d+)?)(?=\s*(?:\*\*|\^))")
_POWER = regex(r"(?<![\w.])(\d+) ?(?:\^|\*\*) ?(\d+)(?: ?%|,? \(?(?:mod|modulo|modulus)) ?(\d+)(?![\w.]*\d)")
MOST = 1e12
_STATISTICS: dict[str, tuple[str, Callable[[list[float]], float]]] = {
    "sum": (r"\b(?:sum|add up)\b", sum),
    "mean": (r"\b(?:mean|average)\b", mean),
    "median": (r"\bmedian\b", median),
    "largest": (r"\b(?:largest|maximum|highest|greatest)\b(?! common)", max),
    "smallest": (r"\b(?:smallest|minimum|lowest)\b", min),
    "product": (r"\bproduct\b", math.prod),
    "range": (r"\brange\b", lambda numbers: max(numbers) - min(numbers)),
}
_OF_TWO: dict[str, tuple[str, Callable[[int, int], float]]] = {
    "greatest common divisor": (r"\b(?:greatest common (?:divisor|factor)|gcd|gcf)\b", math.gcd),
    "least common multiple": (r"\b(?:least common multiple|lcm)\b", math.lcm),
    "remainder": (r"\bremainder\b|\bmodulo\b|\bmod\b", lambda one, other: float(one % other) if other else math.nan),
}
_UNITS = {
    "km": 1000.0, "kilometers?": 1000.0, "kilometres?": 1000.0, "miles?": 1609.344, "metres?": 1.0, "meters?": 1.0,
    "feet": 0.3048, "foot": 0.3048, "inch(?:es)?": 0.0254, "cm": 0.01, "centimet(?:er|re)s?": 0.01, "mm": 0.001,
    "yards?": 0.9144, "nautical miles?": 1852.0,
}  # fmt: skip
_MASSES = {
    "kg": 1000.0, "kilograms?": 1000.0, "grams?": 1.0, "pounds?": 453.59237, "lbs?": 453.59237, "ounces?": 28.349523125,
    "tonnes?": 1e6,
}  # fmt: skip
_SCALES = {"C": r"\bcelsius\b|°C\b", "F": r"\bfahrenheit\b|°F\b", "K": r"\bkelvins?\b"}
_IN_KELVIN = {"C": (273.15, 1.0), "F": (459.67, 5 / 9), "K": (0.0, 1.0)}
"""What to add to a temperature, and then to multiply it with, for kelvins."""
_DEGREES = (
    r"(?<![\w.])[-\u2212]?(\d+(?:\.\d+)?) ?(?:(?:degrees? |\u00b0 ?)([CF])(?:elsius|ahrenheit)?|(K)(?:elvins?)?)\b"
)
_CHANGES = (
    r"(?:rais|lower|ris|rose|increas|decreas|fall|fell|drop|warm|cool|heat|chang|differ|shift|climb|var[yi]|exceed)"
)
_DIFFERENCE = (
    rf"\b{_CHANGES}\w*\b[^.?!\n]{{0,60}}\bby (?:(?:about|at most|up to|exactly|only) )?{_DEGREES}|"
    r"\b(?:rise|drop|fall|increase|decrease|difference|change|swing|step|gap|tolerance|span|margin)"
    rf"(?: in (?:the )?temperatures?)? of {_DEGREES}|"
    rf"\b(?:difference|tolerance|margin)\b[^.,:;?!\n\d]{{0,40}} is {_DEGREES}|"
    rf"(?:\u00b1|\+/-|plus or minus) ?{_DEGREES}|"
    rf"{_DEGREES} (?:warmer|colder|hotter|cooler|apart|(?:higher|lower) than)\b"
)
"""A number of degrees that is the difference of two temperatures."""


@opinion("the value of an expression", r"\d\s*(?:\*\*|(?<=\s)x(?=\s)|[-+*/\u00d7·÷\u2212^])\s*\(*\s*[-\u2212]?\d")
def expression(prompt: str) -> Mapping[str, Value]:
    """The value of the one expression of a prompt."""
    found = [one.group() for one in _EXPRESSION.finditer(prompt)]
    if (
        len(found) != 1
        or not _is_whole(prompt, found[0])
        or re.search(r"\d/\d+/\d|\d-\d\d-\d", prompt)
        or re.search(r"\bleft to right\b|\bmod|remainder", prompt, re.I)
    ):
        return {}
    readings = {"the usual rules": found[0], "with signs that belong to what is raised": _SIGNED.sub(r"(\1)", found[0])}
    values = {name: value for name, text in readings.items() if (value := _value(text)) is not None}
    return values if "the usual rules" in values else {}


@opinion("a figure of a list", "|".join(words for words, _ in _STATISTICS.values()))
def figure(prompt: str) -> Mapping[str, Value]:
    """The sum, mean, median, largest or smallest of the numbers of a list, where a prompt asks for one of them."""
    asked = [name for name, (words, _) in _STATISTICS.items() if re.search(words, prompt, re.IGNORECASE)]
    lists = re.findall(r"[-\u2212]?\d+(?:\.\d+)?(?:(?:, ?and |, ?| and | )[-\u2212]?\d+(?:\.\d+)?){2,}", prompt)
    if len(asked) != 1 or len(lists) != 1 or SPECIAL.search(prompt):
        return {}
    numbers = numbers_in(lists[0])
    if numbers != list(map(number_of, re.split(r"(?:,? and|,) ?| ", lists[0]))):
        return {}  # its commas may be signs of thousands
    return {f"the {asked[0]}": float(_STATISTICS[asked[0]][1](numbers))}


@opinion("a figure of two numbers", "|".join(words for words, _ in _OF_TWO.values()))
def of_two(prompt: str) -> Mapping[str, Value]:
    """The greatest common divisor, least common multiple or remainder of the two numbers of a prompt."""
    asked = [name for name, (words, _) in _OF_TWO.items() if re.search(words, prompt, re.IGNORECASE)]
    numbers = [int(number) for number in numbers_in(prompt) if number == int(number) > 0]
    if len(asked) != 1 or len(numbers) != 2:
        return {}
    return {f"the {asked[0]}": float(_OF_TWO[asked[0]][1](*numbers))}


@opinion("a power modulo a number", _POWER.pattern)
def power_modulo(prompt: str) -> Mapping[str, Value]:
    """The remainder of the one power of a prompt."""
    found = [tuple(map(int, numbers)) for numbers in _POWER.findall(prompt)]
    if len(found) != 1 or not found[0][2] or found[0][1] > MOST:
        return {}
    return {"the remainder": float(pow(*found[0]))}


@opinion("a share in percent", r"\d ?(?:%|percent|per cent) of\b")
def percent(prompt: str) -> Mapping[str, Value]:
    """So many percent of a number, where a prompt has no other numbers."""
    numbers = numbers_in(prompt.replace("%", " "))
    return {"the share": numbers[0] * numbers[1] / 100} if len(numbers) == 2 else {}


@opinion("whether a number is prime", r"\bprime\b(?! factor)")
def prime(prompt: str) -> Mapping[str, Value]:
    """Whether the one number of a prompt is prime."""
    numbers = [int(number) for number in numbers_in(prompt) if number == int(number) and 0 <= number < MOST]
    if len(numbers) != 1:
        return {}
    number = numbers[0]
    is_prime = number > 1 and all(number % divisor for divisor in range(2, min(number, math.isqrt(number) + 1)))
    return {"the divisors": "yes" if is_prime else "no"}


@opinion("a temperature in another unit", r"\b(?:celsius|fahrenheit|kelvins?)\b|°[CF]\b")
def temperature(prompt: str) -> Mapping[str, Value]:
    """The one number of a prompt on the other of its two scales of temperature, where that is no difference."""
    if re.search(_DIFFERENCE, prompt, re.IGNORECASE):
        return {}
    named = {scale: words for scale, words in _SCALES.items() if re.search(words, prompt, re.IGNORECASE)}
    numbers = re.findall(r"(?<![\w.])([-\u2212]?\d+(?:\.\d+)?) ?(?:degrees? )?°? ?([CFK])", prompt, re.IGNORECASE)
    if len(named) != 2 or len(numbers) != 1 or len(numbers_in(prompt.replace("°", " "))) > 1:
        return {}
    own = numbers[0][1].upper()
    other = next((scale for scale in named if scale != own), own)
    kelvin, plain = _IN_KELVIN[own], numbers_in(numbers[0][0])[0]
    return {"the scales": (plain + kelvin[0]) * kelvin[1] / _IN_KELVIN[other][1] - _IN_KELVIN[other][0]}


@opinion("a difference of temperatures in another unit", _DIFFERENCE, {"as a temperature": _DIFFERENCE})
def temperature_difference(prompt: str) -> Mapping[str, Value]:
    """The one number of degrees of a prompt on the other of its two scales, where no zero point counts."""
    found = [(number, (one or other).upper()) for number, one, other in re.findall(_DEGREES, prompt, re.IGNORECASE)]
    others = [scale for scale, words in _SCALES.items() if re.search(words, prompt, re.IGNORECASE)]
    others = [scale for scale in others if scale != found[0][1]] if len(found) == 1 else []
    if len(others) != 1:
        return {}
    (number, own), (zero, size) = found[0], _IN_KELVIN[others[0]]
    kelvins = float(number) * _IN_KELVIN[own][1]
    return {
        "as a difference": kelvins / size,
        "as a temperature": (kelvins + _IN_KELVIN[own][0] * _IN_KELVIN[own][1]) / size - zero,
    }


@opinion("a length or weight in another unit", r"\b(?:convert|how many|in|to)\b")
def converted(prompt: str) -> Mapping[str, Value]:
    """The one number of a prompt in the other of its two units."""
    for table in (_UNITS, _MASSES):
        found = re.findall(rf"([\d.,]*\d) ?({'|'.join(table)})\b", prompt, re.IGNORECASE)
        named = {unit for unit in table if re.search(rf"(?<![a-z]){unit}\b", prompt, re.IGNORECASE)}
        if len(found) == 1 and len(numbers_in(found[0][0])) == 1 and len(named) == 2:
            own = next((unit for unit in named if re.fullmatch(unit, found[0][1], re.IGNORECASE)), None)
            other = next(iter(named - {own}))
            if own is not None and len(re.findall(r"\d[\d.,]*", prompt)) == 1:
                return {"the units": numbers_in(found[0][0])[0] * table[own] / table[other]}
    return {}


def _is_whole(prompt: str, found: str) -> bool:
    """Whether nothing around an expression belongs to it, such as a sign before its bracket or another one behind."""
    before, _, after = prompt.partition(found)
    signed = found.startswith("(") and re.search(r"[-+*/\u2212^(]\s*$", before)
    return not signed and not re.match(r"\s*(?:[)*/^]|[-+]\s*[\d(-])", after)


def _value(text: str) -> float | None:
    """The value of an expression of numbers; None where it has none."""
    for sign, plain in _SIGNS.items():
        text = text.replace(sign, plain)
    try:
        value = _walk(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, ValueError, ArithmeticError, RecursionError, MemoryError):
        return None
    return float(value) if isinstance(value, int | float) and abs(value) < MOST else None


def _walk(node: ast.expr) -> float:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_walk(node.operand)
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        one, other = _walk(node.left), _walk(node.right)
        if isinstance(node.op, ast.Pow) and (abs(other) > 64 or abs(one) > MOST):
            raise ValueError
        return _OPERATORS[type(node.op)](one, other)
    raise ValueError


OF_NUMBERS = (expression, figure, of_two, power_modulo, percent, prime, temperature, temperature_difference, converted)
