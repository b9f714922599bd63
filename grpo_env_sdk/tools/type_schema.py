"""Type hints as JSON Schemas, equal to those of transformers for the types that it supports."""

import dataclasses
import datetime
import enum
import json
import math
import types
from collections import abc
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from grpo_env_sdk.errors import ToolSchemaError
from grpo_env_sdk.tools.docstrings import Docstring, class_docstring, split_choices
from grpo_env_sdk.tools.key_types import can_be_key
from grpo_env_sdk.tools.wrapped_types import QUALIFIERS

Schema = dict[str, Any]
_Field = tuple[str, Any, bool, Schema]  # name, hint, whether required, {"default": ...} or nothing

_SCALARS = {int: "integer", float: "number", str: "string", bool: "boolean", types.NoneType: "null"}
_PLAIN: dict[Any, Schema] = {
    **{python: {"type": json_type} for python, json_type in _SCALARS.items()},
    None: {"type": "null"},
    Any: {},
    object: {},
    datetime.datetime: {"type": "string", "format": "date-time"},
    datetime.date: {"type": "string", "format": "date"},
    datetime.time: {"type": "string", "format": "time"},
}
_SETS = (set, frozenset, abc.Set, abc.MutableSet)
_ARRAYS = (list, abc.Sequence, abc.MutableSequence, abc.Collection, abc.Iterable, *_SETS)
_OBJECTS = (dict, abc.Mapping, abc.MutableMapping)

_BOUNDS = {
    "ge": "minimum", "gt": "exclusiveMinimum", "le": "maximum", "lt": "exclusiveMaximum", "multiple_of": "multipleOf",
}  # fmt: skip
_UNKNOWN_TO_TRANSFORMERS = {"$ref", "allOf", "anyOf", "const", "oneOf", "properties"}
_SIZES = {"string": "Length", "array": "Items", "object": "Properties"}


def resolved_hints(thing: Any) -> dict[str, Any]:
    """The annotations of a function or class, with strings evaluated; raises what evaluating them raises."""
    # A class defined in a function is not in its module, or another class of its name is there.
    is_local = isinstance(thing, type) and "<locals>" in thing.__qualname__
    return get_type_hints(thing, localns={thing.__name__: thing} if is_local else None, include_extras=True)


def readable_hints(thing: Any, whose: str) -> dict[str, Any]:
    """As `resolved_hints`, with an error that names the function or class."""
    try:
        return resolved_hints(thing)
    except Exception as exc:  # evaluates code of the author
        raise ToolSchemaError(
            f"{whose} has an annotation that cannot be read: {type(exc).__name__}: {exc}.",
            "Import or define what it names at module level, outside `if TYPE_CHECKING`.",
        ) from exc


