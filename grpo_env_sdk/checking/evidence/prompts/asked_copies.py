"""Gold that is written otherwise than what it is to be copied from, where a prompt asks for an exact copy."""

import re

from grpo_env_sdk.checking.evidence.prompts.broken_form import BrokenForm

FEWEST_SIGNS, MOST_SIGNS = 3, 80
_SHOWN = r"(?:written|shown|printed|listed|spel\w+|(?:stands?|appears?) (?:in|on))\b[\w ]{0,30}"
_ASKED = re.compile(
    rf"\b(?:exactly|just|literally|precisely)(?: \w+){{0,3}}? as (?:(?:it|they|that) )?(?:is |are |was |were )?{_SHOWN}"
    rf"|\bas (?:it|they) (?:is |are )?{_SHOWN}|\bverbatim\b|\b(?:character|letter) (?:for|by) (?:character|letter)\b",
    re.IGNORECASE,
)
_SIGNS_BETWEEN = r"[\s.,'\u2019:/\-\u00a0\u202f]?"


def broken_copy(prompt: str, shown: str, text: str) -> BrokenForm | None:
    """What a prompt asks to copy as it is shown, where only other signs or letters of it are shown; None elsewhere."""
    asked, signs = _ASKED.search(prompt), re.findall(r"[^\W_]", text)
    if not asked or not FEWEST_SIGNS <= len(signs) <= MOST_SIGNS or text.strip() in shown:
        return None
    pattern = rf"(?<![^\W_]){_SIGNS_BETWEEN.join(map(re.escape, signs))}(?![^\W_])"
    copies = {found.group() for found in re.finditer(pattern, shown, re.IGNORECASE)}
    return BrokenForm(asked.group().strip(), tuple(sorted(copies))) if copies else None
