"""A tool: a validated schema, from a function or a dict, and the function that runs it."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from types import FunctionType
from typing import Any, TypeVar, overload

from grpo_env_sdk.errors import ToolSchemaError
from grpo_env_sdk.isolation.author_code.author_classes import by_authors
from grpo_env_sdk.isolation.values.json_values import short_repr
from grpo_env_sdk.tools.docstrings import parse_docstring
from grpo_env_sdk.tools.function_schema import Injected, function_schema, injected_names
from grpo_env_sdk.tools.quick_check import Accepts, quick_check
from grpo_env_sdk.tools.schema_faults import check_schemas
from grpo_env_sdk.tools.validation import validator_of

__all__ = ["Injected", "Tool", "bound_tools", "tool"]

F = TypeVar("F", bound=Callable[..., Any])


# With one of these keywords a schema may accept more than its `properties`.
_MORE_PROPERTIES = {"$ref", "allOf", "anyOf", "dependentSchemas", "if", "oneOf", "patternProperties"}


@dataclass(frozen=True)
class Tool:
    """A schema, which is sent to the model as it is, and the function that runs its calls, if any."""

    schema: dict[str, Any]
    function: Callable[..., Any] | None = None
    timeout: float | None = None
    annotated: Callable[..., Any] | None = None
    """The method of a base class whose annotations count, where the one that overrides it has none."""

    @property
    def typed(self) -> Callable[..., Any] | None:
        """What says the types of the arguments."""
        return self.annotated or self.function

    @property
    def name(self) -> str:
        """The name that the model uses in a call."""
        return str(self.schema["function"]["name"])

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The JSON Schema of its arguments."""
        return self.schema["function"].get("parameters") or {"type": "object"}

    @cached_property
    def validator(self) -> Any:
        """The validator of a call's arguments, built once."""
        return validator_of(self.parameters)

    @cached_property
    def accepts(self) -> Accepts:
        """A quick check of a call's arguments, whose False says nothing."""
        return quick_check(self.parameters)

    @cached_property
    def injected(self) -> tuple[str, ...]:
        """The parameters that the SDK fills in, and the model may not."""
        try:
            return injected_names(self.typed) if self.typed else ()
        except (ToolSchemaError, TypeError, ValueError):  # no readable signature; the schema was given
            return ()

    @cached_property
    def strict(self) -> bool:
        """Whether arguments outside `properties` are errors; for a function they are, unless the schema allows them."""
        others = self.parameters.get("additionalProperties", self.function is None)
        return others is False and not _MORE_PROPERTIES & self.parameters.keys()

    @classmethod
    def from_function(cls, function: Callable[..., Any]) -> "Tool":
        """A tool from a function's annotations and docstring, with or without `@tool`."""
        if isinstance(function, Tool):
            return function
        if not callable(function) or isinstance(function, type):
            raise ToolSchemaError(f"{short_repr(function)} is not a tool.", "Give a function, or a schema as a dict.")
        plain = getattr(function, "__func__", function)
        return _built(function, plain, plain)

    @classmethod
    def overriding(cls, method: Callable[..., Any], marked: Callable[..., Any]) -> "Tool":
        """A tool from a method without `@tool` that overrides one with it: a tool of the same name and timeout."""
        return _built(method, getattr(method, "__func__", method), marked)

    def _bound(self, method: Callable[..., Any]) -> "Tool":
        """The same tool for a method of one instance; schema and validator are shared by all instances."""
        bound = Tool(self.schema, method, self.timeout, self.annotated)
        shared = {name: getattr(self, name) for name in ("accepts", "validator", "injected", "strict")}
        bound.__dict__.update(shared)
        return bound


@overload
def tool(function: F) -> F: ...


@overload
def tool(
    *, name: str | None = None, description: str | None = None, timeout: float | None = None
) -> Callable[[F], F]: ...


def tool(
    function: Any = None,
    *,
    name: str | None = None,
    description: str | None = None,
    timeout: float | None = None,
) -> Any:
    """Mark a function or method as a tool; its annotations and Google docstring are its schema.

    ```python
    @tool
    def search_hotels(self, city: str, stars: int = 1) -> list[dict]:
        '''Find hotels in a city.

        Args:
            city: Where to look.
            stars: The fewest stars.
        '''
    ```
    """

    if function is not None and not callable(getattr(function, "__func__", function)):
        raise ToolSchemaError(
            f"@tool decorates a function, got {short_repr(function)}.", "Write @tool, or @tool(name=...)."
        )

    def mark(marked: F) -> F:
        plain: Any = getattr(marked, "__func__", marked)  # within a staticmethod or classmethod
        plain.__grpo_tool__ = {"name": name, "description": description, "timeout": timeout}
        return marked

    return mark if function is None else mark(function)


def bound_tools(env: Any) -> list[Tool]:
    """The `@tool` methods of an instance, in the order in which its classes define them.

    What overrides one is a tool too, with the mark or without it; `name = None` in a subclass hides it.
    """
    found = ((getattr(env, name), marked) for name, marked in marked_tools(type(env)).items())
    return [
        Tool.from_function(method) if is_tool(method) else Tool.overriding(method, marked)
        for method, marked in found
        if is_tool(method) or inspect.isfunction(getattr(method, "__func__", method))
    ]


def marked_tools(cls: type) -> dict[str, Any]:
    """The functions marked `@tool` of a class and of those that it is derived from, by the name of their attribute."""
    found: dict[str, Any] = {}
    for one in reversed([*by_authors(cls)]):
        found |= {name: getattr(value, "__func__", value) for name, value in vars(one).items() if is_tool(value)}
    return found


def is_tool(value: Any) -> bool:
    """Whether a function, method or attribute of a class is marked `@tool`."""
    return hasattr(getattr(value, "__func__", value), "__grpo_tool__")


def _built(function: Any, plain: Any, marked: Any) -> Tool:
    """The tool of a function or method, whose schema is built once for a plain function."""
    cached = isinstance(plain, FunctionType) and not plain.__closure__  # which may hold an environment
    built = _build_cached(plain, marked) if cached else _build(plain, marked)
    return built if plain is function else built._bound(function)


def _build(function: Callable[..., Any], marked: Callable[..., Any]) -> Tool:
    """The tool of a function; `marked` is itself, or the one that it overrides, which says what it does not say."""
    mark: Mapping[str, Any] = getattr(marked, "__grpo_tool__", {})
    typed, name, description, doc = function, mark.get("name"), mark.get("description"), None
    if function is not marked:
        typed = function if _says_types(function) else marked
        name = name or getattr(marked, "__name__", None)
        own = parse_docstring(inspect.cleandoc(function.__doc__ or ""))
        description = description or own.description or None
        doc = inspect.getdoc(function if own.arguments else marked)
    schema = function_schema(typed, name=name, description=description, doc=doc)
    check_schemas([schema], getattr(function, "__qualname__", repr(function)))
    return Tool(schema, function, mark.get("timeout"), None if typed is function else typed)


def _says_types(method: Callable[..., Any]) -> bool:
    """Whether a method annotates a parameter, or has none; one that hands all on by `*args` says nothing."""
    parameters = list(inspect.signature(method).parameters.values())
    own = [one for one in parameters if one.name not in ("self", "cls")]
    if any(one.kind is one.VAR_POSITIONAL for one in own):
        return False
    return not own or any(one.annotation is not one.empty for one in own)


_build_cached = lru_cache(maxsize=4096)(_build)
