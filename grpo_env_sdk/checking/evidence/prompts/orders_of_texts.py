"""Whether a prompt asks for the order that texts have, in which 10 comes before 9."""

import re

from grpo_env_sdk.late_patterns import regex

_AS_TEXTS = regex(
    r"\blexi\w*graph\w*|\blexical\w*|\bas (?:a |plain )*(?:texts?|words|letters)\b|\bstrings?\b|\btext(?:ual)? order\b|"
    r"\b(?:dictionary|directory) order|\b(character|letter|digit|sign|symbol|place) by \1\b|\bfrom left to right\b|"
    r"\bfrom the left\b|\bcode ?points?\b|\bASCII\b|\bUnicode\b|\bUTF-?8\b|\bcollation\b|```|\bdef \w+\(|"
    r"\bsort(?:ed)?\(|\b(?:min|max)\(|\bprint\(|(?-i:\bORDER BY\b)|\b(?:var)?char\b|\bJava(?:Script)?\b|\bPython\b|"
    r"[`'\"](?:ls|dir|sort|du|find)\b[^`'\"\n]{0,20}[`'\"]",
    re.IGNORECASE,
)
_BY_LETTERS = regex(r"\balphabet\w*", re.IGNORECASE)
_OF_NAMES = regex(r"\b(?:names?|packages?|people|authors?|titles?|tie[sd]?)\b", re.IGNORECASE)


def asks_for_texts(prompt: str) -> bool:
    """Whether it names that order, or code and commands that have it; the letters of names may come beside numbers."""
    return _AS_TEXTS.search(prompt) is not None or (speaks_of_letters(prompt) and not _OF_NAMES.search(prompt))


def speaks_of_letters(prompt: str) -> bool:
    """Whether it has an alphabetical order, of whatever."""
    return _BY_LETTERS.search(prompt) is not None
