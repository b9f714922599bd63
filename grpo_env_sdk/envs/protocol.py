"""The contract of an environment: what its class must have, and what it may add."""

import inspect
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol, runtime_checkable

from grpo_env_sdk.envs.foreign_attributes import FUNCTIONS_AS_TOOLS
from grpo_env_sdk.errors import ContractError
from grpo_env_sdk.isolation.author_code.arguments import takes
from grpo_env_sdk.isolation.author_code.author_classes import BASES, by_authors
from grpo_env_sdk.isolation.calls.tracebacks import defined_at, name_of
from grpo_env_sdk.isolation.values.json_values import short_repr
from grpo_env_sdk.tools.schema_faults import check_schemas
from grpo_env_sdk.tools.tool import Tool, bound_tools, is_tool
from grpo_env_sdk.types import Row, without_none

_CONTRACT = ("build_dataset", "score_episode", "get_tools", "call_tool", "solve", "open_shared")
_MAY_BE_NULL = ("default", "const")
"""Keys of a JSON Schema whose value may be null."""


@runtime_checkable
class Environment(Protocol):
    """Any class with `build_dataset` and `score_episode`; `get_tools` is optional.

    ```python
    class Countdown:
        def build_dataset(self, tokenizer):
            return [{"prompt": f"Count down from {n} to 1.", "start": n} for n in range(2, 6)]

        def score_episode(self, model, tokenizer, completion, start):
            wanted = [str(n) for n in range(start, 0, -1)]
            return float(re.findall(r"\\d+", completion) == wanted)

        def get_tools(self):  # OpenAI function schemas, or get_tools(self, row); may be left out
            return []
    ```
    """

    def build_dataset(self, tokenizer: Any) -> Any:
        """A `datasets.Dataset`, a list of dicts or a generator of them, with a `prompt` column."""

    @property
    def score_episode(self) -> Callable[..., Any]:
        """Called as `(model, tokenizer, completion, **columns)`; gives a float, None, or an awaitable."""


class AnyEnvironment(Environment, Protocol):
    """An environment whose class is unknown to type checkers: other attributes than the contract have type Any."""

    def __getattr__(self, name: str) -> Any: ...


def check_contract(cls: Any) -> None:
    """Raise a `ContractError` if `cls` cannot be an environment, naming what it lacks."""
    check_tool_names(cls)
    _check_get_tools(cls)
    missing = [] if callable(getattr(cls, "build_dataset", None)) else ["build_dataset"]
    has_rewards = bool(getattr(cls, "rewards", None)) or any(
        hasattr(getattr(value, "__func__", value), "__grpo_reward__")
        for base in cls.__mro__
        for value in vars(base).values()
    )
    if not callable(getattr(cls, "score_episode", None)) and not has_rewards:
        missing.append("score_episode")
    if not missing:
        return
    place = defined_at(cls)
    raise ContractError(
        f"{name_of(cls)} is no environment: it has no {' and no '.join(missing)}{place and f' ({place})'}.",
        _way_here(cls)
        or "An environment is a class with build_dataset(tokenizer) and score_episode(model, tokenizer, completion).",
    )


def way_from_verifiers(cls: Any) -> str:
    """What makes an environment of a class that answers as those of verifiers do."""
    if not callable(getattr(cls, "env_response", None)):
        return ""
    return (
        "It has env_response, as for verifiers: write step(self, action) of a MultiTurnEnv, which returns the answer "
        'and whether the episode is over. See "Move here from another library".'
    )


def _way_here(cls: Any) -> str:
    """What makes an environment of a class that is one for another library."""
    gymnasium = sys.modules.get("gymnasium")
    if gymnasium is not None and isinstance(cls, type) and issubclass(cls, gymnasium.Env):
        id = next((id for id, spec in gymnasium.registry.items() if spec.entry_point is cls), "MyEnv-v0")
        return (
            "It is an environment of Gymnasium: register it there, and play it as grpo_env_gymnasium:GymnasiumEnv "
            f"""--env-config '{{"id": "{cls.__module__}:{id}", "reward_range": [0, 1]}}'."""
        )
    if callable(getattr(cls, "reset", None)) and callable(getattr(cls, "step", None)):
        return (
            "It has reset and step: a MultiTurnEnv with a build_dataset can hold one, and call it in setup and step. "
            'See "Move here from another library".'
        )
    return way_from_verifiers(cls)


