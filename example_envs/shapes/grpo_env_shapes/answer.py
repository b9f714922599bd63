"""The format of an answer: the rules in the prompt, and the scores of an answer's value and format."""

import re
from typing import Any

from grpo_env_sdk import answer_text

RULES = (
    "Look at the image. End with one line and nothing after it: 'Answer: X' with a number for X, "
    "or with one of the colours red, green, blue and black."
)

_EXACT = re.compile(r"Answer: (?:[0-9]+|[a-z]+)")
_SOMEHOW = re.compile(r"answer\W{0,6}\w", re.IGNORECASE)
_WORD = re.compile(r"\w+")


def answer_line(value: str) -> str:
    """The line with which an answer should end."""
    return f"Answer: {value}"


def score_value(completion: Any, answer: str) -> float:
    """1 if the last word of the answer is the number or the colour."""
    words = _WORD.findall(answer_text(completion).lower())
    return float(words[-1:] == [answer])


def score_format(completion: Any) -> float:
    """1 if the last line gives the only answer, as the rules say."""
    text = answer_text(completion)
    return float(len(_SOMEHOW.findall(text)) == 1 and bool(_EXACT.fullmatch(text.rpartition("\n")[2])))
