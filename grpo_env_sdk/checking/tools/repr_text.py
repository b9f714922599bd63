"""Texts that Python prints for values, where JSON or plain words were meant."""

import ast
import contextlib
import json
import re

_DATACLASS = re.compile(r"\[?[A-Z]\w*\(\w+=.*\)\]?", re.DOTALL)
_LONGEST = 10_000


def is_repr(content: str) -> bool:
    """Whether a text is a dict, a list or a dataclass as Python prints it, and no JSON."""
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
