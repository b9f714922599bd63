"""The source of a class or function that may be in no file, as of a notebook's cell, and of what it uses from there."""

import ast
import inspect
import json
import linecache
import re
import symtable
import sys
import textwrap
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from types import MethodType
from typing import Any


def cell_source(value: Any, data: bool = True) -> str | None:
    """The source of a function or a class, or of an object's class, and of what it uses from its namespace.

    None where the source of any is not known. Without `data` it is the code alone, whatever the variables hold.
    """
    module = _module_of(_definition_of(value))
    namespace = vars(sys.modules.get(module or "", object))
    waiting: list[Any] = []
    values, texts = {"": _written(value, waiting)}, dict[int, str]()
    while waiting:
        definition = waiting.pop()
        if _module_of(definition) != module or id(definition) in texts:
            continue
        text = _text_of(definition)
        if text is None:
            return None
        texts[id(definition)] = text
        for name in _names_from_around(text) & namespace.keys():
            with suppress(ValueError, RecursionError):  # a number of too many digits, a list that contains itself
                values[name] = _written(namespace[name], waiting)
    return json.dumps([sorted(texts.values()), values if data else {}], sort_keys=True)


def _module_of(definition: Any) -> str | None:
    """Where it was written; None for methods of built-in types, such as `str.upper`."""
    found: str | None = getattr(definition, "__module__", None)
    return found


def _written(value: Any, definitions: list[Any]) -> str:
    """A value as text, equal in every process; the functions and classes in it are added to `definitions`."""
    if isinstance(value, str | bytes | int | float | complex | None):
        return repr(value)
    if isinstance(value, re.Pattern):
        return f"{value.pattern!r} {value.flags}"
    if isinstance(value, dict | list):
        with suppress(TypeError, ValueError, RecursionError):  # most tables are plain data, and may be long
            return json.dumps(value, sort_keys=True)
    written = partial(_written, definitions=definitions)
    if isinstance(value, partial):
        value = (value.func, value.args, value.keywords)
    elif isinstance(value, MethodType):
        value = (value.__func__, value.__self__)
    if isinstance(value, dict):
        items = sorted(f"{written(key)}: {written(item)}" for key, item in value.items())
    elif isinstance(value, list | tuple):
        items = [*map(written, value)]
    elif isinstance(value, set | frozenset):
        items = sorted(map(written, value))
    else:
        definition = _definition_of(value)
        definitions.append(definition)
        return str(definition.__qualname__)
    return f"[{', '.join(items)}]"


def _definition_of(value: Any) -> Any:
    """The function or class that a value is, or that it is an instance of."""
    with suppress(Exception):  # of an object of the author
        while isinstance(value, partial):
            value = value.func
        value = inspect.unwrap(getattr(value, "__func__", value))
    return value if inspect.isroutine(value) or inspect.isclass(value) else type(value)


def _text_of(thing: Any) -> str | None:
    """The source of a function or class; that of a class is around one of its methods, as it has no line of its own."""
    with suppress(OSError, TypeError, ValueError, SyntaxError):
        if thing.__name__ == "<lambda>":
            return _lambdas_at(thing.__code__)
        if inspect.isfunction(thing):
            return textwrap.dedent(inspect.getsource(thing))
        for code in _codes_of(thing):
            lines = linecache.getlines(code.co_filename)
            for node in ast.walk(ast.parse("".join(lines))):
                if not isinstance(node, ast.ClassDef) or node.name != thing.__name__ or node.end_lineno is None:
                    continue
                if node.lineno <= code.co_firstlineno <= node.end_lineno:
                    first = min([node.lineno, *(part.lineno for part in node.decorator_list)])
                    return textwrap.dedent("".join(lines[first - 1 : node.end_lineno]))
    return None


def _lambdas_at(code: Any) -> str | None:
    """The lambdas that begin in the line of this one, without the statement around them."""
    nodes = ast.walk(ast.parse("".join(linecache.getlines(code.co_filename))))
    found = [node for node in nodes if isinstance(node, ast.Lambda) and node.lineno == code.co_firstlineno]
    return "\n".join(map(ast.unparse, found)) or None


def _codes_of(cls: type) -> Iterator[Any]:
    """The code of the methods of a class."""
    for value in vars(cls).values():
        method = inspect.unwrap(getattr(value, "fget", None) or getattr(value, "__func__", value))
        if inspect.isfunction(method):
            yield method.__code__


def _names_from_around(text: str) -> set[str]:
    """The names that a definition uses and does not define, without those that it sets anew, such as a counter."""
    try:
        whole = symtable.symtable(text, "<cell>", "exec")
    except SyntaxError:  # a text in it begins left of its indent
        return set()
    names = {symbol.get_name() for symbol in whole.get_symbols() if symbol.is_referenced()}
    counted = set[str]()
    tables = whole.get_children()
    while tables:
        table = tables.pop()
        tables += table.get_children()
        for symbol in table.get_symbols():
            if symbol.is_global():
                (counted if symbol.is_assigned() else names).add(symbol.get_name())
    return names - counted
