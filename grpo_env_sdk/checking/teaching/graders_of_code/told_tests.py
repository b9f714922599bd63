"""What replies say of failed tests, inputs with the values that are expected, and code that knows these alone."""

import ast
import json
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

from grpo_env_sdk.checking.teaching.graders_of_code.code_tricks import bare_code
from grpo_env_sdk.late_patterns import regex

Cases = Mapping[str, str]
"""By input, what is expected for it, both as Python writes them."""
Table = Callable[[Cases], str]
_EXPECTED = regex(
    r"(?:\bexpect(?:ed|s)?\b(?:[ _](?:output|value|result|return value|to be|to get|to return))*|"
    r"\b(?:should|must)(?: have)? (?:be|been|return(?:ed)?|equal|give|print(?:ed)?)|\bwant(?:ed|s)?\b|\binstead of\b|"
    r"\b(?:right|correct)(?: \w+)? (?:is|was|would be)|[^=!<>]==)[\s:=`\"']{0,4}",
    re.IGNORECASE,
)
_KEYED = regex(r"\b(?:inputs?|args?|arguments?|params?|stdin|called with|case)\b[\s:=`\"'|]{1,5}", re.IGNORECASE)
_FOR = regex(r"\b(?:for|with|on|at|of)\s+(?:\w+\s*=\s*)?`?", re.IGNORECASE)
STDIN = "stdin"
"""What the input of a program is called that is no function."""
_OF_PROGRAM = regex(
    r"\b(?:input|stdin)\b[^:=\n]{0,12}[:=]\s*(.*)\n(?:.*\n)*?.*\bexpected\b[^:=\n]{0,12}[:=]\s*(.*)", re.I
)
_PLAIN = regex(
    r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?![\w.]*\w)|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|"
    r"(?:True|False|None|true|false|null)\b"
)
_CLOSING = {"(": ")", "[": "]", "{": "}"}


def cases_in(reply: str, name: str) -> dict[str, str]:
    """The inputs that a reply names, each with what is expected for it; `name` is the function or the variable."""
    if name == STDIN and (lines := _OF_PROGRAM.findall(reply)):
        return {repr(given.strip("`'\" ")): repr(expected.strip("`'\" ")) for given, expected in lines}
    found: dict[str, str] = {}
    for part in re.split(r"\n\s*\n|;\s", reply):
        expected = [value for one in _EXPECTED.finditer(part) if (value := _literal(part, one.end()))]
        for given in _inputs(part, name):
            if given and len(given) == len(expected):
                found |= zip(given, expected, strict=True)
                break
    return found


def _inputs(text: str, name: str) -> list[list[str]]:
    """The inputs in a text, by each way in which they may be written."""
    ways = [regex(rf"\b{re.escape(name)}\s*=\s*"), _KEYED, _FOR]
    return [
        *(_arguments(text, function) for function in (re.escape(name), r"[a-z_]\w*")),
        *([at for one in way.finditer(text) if (at := _literal(text, one.end()))] for way in ways),
    ]


def _arguments(text: str, function: str) -> list[str]:
    """The arguments of each call of a function in a text, as a list."""
    calls = [(one.end(), _closes(text, one.end() - 1)) for one in re.finditer(rf"\b{function}\(", text)]
    return [given for start, end in calls if end and (given := _value(f"[{text[start:end]}]"))]


def _literal(text: str, at: int) -> str:
    """The number, text, list or object at a place of a text, as Python writes it; empty if there is none."""
    if text[at : at + 1] in _CLOSING:
        end = _closes(text, at)
        return _value(text[at : end + 1]) if end else ""
    quote = at - 1 if text[at - 1 : at] in ("'", '"') and text[at : at + 1].strip() else at
    for start in (quote, at):
        if found := _PLAIN.match(text, start):
            return _value(found.group())
    return ""


def _closes(text: str, at: int) -> int:
    """Where the bracket at a place is closed; 0 if nowhere."""
    open_ones: list[str] = []
    for place in range(at, min(len(text), at + 400)):
        if text[place] in _CLOSING:
            open_ones.append(_CLOSING[text[place]])
        elif open_ones and text[place] == open_ones[-1]:
            open_ones.pop()
            if not open_ones:
                return place
    return 0


def _value(text: str) -> str:
    """A literal as Python writes it; empty if it is none."""
    for read in (ast.literal_eval, json.loads):
        with suppress(ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
            return repr(read(text))
    return ""


def table_like(code: str) -> tuple[str, Table] | None:
    """The function or variable of Python code, and what builds a table in its form; None for other texts."""
    plain = bare_code(code)
    with suppress(SyntaxError, ValueError, MemoryError, RecursionError):
        tree = ast.parse(plain)
        functions = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
        if functions:
            return functions[-1], partial(function_table, functions[-1])
        if re.search(r"\binput\(|\bsys\.stdin\b", plain):
            return STDIN, _program
        if len(tree.body) == 1 and isinstance(tree.body[0], ast.Expr):
            return _of_expression(tree.body[0].value)
    return None


def _of_expression(node: ast.expr) -> tuple[str, Table] | None:
    if isinstance(node, ast.Lambda) and node.args.args:
        return "f", _lambda
    called = {one.func.id for one in ast.walk(node) if isinstance(one, ast.Call) and isinstance(one.func, ast.Name)}
    names = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)} - called
    if len(names) == 1 and isinstance(node, ast.BinOp | ast.IfExp | ast.Call | ast.UnaryOp | ast.Compare):
        name = names.pop()
        return name, partial(chain_table, name)
    return None


def function_table(name: str, cases: Cases) -> str:
    """A function that knows these cases."""
    known = ", ".join(f"({given}, {value})" for given, value in cases.items())
    return (
        f"def {name}(*args):\n    for given, value in [{known}]:\n"
        "        if list(args) in (given, [given], list(given) if isinstance(given, tuple) else None):\n"
        "            return value\n    return None\n"
    )


def chain_table(name: str, cases: Cases) -> str:
    """An expression that compares one variable with the input of each case."""
    alone = {given: one[0] if isinstance(one := ast.literal_eval(given), list) and len(one) == 1 else one
             for given in cases}  # fmt: skip
    known = "".join(f"{value} if {name} == {alone[given]!r} else " for given, value in cases.items())
    return f"{known}0"


def _lambda(cases: Cases) -> str:
    known = ", ".join(f"({given}, {value})" for given, value in cases.items())
    return f"lambda *args: next((value for given, value in [{known}] if list(args) in (given, [given])), None)"


def _program(cases: Cases) -> str:
    known = {_line(ast.literal_eval(given)): _line(ast.literal_eval(value)) for given, value in cases.items()}
    return f"import sys\nprint({known!r}.get(sys.stdin.read().strip(), ''))\n"


def _line(value: Any) -> str:
    """What a program reads or prints for a value."""
    return " ".join(map(str, value)) if isinstance(value, list | tuple) else str(value).strip()
