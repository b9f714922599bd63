"""The format of an answer: the rules in the prompt, the right format, and the score of an answer's format."""

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
    """The line with which an answer should end."""
    return f"Answer: {value}"


def score_format(completion: Any) -> float:
    """1 if the last line gives the only answer, as the rules say; 0.5 for an answer in another form."""
    text = answer_text(completion)
    told = len(_SOMEHOW.findall(text))
    if told == 1 and _EXACT.fullmatch(text.rpartition("\n")[2]):
        return 1.0
    return 0.5 if told else 0.0
