"""What the source of an environment's module shows, read without importing it: what is wrong, and its class."""

import ast
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import find_spec, resolve_name
from pathlib import Path

from grpo_env_sdk.errors import did_you_mean
from grpo_env_sdk.isolation.calls.tracebacks import describe_error
from grpo_env_sdk.types import EnvSpec

Find = Callable[[str], ModuleSpec | None]
"""What finds a package."""
_MOST_BYTES = 1_000_000
"""A larger file is data more than code, and takes seconds to parse."""
_DYNAMIC = {"__getattr__", "__path__", "exec", "globals", "locals", "modules", "setattr", "vars"}
"""A module that uses one of these may have names, or submodules, that its source does not show."""
_NAMED = (
    ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.ExceptHandler, ast.MatchAs, ast.MatchStar,
)  # fmt: skip
_INNER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


@dataclass(frozen=True, slots=True)
class _Source:
    """A module's source, and what each name is bound by outside of functions and classes."""

    tree: ast.Module
    bound: Mapping[str, Sequence[ast.AST]]
    set_later: Collection[str]
    """The attributes that it sets of any object."""
    dynamic: bool
    """Whether the module may get names that its source does not show."""


def with_source_faults(specs: Iterable[EnvSpec]) -> list[EnvSpec]:
    """The same environments; those whose module cannot be compiled or lacks the class have the reason as `error`."""
    return [_with_fault(spec) if spec.distribution and spec.status == "ok" else spec for spec in specs]


def docstring_of(entry_point: str) -> str:
    """The first line of the docstring of an entry point's class; empty where the source of its package shows none."""
    found = definition_of(entry_point)
    return (ast.get_docstring(found[1]) or "").split("\n")[0] if found else ""


def definition_of(entry_point: str, find: Find = find_spec) -> tuple[Path, ast.ClassDef | ast.FunctionDef] | None:
    """The file and the code of an entry point's class, wherever in its package; None where the source shows none."""
    module, _, name = entry_point.partition(":")
    package, followed = _top(module), set[str]()
    with suppress(SyntaxError):
        while module not in followed and _top(module) == package:
            followed.add(module)
            found = _place_of(module, find)
            source = _source_of(found) if isinstance(found, ModuleSpec) else None
            if not isinstance(found, ModuleSpec) or source is None or name not in source.bound:
                return None
            node = source.bound[name][-1]
            if isinstance(node, ast.ClassDef | ast.FunctionDef):
                return Path(str(found.origin)), node
            module, name = _imported_from(source, found, name) or (module, name)
    return None


def _with_fault(spec: EnvSpec) -> EnvSpec:
    module, _, attribute = spec.entry_point.partition(":")
    return replace(spec, error=_fault(module, attribute))


def _fault(module: str, attribute: str, followed: tuple[str, ...] = ()) -> str | None:
    """Why a module has no such attribute, as far as its source and what it imports from its own package show it."""
    try:
        found = _place_of(module)
        source = _source_of(found) if isinstance(found, ModuleSpec) else None
    except SyntaxError as exc:
        return describe_error(exc)
    if not isinstance(found, ModuleSpec):
        return found
    if source is None or source.dynamic:
        return None
    name, *inner = attribute.split(".")
    if name not in source.bound:
        if "*" in source.bound or _below(found, name):
            return None
        return f"{module} has no {name!r}. {did_you_mean(name, source.bound)}".strip()
    if inner and (lacks := _missing_in(source, name, inner)):
        return f"{module} has no {attribute!r}: {lacks}"
    next_one = _imported_from(source, found, name)
    if next_one is None or next_one[0] in followed or _top(next_one[0]) != _top(module):
        return None
    return _fault(*next_one, (*followed, module))


def _missing_in(source: _Source, name: str, inner: Sequence[str]) -> str | None:
    """What a class that the module defines, or a class in it, lacks; None where its body alone does not show that."""
    bound = source.bound
    for part in inner:
        node, *others = bound[name]
        if others or not isinstance(node, ast.ClassDef) or node.bases or node.keywords or node.decorator_list:
            return None
        bound = _by_name(_bound_in(node))
        if part not in bound:
            known = hasattr(type, part) or part in source.set_later
            return None if known else f"{name} has no {part!r}. {did_you_mean(part, bound)}".strip()
        name = part
    return None


