"""What the source of `solve` says of where gold is from."""

import ast
import inspect
import textwrap
from typing import Any

from grpo_env_sdk.checking.evidence.author_code.code_words import plain_function
from grpo_env_sdk.isolation.author_code.author_classes import on_class


def reads_replies(env: Any) -> bool:
    """Whether `solve` keeps replies that it gets, and reads nothing of the state of the environment."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(plain_function(on_class(type(env), "solve")))))
    except (OSError, TypeError, SyntaxError):
        return False
    nodes = list(ast.walk(tree))
    dropped = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    kept = any(isinstance(node, ast.Yield) and id(node) not in dropped for node in nodes)
    return kept and not any(isinstance(node, ast.Name) and node.id == "self" for node in nodes)
