"""The sources of a module and of what it imports from the same place, found without importing any of them."""

import ast
from collections.abc import Iterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

MOST_FILES = 30


def sources_of(module: str) -> Iterator[str]:
    """The source of a module, then those of its package, or beside it, that it imports directly or through others."""
    top = module.partition(".")[0]
    found = find_spec(top)  # imports nothing
    if found is None or found.origin is None:
        return
    origin = Path(found.origin)
    place = origin.parents[1] if origin.name == "__init__.py" else origin.parent
    waiting, seen = [module], set[Path]()
    while waiting and len(seen) < MOST_FILES:
        name = waiting.pop(0)
        files = _files_of(name, place) if name.partition(".")[0] == top else _module_of(name, place)
        for file in [file for file in files if file not in seen]:
            seen.add(file)
            source = file.read_text(encoding="utf-8", errors="replace")
            yield source
            with suppress(SyntaxError, ValueError):
                waiting += _imported_by(source, file.parent.relative_to(place).parts)


def _files_of(module: str, place: Path) -> Iterator[Path]:
    """The files that importing a module runs: those of the packages around it, and its own."""
    path = place
    for part in module.split("."):
        path = path / part
        yield from (file for file in (path / "__init__.py", path.with_suffix(".py")) if file.is_file())


def _module_of(name: str, place: Path) -> list[Path]:
    """The file of a module beside, if there is one; packages beside are installed ones."""
    file = place / f"{name.partition('.')[0]}.py"
    return [file] if file.is_file() else []


def _imported_by(source: str, package: tuple[str, ...]) -> Iterator[str]:
    """The full names of the modules, and perhaps of what is in them, that a source imports."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            around = package[: len(package) - node.level + 1] if node.level else ()
            base = ".".join([*around, *filter(None, [node.module])])
            yield from (f"{base}.{alias.name}" if base else alias.name for alias in node.names)
