"""Recognises a Python repr where JSON or plain text was meant."""

import ast
import contextlib
import json
import re

from grpo_env_sdk.late_patterns import regex

_DATACLASS = regex(r"\[?[A-Z]\w*\(\w+=.*\)\]?", re.DOTALL)
_LONGEST = 10_000


def is_repr(content: str) -> bool:
    """Whether a text is the repr of a dict, a list or a dataclass, and not JSON."""
    text = content.strip()
    if _DATACLASS.fullmatch(text):
        return True
    if not text.startswith(("{", "[")) or len(text) > _LONGEST:
        return False
    with contextlib.suppress(ValueError, RecursionError):
        json.loads(text)
        return False
    with contextlib.suppress(ValueError, SyntaxError, MemoryError, RecursionError):
        return isinstance(ast.literal_eval(text), dict | list)
    return False