class HintConverter:
    """Converts type hints to schemas that share one set of `$defs`."""

    def __init__(self, tool: str) -> None:
        self.tool = tool
        self.defs: dict[str, Schema] = {}
        self.names: dict[Any, str] = {}  # of the types being converted, and of recursive ones
        self.recursive: set[Any] = set()

    def with_defs(self, schema: Schema) -> Schema:
        """The root schema, with the `$defs` that its `$ref`s need."""
        return {**schema, "$defs": self.defs} if self.defs else schema

    def described(self, hint: Any, path: str, doc: Docstring) -> Schema:
        """The schema of a parameter or field, with its description and choices from the docstring."""
        schema = self.convert(hint, path)
        name = path.rpartition(".")[2]
        if name not in doc.arguments:
            return schema
        description, choices = split_choices(doc.arguments[name], f"Tool {self.tool!r}: parameter {path!r}")
        if choices is not None:
            schema = _with_choices(schema, choices)
        return {**schema, "description": description}

    def convert(self, hint: Any, path: str) -> Schema:
        """The schema of a type hint; an error that names `path` if JSON cannot express the type."""
        kind, args = get_origin(hint) or hint, get_args(hint)
        if isinstance(kind, Hashable) and kind in _PLAIN:
            return dict(_PLAIN[kind])
        if kind is Annotated:
            return self._annotated(args[0], hint.__metadata__, path)
        if kind is Union or kind is types.UnionType:
            return self._union(args, path)
        if kind is Literal:
            return self._enum(args, hint, path)
        if kind in _ARRAYS:
            return self._array(kind, args, path)
        if kind is tuple:
            return self._tuple(args, path)
        if kind in _OBJECTS:
            if args and not can_be_key(args[0]):
                raise self._refusal(hint, path)
            values = {"additionalProperties": self.convert(args[1], path)} if args else {}
            return {"type": "object", **values}
        if hasattr(kind, "__supertype__"):  # a NewType
            return self.convert(kind.__supertype__, path)
        return self._named(hint, path)

    def _named(self, hint: Any, path: str) -> Schema:
        """A class or `type` alias."""
        if not isinstance(hint, type):
            if hasattr(hint, "__value__"):  # a `type` alias
                return self._once(hint, lambda: self.convert(hint.__value__, path))
            raise self._refusal(hint, path)
        if issubclass(hint, enum.Enum):
            return self._enum(hint, hint, path)
        if hasattr(hint, "model_json_schema"):
            return self._pydantic(hint, path)
        if dataclasses.is_dataclass(hint):
            return self._once(hint, lambda: self._object(hint, _dataclass_fields, path))
        if issubclass(hint, dict) and hasattr(hint, "__required_keys__"):
            return self._once(hint, lambda: self._object(hint, _typed_dict_fields, path))
        raise self._refusal(hint, path)

    def _refusal(self, hint: Any, path: str) -> ToolSchemaError:
        name = hint.__name__ if isinstance(hint, type) else str(hint)
        return ToolSchemaError(
            f"Tool {self.tool!r}: parameter {path!r} has the type {name}, which JSON cannot express.",
            f"Use str, int, list, dict or a dataclass, give its schema with "
            f"Annotated[{name}, {{'type': 'string'}}], or hide the parameter with Injected[...].",
        )

    def _union(self, args: tuple[Any, ...], path: str) -> Schema:
        options = [self.convert(arg, path) for arg in args if arg is not types.NoneType]
        if len(options) == 1:
            schema = options[0]
        elif all(option.keys() == {"type"} and isinstance(option["type"], str) for option in options):
            names = sorted({option["type"] for option in options})
            schema = {"type": names[0] if len(names) == 1 else names}
        else:
            schema = {"anyOf": options}
        return _with_null(schema) if types.NoneType in args else schema

    def _enum(self, members: Iterable[Any], hint: Any, path: str) -> Schema:
        values = [member.value if isinstance(member, enum.Enum) else member for member in members]
        if not values or any(type(value) not in _SCALARS for value in values):
            raise self._refusal(hint, path)
        names = list(dict.fromkeys(_SCALARS[type(value)] for value in values))
        return {"type": names[0] if len(names) == 1 else names, "enum": values}

    def _array(self, kind: Any, args: tuple[Any, ...], path: str) -> Schema:
        schema: Schema = {"type": "array"}
        if args:
            schema["items"] = self.convert(args[0], path)
        if kind in _SETS:
            schema["uniqueItems"] = True
        return schema

    def _tuple(self, args: tuple[Any, ...], path: str) -> Schema:
        if len(args) == 2 and args[1] is ...:
            return self._array(list, args, path)
        schema: Schema = {"type": "array"}
        if args:
            schema["prefixItems"] = [self.convert(arg, path) for arg in args]
        if len(args) == 1:  # transformers omits the length of longer tuples
            schema.update(minItems=1, maxItems=1)
        return schema

    def _annotated(self, base: Any, metadata: tuple[Any, ...], path: str) -> Schema:
        given = any(isinstance(item, dict) and "type" in item for item in metadata)  # the metadata is the schema
        schema = {} if given else self.convert(base, path)
        for item in metadata:
            schema |= _keywords(item, schema)
        return schema

    def _once(self, key: Any, build: Callable[[], Schema]) -> Schema:
        """The schema inline, as chat templates do not follow `$ref`; a `$ref` only if the type contains itself."""
        if key in self.names:
            self.recursive.add(key)
            return {"$ref": f"#/$defs/{self.names[key]}"}
        name = self.names[key] = self._free_name(key.__name__)
        schema = build()
        if key in self.recursive:
            self.defs[name] = schema
            return {"$ref": f"#/$defs/{name}"}
        del self.names[key]
        return schema

    def _free_name(self, name: str, reserved: Iterable[str] = ()) -> str:
        taken = {*self.defs, *self.names.values(), *reserved}
        numbered = (f"{name}_{number}" for number in range(2, len(taken) + 3))
        return next(free for free in (name, *numbered) if free not in taken)

    def _object(self, cls: type, fields_of: Callable[[type, str], Iterator[_Field]], path: str) -> Schema:
        doc = class_docstring(cls)
        schema: Schema = {"type": "object", "properties": {}, "additionalProperties": False}
        for name, hint, required, default in fields_of(cls, f"Tool {self.tool!r}: parameter {path!r}"):
            schema["properties"][name] = {**self.described(hint, f"{path}.{name}", doc), **default}
            if required:
                schema.setdefault("required", []).append(name)
        return {**schema, "description": doc.description} if doc.description else schema

    def _pydantic(self, model: Any, path: str) -> Schema:
        """The schema from pydantic, with its definitions moved to the root, where its `$ref`s point."""
        try:
            schema: Schema = model.model_json_schema()
        except Exception as exc:  # pydantic's own error names the field, ours the tool
            raise self._refusal(model, path) from exc
        defs: dict[str, Schema] = schema.pop("$defs", {})
        taken = [name for name in defs if name in self.defs or name in self.names.values()]
        if all(self.defs.get(name) == defs[name] for name in taken):
            taken = []
        renames = {f"#/$defs/{name}": f"#/$defs/{self._free_name(name, defs)}" for name in taken}
        for name, definition in defs.items():
            new_name = renames.get(f"#/$defs/{name}", name).removeprefix("#/$defs/")
            self.defs[new_name] = _renamed(definition, renames)
        renamed: Schema = _renamed(schema, renames)
        return renamed


