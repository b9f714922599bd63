"""Attributes of a class that other frameworks read by these names, such as `reward_funcs`, and nothing reads here."""

import ast
import inspect
import sys
from collections.abc import Iterator
from typing import Any

from grpo_env_sdk.isolation.author_code.author_classes import by_authors
from grpo_env_sdk.isolation.calls.tracebacks import name_of

FUNCTIONS_AS_TOOLS = (
    "Mark methods with @tool, or give a ToolEnv functions: runs_tools = True in the class, and "
    "self.toolbox = Toolbox.from_functions([...]) in setup(self, row)."
)
_REWARDS = "Mark methods with @reward, or list functions in rewards = [...]."
_HINTS = {
    "parser": "Read the reply in the reward: answer_text(completion) is its answer.",
    "reward_funcs": _REWARDS,
    "reward_weights": "Each reward has its own weight: @reward(weight=0.2), exact_match(weight=0.2).",
    "rubric": _REWARDS,
    "system_prompt": "Put it first in each prompt: load_prompts(..., system=...), or a message of the role system.",
    "tools": FUNCTIONS_AS_TOOLS,
}


def foreign_attributes(env: Any) -> Iterator[tuple[str, str]]:
    """Each attribute of the class that its author took from another framework and does not read; and what to do."""
    authors = [*by_authors(type(env))]
    own = {name: value for base in reversed(authors) for name, value in vars(base).items()}
    found = [name for name in _HINTS if _is_data(own.get(name))]
    read = _read_in({base.__module__ for base in authors}) if found else set()
    for name in found:
        if read is not None and name not in read:
            yield f"{name_of(env)}.{name} is never used.", _HINTS[name]


def _is_data(value: Any) -> bool:
    """Whether it is a value, and neither empty nor a method or property, which are code of the author's own."""
    empty = value is None or (isinstance(value, str | list | tuple | dict) and not value)
    return not empty and not hasattr(type(value), "__get__")


def _read_in(modules: set[str]) -> set[str] | None:
    """The names that the source of these modules reads, as a name, an attribute or a text; None without a source."""
    try:
        trees = [ast.parse(inspect.getsource(sys.modules[module])) for module in modules]
    except (KeyError, OSError, TypeError, SyntaxError, ValueError):  # typed in, generated, or changed since
        return None
    nodes = [node for tree in trees for node in ast.walk(tree)]
    names = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    names |= {node.attr for node in nodes if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)}
    return names | {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
