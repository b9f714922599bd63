"""The names that a grader of code may keep where the code can read them: those of what it runs it with."""

import ast
import builtins
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from grpo_env_sdk.checking.evidence.author_code.score_code import ScoreFunction, score_functions
from grpo_env_sdk.late_patterns import regex

MOST_NAMES, MOST_TEXT = 16, 4_000
_RUNS = {"exec", "eval", "compile", "run", "Popen", "check_output", "write_text", "write", "run_path", "runsource"}
"""What runs code, or writes the file that is run."""
_SET = regex(r"\b([^\W\d]\w*)\s*(?:==?|!=)|==\s*([^\W\d]\w*)|\bfor ([\w, ]+) in\b")
"""Names that a piece of a program sets, compares with or goes through."""
_TELLING = (
    "expect",
    "want",
    "answer",
    "gold",
    "target",
    "solution",
    "correct",
    "right",
    "truth",
    "ref",
    "result",
    "output",
)


def grader_names(env: Any) -> list[str]:
    """Names in the namespaces and programs in which the scorers run code, the likeliest to hold what is right first."""
    functions = score_functions(env)
    running = [function for function in functions if _calls(function.tree) & _RUNS]
    found = [name for function in running for name in _names(function)]
    if not running:
        return []
    counted = list(dict.fromkeys(name for name in found if _may_tell(name)))
    counted.sort(key=lambda name: not any(word in name.casefold() for word in _TELLING))
    return counted[:MOST_NAMES]


def _may_tell(name: str) -> bool:
    return name.isidentifier() and not name.startswith("__") and not hasattr(builtins, name) and name != "_"


def _calls(tree: ast.AST) -> set[str]:
    called = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return {getattr(one, "id", getattr(one, "attr", "")) for one in called}


def _names(function: ScoreFunction) -> Iterator[str]:
    """The keys of dicts, the names that texts set or compare, and the locals of a function."""
    for node in function.nodes:
        if isinstance(node, ast.Dict):
            yield from (key.value for key in node.keys if isinstance(key, ast.Constant) and isinstance(key.value, str))
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
                yield node.slice.value
        elif isinstance(node, ast.keyword) and node.arg:
            yield node.arg
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from _in_text(node.value)
        elif isinstance(node, ast.Name):
            with suppress(TypeError):
                held = function.function.__globals__.get(node.id)
                yield from _in_text(held) if isinstance(held, str) else ()
            if isinstance(node.ctx, ast.Store):
                yield node.id


def _in_text(text: str) -> Iterator[str]:
    for groups in _SET.findall(text[:MOST_TEXT]):
        yield from (name.strip() for group in groups for name in group.split(",") if name.strip())
