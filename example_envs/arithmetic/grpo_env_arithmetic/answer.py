"""The form of an answer: what the model is told of it, the right one, and how near to it an answer is."""

import re
from typing import Any

from grpo_env_sdk import answer_text

RULES = (
    "Work out the value, a whole number. "
    "End with one line and nothing after it: 'Answer: N' with the value for N."
)

_EXACT = re.compile(r"Answer: -?[0-9]+")
_SOMEHOW = re.compile(r"answer\W{0,6}[0-9]", re.IGNORECASE)


def answer_line(value: int) -> str:
    """The line that an answer is to end with."""
    return f"Answer: {value}"


def score_format(completion: Any) -> float:
    """1 where one answer is told, in the last line and as the rules say; half where it is told somehow."""
    text = answer_text(completion)
    told = len(_SOMEHOW.findall(text))
    if told == 1 and _EXACT.fullmatch(text.rpartition("\n")[2]):
        return 1.0
    return 0.5 if told else 0.0
