"""A tool: a validated schema, from a function or a dict, and the function that runs it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from types import FunctionType
from typing import Any, TypeVar, overload

from grpo_env_sdk.errors import ToolSchemaError
from grpo_env_sdk.isolation.author_code.author_classes import by_authors
from grpo_env_sdk.isolation.values.json_values import short_repr
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
            return injected_names(self.function) if self.function else ()
        except (ToolSchemaError, TypeError, ValueError):  # no readable signature; the schema was given
            return ()

    @cached_property
    def strict(self) -> bool:
        """Whether arguments outside `properties` are errors; for a function they are, unless the schema allows them."""
        others = self.parameters.get("additionalProperties", self.function is None)
        return others is False and not _MORE_PROPERTIES & self.parameters.keys()

    @classmethod
    def from_schema(cls, schema: dict[str, Any], function: Callable[..., Any] | None = None) -> "Tool":
        """A tool from a schema; one error lists all its faults."""
        check_schemas([schema], "schema")
        return cls(schema, function)

    @classmethod
    def from_function(cls, function: Callable[..., Any]) -> "Tool":
        """A tool from a function's annotations and docstring, with or without `@tool`."""
        if isinstance(function, Tool):
            return function
        if not callable(function) or isinstance(function, type):
            raise ToolSchemaError(f"{short_repr(function)} is not a tool.", "Give a function, or a schema as a dict.")
        plain = getattr(function, "__func__", function)
        cached = isinstance(plain, FunctionType) and not plain.__closure__  # which may hold an environment
        built = _build_cached(plain) if cached else _build(plain)
        return built if plain is function else built._bound(function)

    def _bound(self, method: Callable[..., Any]) -> "Tool":
        """The same tool for a method of one instance; schema and validator are shared by all instances."""
        bound = Tool(self.schema, method, self.timeout)
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
    """The `@tool` methods of an instance, in the order in which its classes define them."""
    names: dict[str, None] = {}
    for cls in reversed([*by_authors(type(env))]):
        names |= {name: None for name, value in vars(cls).items() if is_tool(value)}
    methods = [getattr(env, name) for name in names]
    return [Tool.from_function(method) for method in methods if is_tool(method)]


def is_tool(value: Any) -> bool:
    """Whether a function, method or attribute of a class is marked `@tool`."""
    return hasattr(getattr(value, "__func__", value), "__grpo_tool__")


def _build(function: Callable[..., Any]) -> Tool:
    marked = getattr(function, "__grpo_tool__", {})
    schema = function_schema(function, name=marked.get("name"), description=marked.get("description"))
    check_schemas([schema], getattr(function, "__qualname__", repr(function)))
    return Tool(schema, function, marked.get("timeout"))


_build_cached = lru_cache(maxsize=4096)(_build)
