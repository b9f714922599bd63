"""Where the answer is within a text that marks it: in a box, between tags, or after `####`."""

import re

from grpo_env_sdk.late_patterns import regex

_BOX = r"\boxed{"
_TAGS = regex(r"<(answer|solution|final|final_answer|result)>(.*?)</\1>", re.IGNORECASE | re.DOTALL)
_HASHES = regex(r"####[ \t]*(.+?)\s*$")


def answer_span(text: str) -> tuple[int, int]:
    """From where to where a text has the answer that it marks, by the last mark of a kind; all of it without a mark."""
    if (box := text.rfind(_BOX)) >= 0:
        begins = box + len(_BOX)
        end = _closing_brace(text, begins)
        return (begins, end) if end is not None else (0, len(text))
    if tags := list(_TAGS.finditer(text)):
        return tags[-1].span(2)
    hashes = _HASHES.search(text)
    return hashes.span(1) if hashes else (0, len(text))


def _closing_brace(text: str, begins: int) -> int | None:
    open_braces = 1
    for place in range(begins, len(text)):
        open_braces += {"{": 1, "}": -1}.get(text[place], 0)
        if open_braces == 0:
            return place
    return None
