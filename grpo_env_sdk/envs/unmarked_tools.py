"""Methods of a `ToolEnv` that are written as tools, and that no model may call as `@tool` was forgotten."""

import inspect
import sys
from collections.abc import Iterator
from types import FunctionType
from typing import Any

from grpo_env_sdk.envs.episode_books import books_of
from grpo_env_sdk.envs.protocol import is_called_by_us
from grpo_env_sdk.envs.row_tools import has_tools_of_rows, says_runs_tools
from grpo_env_sdk.isolation.author_code.author_classes import BASES, by_authors
from grpo_env_sdk.isolation.author_code.code_names import codes_of, names_in, texts_in
from grpo_env_sdk.rewards.reward import RESERVED
from grpo_env_sdk.tools.docstrings import parse_docstring
from grpo_env_sdk.tools.tool import bound_tools, marked_tools

_OPTIONAL = ("user", "view")


def unmarked_tools(env: Any) -> Iterator[FunctionType]:
    """Public methods with a docstring and a type for each parameter, which no other code of the class uses.

    Where other methods are tools, only those that `solve` names as a text, as it does for a call, and those whose
    docstring describes each parameter, as that of a tool does, where nothing in the module uses them.
    """
    if not _all_tools_are_marked(env):
        return
    has_tools, marked = bool(bound_tools(env)), marked_tools(type(env))
    held = {name: value for base in by_authors(type(env)) for name, value in vars(base).items()}
    methods = {name: function for name, value in held.items() if (function := _function_of(value))}
    codes = {name: list(codes_of(function)) for name, function in methods.items()}
    used = {name for found in codes.values() for code in found for name in code.co_names}
    texts = {text for name, found in codes.items() if name != "solve" for text in texts_in(found)}
    called_by_gold = set(texts_in(codes.get("solve", ())))
    for name, function in methods.items():
        if name in marked or name in used or name in texts or held[name] is not function:
            continue
        if not _is_written_as_tool(type(env), name, function):
            continue
        if (
            not has_tools
            or name in called_by_gold
            or (_describes_all(function) and not _is_used_beside(type(env), name))
        ):
            yield function


def _describes_all(function: FunctionType) -> bool:
    """Whether it has parameters, and its docstring describes all of them."""
    described = parse_docstring(inspect.cleandoc(function.__doc__ or "")).arguments
    return bool(described) and set(described) == set(list(inspect.signature(function).parameters)[1:])


def _is_used_beside(cls: type, name: str) -> bool:
    """Whether a function or a class in the modules of the author names this attribute."""
    modules = {base.__module__ for base in by_authors(cls)}
    beside = [value for module in modules for value in vars(sys.modules.get(module, object)).values()]
    own = [value for value in beside if getattr(value, "__module__", "") in modules]
    functions = [inner for value in own for inner in (vars(value).values() if inspect.isclass(value) else [value])]
    return any(name in names_in(function) for value in functions if (function := _function_of(value)))


def _function_of(value: Any) -> FunctionType | None:
    """The function that something of a class or a module is, or that a property or another wrapper has."""
    while not inspect.isfunction(value):
        inner = (getattr(value, name, None) for name in ("fget", "__func__", "func", "__wrapped__"))
        value = next((one for one in inner if callable(one)), None) if not inspect.isclass(value) else None
        if value is None:
            return None
    return value


def _all_tools_are_marked(env: Any) -> bool:
    """Whether `@tool` is the only way in which this class has tools."""
    books = books_of(env)
    if books is None or books.collect_tools is None or callable(getattr(env, "call_tool", None)):
        return False
    by_us = str(getattr(env.get_tools, "__module__", "")).startswith(BASES)
    return by_us and not has_tools_of_rows(env) and says_runs_tools(env) is None


def _is_written_as_tool(cls: type, name: str, function: FunctionType) -> bool:
    if name.startswith("_") or name in _OPTIONAL or is_called_by_us(cls, name):
        return False
    if hasattr(function, "__grpo_reward__") or not function.__doc__:
        return False
    parameters = list(inspect.signature(function).parameters.values())[1:]
    return all(p.annotation is not p.empty and p.name not in RESERVED for p in parameters)