def _top(module: str) -> str:
    return module.partition(".")[0]


def _place_of(module: str, find: Find = find_spec) -> ModuleSpec | str | None:
    """Where a module is, or why there is none; None where only an import would show it."""
    package, *inner = module.split(".")
    try:
        found = find(package)
    except (ImportError, ValueError):
        return None
    for name in inner:
        if found is None:
            return None
        below = _below(found, name)
        if below is None:
            source = _source_of(found)
            return None if source is None or source.dynamic else f"{found.name} has no module {name!r}"
        found = below
    return found


def _below(package: ModuleSpec, name: str) -> ModuleSpec | None:
    """Where a module of a package is, without importing the package."""
    whole, folders = f"{package.name}.{name}", list(package.submodule_search_locations or ())
    try:
        return PathFinder.find_spec(whole, folders)
    except KeyError:  # a folder without code, for which Python asks the package, and nobody has imported that
        found = ModuleSpec(whole, None)
        found.submodule_search_locations = [str(path) for folder in folders if (path := Path(folder, name)).is_dir()]
        return found


def _source_of(found: ModuleSpec) -> _Source | None:
    """The source of a module, or None where it has none to read; a `SyntaxError` where it cannot be compiled."""
    if not found.has_location or not str(found.origin).endswith(".py"):
        return None
    try:
        path = Path(str(found.origin))
        stat = path.stat()
        return _read(path, stat.st_mtime_ns, stat.st_size) if stat.st_size <= _MOST_BYTES else None
    except (OSError, RecursionError, MemoryError):
        return None
    except ValueError as exc:  # null bytes, in older versions of Python
        raise SyntaxError(str(exc), (found.origin, 1, None, None)) from exc


@lru_cache
def _read(path: Path, changed: int, size: int) -> _Source:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # such as of an invalid escape, which an import shows once
        tree = ast.parse(path.read_bytes(), str(path))
        compile(tree, str(path), "exec", dont_inherit=True)
    stored = {
        node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
    }
    words = ("id", "name", "attr")  # as in `exec(...)`, `def __getattr__`, `sys.modules`
    dynamic = any(getattr(node, word, None) in _DYNAMIC for node in ast.walk(tree) for word in words)
    return _Source(tree, _by_name(_bound(tree)), stored, dynamic)


def _by_name(bound: Iterable[tuple[str, ast.AST]]) -> dict[str, list[ast.AST]]:
    found: dict[str, list[ast.AST]] = {}
    for name, node in bound:
        found.setdefault(name, []).append(node)
    return found


def _bound(tree: ast.Module) -> Iterator[tuple[str, ast.AST]]:
    """Every name that the module binds outside of functions and classes, or in a function that declares it global."""
    yield from _bound_in(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Global):
            yield from ((name, node) for name in node.names)


def _bound_in(scope: ast.Module | ast.ClassDef) -> Iterator[tuple[str, ast.AST]]:
    """Every name that a module or a class binds outside of the functions and classes in it."""
    for node in _outer(scope):
        if isinstance(node, ast.Import):
            yield from ((alias.asname or _top(alias.name), node) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((alias.asname or alias.name, node) for alias in node.names)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id, node
        elif isinstance(node, _NAMED) and node.name:
            yield node.name, node


def _outer(node: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        yield child
        if not isinstance(child, _INNER):
            yield from _outer(child)


def _imported_from(source: _Source, found: ModuleSpec, name: str) -> tuple[str, str] | None:
    """The module and the name there, where one plain import of the module is all that binds a name."""
    node, *others = source.bound[name]
    if others or not isinstance(node, ast.ImportFrom) or node not in source.tree.body:
        return None
    package = found.name if found.submodule_search_locations else found.name.rpartition(".")[0]
    try:
        module = resolve_name("." * node.level + (node.module or ""), package) if node.level else str(node.module)
    except ImportError:  # beyond the package
        return None
    return module, next(alias.name for alias in node.names if (alias.asname or alias.name) == name)
