"""A tool: one validated definition, from a function or from a schema, and what runs it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from types import FunctionType
from typing import Any, TypeVar, overload

from grpo_env_sdk.errors import ToolSchemaError
from grpo_env_sdk.isolation.json_values import short_repr
from grpo_env_sdk.tools.function_schema import Injected, function_schema, injected_names
from grpo_env_sdk.tools.schema_faults import check_schemas
from grpo_env_sdk.tools.validation import validator_of

__all__ = ["Injected", "Tool", "bound_tools", "tool"]

F = TypeVar("F", bound=Callable[..., Any])


# Where a schema has one of these, its `properties` need not be all that it takes.
_MORE_PROPERTIES = {"$ref", "allOf", "anyOf", "dependentSchemas", "if", "oneOf", "patternProperties"}


@dataclass(frozen=True)
class Tool:
    """A schema that reaches the model as it is, and the function that answers its calls, if any."""

    schema: dict[str, Any]
    function: Callable[..., Any] | None = None
    timeout: float | None = None

    @property
    def name(self) -> str:
        """The name by which the model calls it."""
        return str(self.schema["function"]["name"])

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The JSON Schema of its arguments."""
        return self.schema["function"].get("parameters") or {"type": "object"}

    @cached_property
    def validator(self) -> Any:
        """What checks a call's arguments, made once."""
        return validator_of(self.parameters)

    @cached_property
    def injected(self) -> tuple[str, ...]:
        """The parameters that the SDK fills and the model may not."""
        try:
            return injected_names(self.function) if self.function else ()
        except (ToolSchemaError, TypeError, ValueError):  # no signature to read; the schema was given
            return ()

    @cached_property
    def strict(self) -> bool:
        """Whether it takes no argument but its `properties`; a function takes no others unless its schema says so."""
        others = self.parameters.get("additionalProperties", self.function is None)
        return others is False and not _MORE_PROPERTIES & self.parameters.keys()

    @classmethod
    def from_schema(cls, schema: dict[str, Any], function: Callable[..., Any] | None = None) -> "Tool":
        """A tool given as a dict; every fault of it is told at once."""
        check_schemas([schema], "schema")
        return cls(schema, function)

    @classmethod
    def from_function(cls, function: Callable[..., Any]) -> "Tool":
        """The tool that a function is, by its annotations and docstring; marked by `@tool` or not."""
        if isinstance(function, Tool):
            return function
        if not callable(function) or isinstance(function, type):
            raise ToolSchemaError(f"{short_repr(function)} is no tool.", "Give a function, or a schema as a dict.")
        plain = getattr(function, "__func__", function)
        made = _made_once(plain) if isinstance(plain, FunctionType) else _made(plain)
        return made if plain is function else made._bound(function)

    def _bound(self, method: Callable[..., Any]) -> "Tool":
        """The same for the method of an instance, without finding out again what holds for all of them."""
        bound = Tool(self.schema, method, self.timeout)
        bound.__dict__.update(validator=self.validator, injected=self.injected, strict=self.strict)
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
        raise ToolSchemaError(f"@tool marks a function, not {short_repr(function)}.", "Write @tool(name=...).")

    def mark(marked: F) -> F:
        plain: Any = getattr(marked, "__func__", marked)  # within a staticmethod or classmethod
        plain.__grpo_tool__ = {"name": name, "description": description, "timeout": timeout}
        return marked

    return mark if function is None else mark(function)


def bound_tools(env: Any) -> list[Tool]:
    """The `@tool` methods of an instance, in the order in which its classes define them."""
    names: dict[str, None] = {}
    for cls in reversed(type(env).__mro__):
        names |= {name: None for name, value in vars(cls).items() if _is_marked(value)}
    methods = [getattr(env, name) for name in names]
    return [Tool.from_function(method) for method in methods if _is_marked(method)]


def _is_marked(value: Any) -> bool:
    return hasattr(getattr(value, "__func__", value), "__grpo_tool__")


def _made(function: Callable[..., Any]) -> Tool:
    marked = getattr(function, "__grpo_tool__", {})
    schema = function_schema(function, name=marked.get("name"), description=marked.get("description"))
    check_schemas([schema], getattr(function, "__qualname__", repr(function)))
    return Tool(schema, function, marked.get("timeout"))


_made_once = lru_cache(maxsize=4096)(_made)
