"""A function's OpenAI schema, from its annotations and its Google docstring.

It is equal to that of transformers' `get_json_schema` for all types that the latter supports.
"""

import functools
import inspect
import types
from collections.abc import Callable
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin

from grpo_env_sdk.errors import ToolSchemaError
from grpo_env_sdk.tools.docstrings import Docstring, parse_docstring
from grpo_env_sdk.tools.type_schema import HintConverter, Schema, readable_hints

T = TypeVar("T")


class _Marker:
    """Marks a parameter that the SDK fills in, not the model."""


Injected = Annotated[T, _Marker()]
"""`row: Injected[dict]` is filled in by the SDK and hidden from the model."""


def function_schema(
    function: Callable[..., Any], *, name: str | None = None, description: str | None = None, doc: str | None = None
) -> dict[str, Any]:
    """The schema of a function in OpenAI's format; `doc` replaces its docstring."""
    routine = routine_of(function)
    tool = name or _name_of(function)
    told = parse_docstring((doc or inspect.getdoc(routine) or "").strip())
    hints = readable_hints(routine, f"Tool {tool!r}")
    schema: Schema = {
        "name": tool,
        "description": told.description if description is None else description,
        "parameters": _parameters_schema(_parameters(function, tool), hints, told, tool),
    }
    returned = _return_schema(hints, told, tool)
    if returned is not None:
        schema["return"] = returned
    return {"type": "function", "function": schema}


def injected_names(function: Callable[..., Any]) -> tuple[str, ...]:
    """The parameters annotated `Injected[...]`, in the order of the signature."""
    hints = readable_hints(routine_of(function), f"Tool {_name_of(function)!r}")
    return tuple(name for name in inspect.signature(function).parameters if _is_injected(hints.get(name)))


def routine_of(function: Any) -> Any:
    """The function with the annotations and the docstring, behind a partial or a callable object."""
    if isinstance(function, functools.partial):
        return routine_of(function.func)
    return function if inspect.isroutine(function) else function.__call__


def _name_of(function: Callable[..., Any]) -> str:
    if isinstance(function, functools.partial):
        return _name_of(function.func)
    return str(getattr(function, "__name__", type(function).__name__))


def _is_injected(hint: Any) -> bool:
    if get_origin(hint) is Annotated:
        return any(isinstance(item, _Marker) for item in hint.__metadata__)
    return get_origin(hint) in (Union, types.UnionType) and any(map(_is_injected, get_args(hint)))


def _parameters(function: Callable[..., Any], tool: str) -> list[inspect.Parameter]:
    """The parameters without `self` or `cls`; an error if one cannot be passed by name."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except ValueError as exc:
        raise ToolSchemaError(f"Tool {tool!r} has no signature to read: {exc}.", "Wrap it in a def.") from exc
    first = parameters[0] if parameters else None
    if first and first.name in ("self", "cls") and first.annotation is first.empty:
        del parameters[0]
    for parameter in parameters:
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.POSITIONAL_ONLY):
            raise ToolSchemaError(
                f"Tool {tool!r} takes '{parameter}' by position, but models pass arguments by name.",
                f"Make {parameter.name!r} a named parameter, a list[...] where it is several values.",
            )
    return parameters


def _parameters_schema(parameters: list[inspect.Parameter], hints: dict[str, Any], doc: Docstring, tool: str) -> Schema:
    converter = HintConverter(tool)
    schema: Schema = {"type": "object", "properties": {}}
    for parameter in parameters:
        hint = hints.get(parameter.name, Any)
        if parameter.kind is parameter.VAR_KEYWORD:
            schema["additionalProperties"] = True
        elif not _is_injected(hint):
            schema["properties"][parameter.name] = converter.described(hint, parameter.name, doc)
            if parameter.default is parameter.empty:
                schema.setdefault("required", []).append(parameter.name)
    return converter.with_defs(schema)


def _return_schema(hints: dict[str, Any], doc: Docstring, tool: str) -> Schema | None:
    if "return" not in hints:
        return None
    converter = HintConverter(tool)
    try:
        schema = converter.convert(hints["return"], "return")
    except ToolSchemaError:  # the model never writes a return value, so the tool is still usable
        return None
    return converter.with_defs({**schema, "description": doc.returns} if doc.returns else schema)
