"""Amounts that are a little larger than gold, where a prompt asks for the exact one."""

import re
from decimal import Decimal

from grpo_env_sdk.late_patterns import regex

NEARLY = "with a slightly larger amount"
SMALLEST, PART = 11, Decimal("0.0005")
"""How many units of the last place are added at least, which no rounding explains, and which part of the amount."""
_AMOUNT = regex(r"\d{1,3}(?:,\d{3})*\.\d\d|\d+\.\d\d")
_EXACTLY = regex(
    r"\b(?:to|down to|nearest) (?:the )?(?:last |exact |nearest |whole )?(?:cents?|penny|pence|p)\b|"
    r"\bexact (?:\w+ )?(?:amount|balance|total|sum|price|cost|change|fee|bill)\b|\bexact to the (?:cent|penny)",
    re.IGNORECASE,
)
_ROOM = regex(
    r"\b(?:about|around|approx\w*|estimat\w*|roughly|nearly|within|toleran\w*|close\w*|off by|deviat\w*|margin|"
    r"give or take|nearest (?!cent|penny|p\b))\b|[~\u00b1\u2248]",
    re.IGNORECASE,
)


def slightly_larger(number: str, prompt: str) -> str | None:
    """An amount in whole cents that is wrong by ten and more of them; None where the prompt asks for no exact one."""
    if not _AMOUNT.fullmatch(number) or not _EXACTLY.search(prompt) or _ROOM.search(prompt):
        return None
    value = Decimal(number.replace(",", ""))
    larger = value + max(SMALLEST * Decimal("0.01"), (value * PART).quantize(Decimal("0.01")))
    return f"{larger:,.2f}" if "," in number or value < 1000 else f"{larger:.2f}"
