"""Whether each parameter of the config is read somewhere in the environment's code."""

import ast
import inspect
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.envs.config import parameters_of
from grpo_env_sdk.isolation.author_code.author_globals import packages_of
from grpo_env_sdk.late_patterns import regex

DECLARED = (
    *("max_turns", "reward_range", "runs_tools", "parallel", "view", "user", "rewards", "metrics", "toolbox"),
    *("max_live", "call_seconds", "episode_seconds"),
)
"""Attributes that the SDK reads of any class."""
_ANY_NAME = regex(r"\b(getattr|vars|locals|asdict|__dict__|__getattr\w*)\b|\*\*\s*(self|kwargs|config)\b")
"""Code that may read an attribute without naming it."""
MOST_CHARS = 2_000_000


@check("C128", needs=("rows",), severity="error")
def every_parameter_of_config_is_read(subject: Subject) -> Iterator[Finding]:
    """No parameter of the constructor is only stored: something in the environment's code reads it."""
    for name in unread_parameters(subject):
        yield Finding(
            f"The parameter {name!r} of {subject.cls.__name__} changes nothing: no code reads it.",
            "Use it, or remove it: whoever sets it expects another environment.",
            input={name: subject.spec.config.get(name)},
        )


def unread_parameters(subject: Subject) -> list[str]:
    """The parameters of the constructor that no code reads but to store or to check them."""
    if not isinstance(subject.cls, type):
        return []
    owner = next((cls for cls in subject.cls.__mro__ if "__init__" in vars(cls)), object)
    own, source = _sources(subject.cls)
    constructor = _constructor(owner) if owner is subject.cls and source and not _ANY_NAME.search(own) else None
    if constructor is None:
        return []
    names = [name for name in parameters_of(subject.cls) if name not in DECLARED]
    return [name for name in names if _only_stored(subject.cls, name, constructor, source)]


def _only_stored(cls: type, name: str, constructor: ast.FunctionDef, source: str) -> bool:
    """Whether a parameter is read at most to be stored on self, under a name that is read nowhere."""
    stores = [
        (value, target.attr)
        for target, value in _assigned(constructor)
        if _reads(value, name) and isinstance(target, ast.Attribute)
    ]
    stored_as = Counter(attribute for _, attribute in stores)
    if any(attribute in DECLARED or hasattr(cls, attribute) for attribute in stored_as):
        return False  # others may read what a class declares
    known = sum(_reads(value, name) for value, _ in stores) + sum(_reads(test, name) for test in _refusals(constructor))
    return _reads(constructor, name) == known and not any(
        len(re.findall(rf"(?:\.{attribute}\b|[\"']{attribute}[\"'])", source)) > times
        for attribute, times in stored_as.items()
    )


def _reads(node: ast.AST, name: str) -> int:
    """How often a piece of code reads a name."""
    return sum(isinstance(one, ast.Name) and one.id == name for one in ast.walk(node))


def _refusals(constructor: ast.FunctionDef) -> list[ast.AST]:
    """The conditions that only raise: they check a value, and change nothing."""
    return [
        node for node in ast.walk(constructor)
        if isinstance(node, ast.If) and not node.orelse and all(isinstance(one, ast.Raise) for one in node.body)
    ]  # fmt: skip


def _assigned(constructor: ast.FunctionDef) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Each target of an assignment with its value, those of `self.a, self.b = a, b` one by one."""
    for node in ast.walk(constructor):
        if not isinstance(node, ast.Assign):
            continue
        for target in node.targets:
            if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                yield from zip(target.elts, node.value.elts, strict=False)
            else:
                yield target, node.value


def _constructor(owner: type) -> ast.FunctionDef | None:
    """The source of a class's constructor, if there is one that can be read."""
    try:
        tree = ast.parse(inspect.cleandoc("\n" + inspect.getsource(vars(owner)["__init__"])))
    except (OSError, TypeError, KeyError, SyntaxError, IndentationError):
        return None
    return next((node for node in tree.body if isinstance(node, ast.FunctionDef)), None)


def _sources(cls: type) -> tuple[str, str]:
    """The source of the modules of a class and its bases, and of all of its package; empty if a base is of others."""
    roots = packages_of(cls)
    if roots != {cls.__module__.partition(".")[0]}:
        return "", ""
    modules = {base.__module__ for base in cls.__mro__ if base.__module__.partition(".")[0] in roots}
    own = [Path(getattr(sys.modules.get(name), "__file__", None) or "") for name in sorted(modules)]
    packaged = [file for path in own if (path.parent / "__init__.py").is_file() for file in path.parent.glob("*.py")]
    return _text(own), _text([*own, *packaged])


def _text(files: Iterable[Path]) -> str:
    try:
        return "\n".join(file.read_text(encoding="utf-8") for file in sorted(set(files)) if file.is_file())[:MOST_CHARS]
    except (OSError, UnicodeError):
        return ""
