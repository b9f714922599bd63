"""Whether a prompt says in which order a function has to return what it returns."""

import re

from grpo_env_sdk.late_patterns import regex

_OUTPUT = r"(?:(?:return|produc|output|yield|print|collect|arrang)\w*|gives?)"
_FIRST = (
    r"(?:small|larg|low|high|big|great|short|long|old|new|young|earli|lat|light|heav|cheap)(?:i?est|er)|"
    r"most \w+|least \w+|[aA] to [zZ]"
)
_NOT_FREE = r"(?!any\b|arbitrary|random|no\b|whatever|whichever|either|some\b|unspecified)"
_ORDER = regex(
    rf"\b{_OUTPUT}\b[^.;\n]*?(?<!given)(?<!are)(?<!is)(?<!already)[ ,]"
    rf"(?:in {_NOT_FREE}(?:[\w'-]+ ){{0,3}}order\b|"
    rf"(?:keep|preserv|maintain|retain)\w*\b[^.;\n]{{0,20}}\border\b|"
    r"(?:sorted|ordered) (?:by|in|from|alphabet|numer|ascending|descending|lexico)|"
    rf"(?:the )?(?:{_FIRST}) first\b|from (?:the )?(?:{_FIRST}) to\b)",
    re.IGNORECASE,
)
_FREE = regex(
    r"\b(?:any|arbitrary|random|whatever|either|no (?:particular|special|fixed|specific)) order\b|\bunordered\b|"
    r"\b(?:regardless|irrespective|independent(?:ly)?) of (?:the |their )?order\b|\bas an? (?:frozen)?set\b|"
    r"\border\b[^.;\n]{0,40}\b(?:not|n't|never|irrelevant|ignored|free|up to you|no matter)\b|"
    r"\b(?:not|n't|never|ignor\w+|whatever)\b[^.;\n]{0,20}\border\b",
    re.IGNORECASE,
)
"""What a prompt says where the order is free, of this or of something else."""


def asks_for_an_order(prompt: str) -> bool:
    """Whether a prompt asks for results in an order, and calls no order free."""
    return _ORDER.search(prompt) is not None and not _FREE.search(prompt)
