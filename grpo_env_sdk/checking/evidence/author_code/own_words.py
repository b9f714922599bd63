"""How often an author's modules use a word as a name or a text, to find one that stands in a single place."""

import ast
import inspect
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any

from grpo_env_sdk.checking.evidence.author_code.score_code import ScoreFunction
from grpo_env_sdk.isolation.author_code.author_globals import packages_of

MOST_CHARS = 2_000_000


def own_words(env: Any, function: ScoreFunction) -> Counter[str]:
    """How often each word is a text or the name of a function in what may belong to a function of an environment.

    A method of its class belongs to the class, its bases and what is derived from it; any other function to all that
    is in the author's modules.
    """
    cls, roots = type(env), packages_of(type(env))
    is_own = function.function.__name__ in vars(cls)
    words: Counter[str] = Counter()
    for name, module in sorted(sys.modules.items()):
        if name.partition(".")[0] in roots and getattr(module, "__file__", None):
            try:
                parts = ast.parse(inspect.getsource(module)[:MOST_CHARS]).body
            except (OSError, TypeError, SyntaxError, UnicodeError):
                continue
            words.update(word for part in parts if not is_own or _belongs(part, cls) for word in _words(part))
    return words


def _belongs(part: ast.stmt, cls: type) -> bool:
    if not isinstance(part, ast.ClassDef):
        return True
    derived = any(getattr(base, "id", getattr(base, "attr", "")) == cls.__name__ for base in part.bases)
    return derived or part.name in {base.__name__ for base in cls.__mro__}


def _words(part: ast.AST) -> Iterator[str]:
    for node in ast.walk(part):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