def _check_get_tools(cls: Any) -> None:
    """Raise a `ContractError` for a `get_tools` that needs more than the row."""
    get_tools = getattr(cls, "get_tools", None)
    if not inspect.isfunction(get_tools):
        return
    others = [p for p in list(inspect.signature(get_tools).parameters.values())[1:] if p.name != "row"]
    needed = [p.name for p in others if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    if needed:
        raise ContractError(
            f"{name_of(cls)}.get_tools needs {needed[0]!r} ({defined_at(get_tools)}).",
            "Write get_tools(self), or get_tools(self, row) where each row has tools of its own.",
        )


def check_tool_names(cls: type) -> None:
    """Raise a `ContractError` for a `@tool` method that replaces a method which the SDK or Gymnasium calls."""
    for name, value in ((name, value) for base in by_authors(cls) for name, value in vars(base).items()):
        if is_tool(value) and is_called_by_us(cls, name):
            place = defined_at(value)
            raise ContractError(
                f"{name_of(cls)} marks {name} with @tool, but {name} has another meaning in an environment"
                f"{place and f' ({place})'}.",
                f"""Rename the method; @tool(name="{name}") keeps the name that the model sees.""",
            )


def is_called_by_us(cls: type, name: str) -> bool:
    """Whether a method of this name is not a tool: it belongs to the contract, or to a base class of ours."""
    bases = (base for base in cls.__mro__ if base.__module__.startswith(BASES))
    return name in _CONTRACT or any(callable(vars(base).get(name)) for base in bases)


def takes_row(env: Any) -> bool:
    """Whether `get_tools` takes the row, so that each row has tools of its own."""
    get_tools = getattr(env, "get_tools", None)
    return callable(get_tools) and takes(get_tools, "row")


def tools_with_methods(env: Any, row: Row | None = None) -> list[Tool]:
    """The tools that an instance offers: its `@tool` methods, or those of `get_tools`, each with its method if any."""
    marked = bound_tools(env)
    get_tools = getattr(env, "get_tools", None)
    ours = str(getattr(get_tools, "__module__", "")).startswith(BASES)  # gives the schemas of `marked`, checked before
    if not callable(get_tools) or (ours and len({tool.name for tool in marked}) == len(marked)):
        return marked
    schemas = tools_of(env, row)
    check_schemas(schemas, f"{name_of(env)}{_of_row(env, row)}")
    by_name = {tool.name: tool for tool in marked}
    return [_with_method(env, schema, by_name.get(schema["function"]["name"])) for schema in schemas]


def _with_method(env: Any, schema: dict[str, Any], marked: Tool | None) -> Tool:
    """The tool of a schema, run by the `@tool` method of that name, or else by the method of that name."""
    if marked is not None:
        return marked if marked.schema is schema else replace(marked, schema=schema)
    name = schema["function"]["name"]
    usable = name.isidentifier() and not name.startswith("_") and not is_called_by_us(type(env), name)
    method = getattr(env, name, None) if usable else None
    return Tool(schema, method if callable(method) else None)


def tools_of(env: Any, row: Row | None = None) -> list[dict[str, Any]]:
    """The schemas that the environment offers, for this row if they belong to it; an empty list without `get_tools`."""
    get_tools = getattr(env, "get_tools", None)
    if get_tools is None:
        return []
    tools = get_tools(row=row) if takes_row(env) else get_tools()
    if tools is None and not takes_row(env):
        return []
    if not isinstance(tools, list | tuple):
        raise ContractError(
            f"{name_of(env)}.get_tools returned {'nothing' if tools is None else type(tools).__name__}"
            f"{_of_row(env, row)} ({defined_at(get_tools)}).",
            "Return a list of OpenAI function schemas, or an empty list.",
        )
    functions = [one for one in tools if callable(one) or isinstance(one, Tool)]
    if functions:
        raise ContractError(
            f"{name_of(env)}.get_tools returned a function{_of_row(env, row)}, not its schema "
            f"({defined_at(get_tools)}): {short_repr(functions[0])}.",
            FUNCTIONS_AS_TOOLS,
        )
    return list(tools) if not takes_row(env) else [_without_arrow_keys(schema) for schema in tools]


def _without_arrow_keys(schema: Any) -> Any:
    """The schema without the keys that Arrow adds, as None, to a column of schemas that differ between rows."""
    return without_none(schema) if _has_none(schema) else schema


def _has_none(schema: Any) -> bool:
    """Whether a key is None that no JSON Schema has as null."""
    if isinstance(schema, dict):
        return any(key not in _MAY_BE_NULL and (item is None or _has_none(item)) for key, item in schema.items())
    return isinstance(schema, list) and any(map(_has_none, schema))


def _of_row(env: Any, row: Row | None) -> str:
    """Which row it is that gives these tools, for a message."""
    return f" (row {row['case_idx']})" if row and "case_idx" in row and takes_row(env) else ""
