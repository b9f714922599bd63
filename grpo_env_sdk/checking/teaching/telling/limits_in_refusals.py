"""Whether a refusal states how much there is, which is no answer: `only 50 left`."""

import re

_BEFORE = (
    r"(?:\bonly|\bjust|\bat most|\bup to|\bno more|\bmore than|\bmax(?:imum)?|\blimit(?:ed)?|\bcapacity|\bavailable|"
    r"\bleft|\bremain(?:s|ing)?|\bin stock|\bstock|\bbalance|\bholds?|\bexceeds?)\b"
)
_BEHIND = r"(?:left|available|remain(?:s|ing)?|in stock|on hand|free|at most|in all)\b"


def states_limit(reply: str, number: str) -> bool:
    """Whether a reply names this number as the most that there is."""
    own = rf"(?<![\w.]){re.escape(number)}(?![\w]|\.\d)"
    found = rf"{_BEFORE}[^.;\n\d]{{0,30}}{own}|{own}(?: \w+){{0,2}} {_BEHIND}"
    return number.replace(".", "").isdecimal() and re.search(found, reply, re.IGNORECASE) is not None
