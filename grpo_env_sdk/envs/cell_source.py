"""The source of a class that is in no file, as of a notebook's cell, and of what it uses from other cells."""

import ast
import inspect
import json
import linecache
import symtable
import sys
import textwrap
from collections.abc import Iterator
from contextlib import suppress
from typing import Any


def cell_source(cls: type) -> str | None:
    """The source of the class and of what it uses from its namespace; None where the source of any is not known."""
    namespace = vars(sys.modules.get(cls.__module__, object))
    found: dict[str, str] = {}
    waiting: list[Any] = [cls]
    while waiting:
        thing = waiting.pop()
        text = _text_of(thing)
        if text is None:
            return None
        found[thing.__qualname__] = text
        for name in _names_from_around(text) & namespace.keys():
            definition = _definition_of(namespace[name])
            if definition.__module__ != cls.__module__:
                with suppress(TypeError, ValueError, RecursionError):  # what is no plain data comes from elsewhere
                    found[name] = json.dumps(namespace[name], sort_keys=True)
            elif definition.__qualname__ not in found:
                waiting.append(definition)
    return json.dumps(found, sort_keys=True)


def _definition_of(value: Any) -> Any:
    """The function or class that a value is, or that it is an instance of."""
    with suppress(Exception):  # of an object of the author
        value = inspect.unwrap(value)
    return value if inspect.isfunction(value) or inspect.isclass(value) else type(value)


def _text_of(thing: Any) -> str | None:
    """The source of a function or class; that of a class is around one of its methods, as it has no line of its own."""
    with suppress(OSError, TypeError, ValueError, SyntaxError):
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


def _codes_of(cls: type) -> Iterator[Any]:
    """The code of the methods of a class."""
    for value in vars(cls).values():
        method = inspect.unwrap(getattr(value, "fget", None) or getattr(value, "__func__", value))
        if inspect.isfunction(method):
            yield method.__code__


def _names_from_around(text: str) -> set[str]:
    """The names that a definition uses and does not define."""
    try:
        whole = symtable.symtable(text, "<cell>", "exec")
    except SyntaxError:  # a lambda within a call
        return set()
    names = {symbol.get_name() for symbol in whole.get_symbols() if symbol.is_referenced()}
    tables = whole.get_children()
    while tables:
        table = tables.pop()
        tables += table.get_children()
        names |= {symbol.get_name() for symbol in table.get_symbols() if symbol.is_global()}
    return names