def _dataclass_fields(cls: Any, whose: str) -> Iterator[_Field]:
    hints = readable_hints(cls, whose)
    for field in dataclasses.fields(cls):
        if field.init:
            required = field.default is field.default_factory is dataclasses.MISSING
            yield field.name, hints[field.name], required, _default(field.default)


def _default(value: Any) -> Schema:
    """The keyword `default`, or nothing if JSON cannot express the value."""
    try:
        text = json.dumps(value.value if isinstance(value, enum.Enum) else value, allow_nan=False)
    except (TypeError, ValueError):
        return {}
    return {"default": json.loads(text)}


def _typed_dict_fields(cls: Any, whose: str) -> Iterator[_Field]:
    for name, hint in readable_hints(cls, whose).items():
        required = name in cls.__required_keys__
        # `__required_keys__` misses those in string annotations.
        while (wrapper := str(get_origin(hint)).rpartition(".")[2]) in QUALIFIERS:
            required = {"Required": True, "NotRequired": False}.get(wrapper, required)
            (hint,) = get_args(hint)
        yield name, hint, required, {}


def _types_in(schema: Schema) -> set[str]:
    """The JSON types in a schema, also in its `anyOf`."""
    named = schema.get("type", [])
    own = {named} if isinstance(named, str) else set(named)
    return own.union(*(_types_in(option) for option in schema.get("anyOf", [])))


def _with_null(schema: Schema) -> Schema:
    """The schema that also accepts null: written as transformers does, or as one more option of `anyOf`."""
    options = schema["anyOf"] if schema.keys() == {"anyOf"} else [schema]
    if any(option.keys() & _UNKNOWN_TO_TRANSFORMERS for option in options):
        return {"anyOf": [*options, {"type": "null"}]}
    return {**schema, "nullable": True}


def _with_choices(schema: Schema, choices: list[Any]) -> Schema:
    """The schema with the choices of the docstring; for a list they apply to its items."""
    if _types_in(schema) == {"array"} and not all(isinstance(choice, list) for choice in choices):
        return {**schema, "items": {**schema.get("items", {}), "enum": choices}}
    return {**schema, "enum": choices}


def _keywords(item: Any, schema: Schema) -> Schema:
    """The keywords from one piece of `Annotated` metadata, of any library, by its attributes."""
    if isinstance(item, str):
        return {"description": item}
    if isinstance(item, dict):
        return item
    found: Schema = {}
    constraints = getattr(item, "metadata", None)  # pydantic's `Field` has its bounds here
    for constraint in constraints if isinstance(constraints, list) else []:
        found |= _keywords(constraint, schema)
    says: Schema = {key: getattr(item, key, None) for key in ("description", "pattern", *_BOUNDS)}
    found |= {key: says[key] for key in ("description", "pattern") if isinstance(says[key], str)}
    bounds = {keyword: says[key] for key, keyword in _BOUNDS.items() if type(says[key]) in (int, float)}
    found |= {keyword: bound for keyword, bound in bounds.items() if math.isfinite(bound)}
    sized = [kind for json_type, kind in _SIZES.items() if json_type in (_types_in(schema) or _SIZES)]
    for limit in ("min", "max"):
        size = getattr(item, f"{limit}_length", None)
        found |= {limit + kind: size for kind in sized if isinstance(size, int)}
    extra = getattr(item, "json_schema_extra", None)
    return {**found, **extra} if isinstance(extra, dict) else found


def _renamed(node: Any, renames: dict[str, str]) -> Any:
    """A copy with every `#/$defs/...` replaced, also in a discriminator's `mapping`."""
    if isinstance(node, dict):
        return {key: _renamed(value, renames) for key, value in node.items()}
    if isinstance(node, list):
        return [_renamed(value, renames) for value in node]
    return renames.get(node, node) if isinstance(node, str) else node
