"""The modules of a package and what each imports, inside functions and under `TYPE_CHECKING` too.

`python -m tests.import_graph grpo_env_sdk` prints the rooms of a package, the arrows between them, and every cycle.
"""

import ast
import sys
from collections.abc import Callable, Iterable, Mapping
from graphlib import CycleError, TopologicalSorter
from importlib.util import find_spec
from pathlib import Path

NO_CODE = ("templates",)
"""Folders of a package that hold no module of it."""


class Package:
    """The modules of an installed package by dotted name within it, its own `__init__` as an empty name."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._imports: dict[str, set[str]] = {}
        found = find_spec(name)
        root = Path(((found and found.submodule_search_locations) or [])[0])
        self.trees: dict[str, ast.Module] = {}
        for path in sorted(root.rglob("*.py")):
            parts = path.relative_to(root).with_suffix("").parts
            if not set(NO_CODE) & set(parts):
                module = ".".join(parts).removesuffix("__init__").removesuffix(".")
                self.trees[module] = ast.parse(path.read_text(encoding="utf-8"))

    def imports(self, module: str) -> set[str]:
        """Which modules of the package a module imports anywhere in it; its parents' `__init__` aside."""
        if module not in self._imports:
            self._imports[module] = self._imported_by(module)
        return self._imports[module]

    def _imported_by(self, module: str) -> set[str]:
        found = set()
        for target in imports_of(self.trees[module]):
            if target != self.name and not target.startswith(f"{self.name}."):
                continue
            parts = target.removeprefix(self.name).removeprefix(".").split(".")
            known = [".".join(parts[:end]) for end in range(len(parts), -1, -1) if ".".join(parts[:end]) in self.trees]
            found |= set(known[:1])
        return {target for target in found if target != module and not module.startswith(f"{target}.") and target}

    def graph(self, room_of: Callable[[str], str] = lambda module: module) -> dict[str, set[str]]:
        """What imports what, module by module, or room by room."""
        rooms: dict[str, set[str]] = {}
        for module in self.trees:
            arrows = {room_of(target) for target in self.imports(module)} - {room_of(module)}
            rooms.setdefault(room_of(module), set()).update(arrows)
        rooms.pop("", None)  # the front door re-exports everything
        return rooms


def imports_of(tree: ast.AST, lazy: bool = True, typing: bool = True) -> set[str]:
    """The modules that a module imports, those inside functions too where `lazy`, those for types where `typing`."""
    found: set[str] = set()
    for node in ast.iter_child_nodes(tree):
        if not typing and isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
            continue
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            if node.level:  # only in the scripts for the sandbox, which are no part of the package where they run
                continue
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif lazy or not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            found |= imports_of(node, lazy, typing)
    return found


def folder_of(module: str) -> str:
    """The folder that a module is in, `checking.score` for `checking.score.values`; a module at the top is a room."""
    return module.rpartition(".")[0] or module


def cycle_in(graph: Mapping[str, Iterable[str]]) -> list[str]:
    """The names along one cycle, or an empty list."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as exc:
        return list(exc.args[1])
    return []


def main() -> None:
    """Print the rooms of each package that is named."""
    for name in sys.argv[1:]:
        package = Package(name)
        rooms = package.graph(folder_of)
        for room in sorted(rooms):
            print(f"{name}.{room} -> {', '.join(sorted(rooms[room])) or '(nothing)'}")
        arrows = sum(len(targets) for targets in rooms.values())
        print(f"{name}: {len(package.trees)} modules, {len(rooms)} rooms, {arrows} arrows")
        print(f"  cycle of modules: {' -> '.join(cycle_in(package.graph())) or 'none'}")
        print(f"  cycle of rooms: {' -> '.join(cycle_in(rooms)) or 'none'}")


if __name__ == "__main__":
    main()
