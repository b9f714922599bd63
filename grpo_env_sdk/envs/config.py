"""Config of an environment, checked against its constructor before anything is built."""

import inspect
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from grpo_env_sdk.data.named_file import text_of_named
from grpo_env_sdk.errors import ConfigError, ToolSchemaError, UsageError, did_you_mean
from grpo_env_sdk.isolation.values.env_values import redacted
from grpo_env_sdk.tools.function_schema import function_schema
from grpo_env_sdk.tools.validation import validator_of

_BY_DEFAULT = {bool: "boolean", int: "number", float: "number", str: "string", list: "array", dict: "object"}


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of an environment's constructor, and its type in JSON."""

    name: str
    schema: Mapping[str, Any]
    required: bool
    default: Any = None

    @property
    def type(self) -> str:
        """`integer`, `"easy" or "hard"`, `any`: for people to read."""
        told = self.schema.get("type", "any")
        names = [told] if isinstance(told, str) else list(told)
        if "enum" in self.schema:
            names = [json.dumps(value) for value in self.schema["enum"]]
        return " or ".join([*names, "null"] if self.schema.get("nullable") else names)


def parameters_of(constructor: Callable[..., Any]) -> dict[str, Parameter]:
    """What the constructor takes by name, with types from annotations or else from defaults."""
    signature = signature_of(constructor)
    known = _annotated(constructor)
    found = {}
    for parameter in signature.parameters.values():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD, parameter.POSITIONAL_ONLY):
            continue
        required = parameter.default is parameter.empty
        default = None if required else parameter.default
        guessed = {"type": _BY_DEFAULT[type(default)]} if type(default) in _BY_DEFAULT else {}
        annotated = parameter.annotation is not parameter.empty
        schema = known.get(parameter.name, {}) if annotated else guessed
        found[parameter.name] = Parameter(parameter.name, schema, required, default)
    return found


def check_config_type(config: Any) -> None:
    """Raise where a config is given that is not a dict."""
    if config is not None and not isinstance(config, Mapping):
        raise ConfigError(f"config is {config!r:.80}, not a dict.", 'Write it like config={"max_turns": 5}.')


def check_config(name: str, constructor: Callable[..., Any], config: Mapping[str, Any]) -> None:
    """Raise a `ConfigError` that names the key, its value and what is accepted."""
    parameters = parameters_of(constructor)
    kinds = {parameter.kind for parameter in signature_of(constructor).parameters.values()}
    for key, value in config.items():
        if key not in parameters and inspect.Parameter.VAR_KEYWORD not in kinds:
            hint = did_you_mean(key, parameters)
            raise ConfigError(f"{name} takes no config {key!r}.", f"{hint} {_accepted(parameters)}".strip())
        if key in parameters:
            _check_value(name, parameters[key], value, parameters)
    missing = [key for key, parameter in parameters.items() if parameter.required and key not in config]
    if missing:
        raise ConfigError(f"{name} needs config {missing[0]!r}.", _accepted(parameters))


def read_config(text: str | None) -> dict[str, Any]:
    """The object that `--env-config` names."""
    return read_object("--env-config", text, """'{"max_turns": 5}'""")


def read_object(flag: str, text: str | None, example: str = """'{"key": 1}'""") -> dict[str, Any]:
    """The object that follows a flag: JSON, or `@file` with JSON in it; nothing is an empty one."""
    if not text:
        return {}
    where = flag
    if text.startswith("@"):
        where = text[1:]
        try:
            text = text_of_named(where, f"{flag} {text}", "Give JSON, or @ and a file.")
        except UsageError as exc:
            raise ConfigError(exc.message, exc.hint) from exc
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as exc:
        if where != flag and isinstance(exc, json.JSONDecodeError):
            raise ConfigError(f"{where}:{exc.lineno} is not JSON: {exc.msg}.", f"Write it like {example}.") from exc
        named = where == flag and os.path.isfile(text)
        hint = f"{flag} @{text} reads that file." if named else f"Write it like {example}."
        raise ConfigError(f"{where} is not JSON: {text!r:.80} ({exc}).", hint) from exc
    if not isinstance(value, dict):
        raise ConfigError(f"{where} is {text!r:.80}, not an object.", f"Write it like {example}.")
    return value


def signature_of(constructor: Callable[..., Any]) -> inspect.Signature:
    """The signature of a class's `__init__`, whatever its `__new__` takes, or of a function."""
    function = _function_of(constructor)
    if function is object.__init__:
        return inspect.Signature()
    signature = inspect.signature(function)
    if function is constructor:
        return signature
    return signature.replace(parameters=list(signature.parameters.values())[1:])


def _check_value(name: str, parameter: Parameter, value: Any, parameters: Mapping[str, Parameter]) -> None:
    try:
        problem = next(validator_of(parameter.schema).iter_errors(value), None)
    except TypeError:  # a default or bound that JSON cannot carry: the constructor checks it
        return
    if problem is not None:
        raise ConfigError(
            redacted(
                f"{name} config {parameter.name!r} is {json.dumps(value, default=repr)[:80]}: {problem.message:.200}."
            ),
            _accepted(parameters),
        )


def _accepted(parameters: Mapping[str, Parameter]) -> str:
    if not parameters:
        return "It takes no config."
    told = [
        f"{p.name} ({p.type}, required)" if p.required else f"{p.name} ({p.type}, default {p.default!r})"
        for p in parameters.values()
    ]
    return f"It takes: {', '.join(told)}."


def _annotated(constructor: Callable[..., Any]) -> dict[str, Any]:
    """The schemas of annotated parameters; none where JSON cannot express them all."""
    try:
        parameters = function_schema(_function_of(constructor))["function"]["parameters"]
    except (ToolSchemaError, ValueError, TypeError, NameError):
        return {}
    shared = {"$defs": parameters["$defs"]} if "$defs" in parameters else {}
    return {name: {**schema, **shared} for name, schema in parameters.get("properties", {}).items()}


def _function_of(constructor: Callable[..., Any]) -> Callable[..., Any]:
    """What carries the parameters: a class's `__init__`, or the function itself."""
    if not isinstance(constructor, type):
        return constructor
    function: Callable[..., Any] = inspect.getattr_static(constructor, "__init__")
    return function
