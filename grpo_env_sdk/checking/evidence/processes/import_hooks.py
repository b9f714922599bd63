"""What is done around the import of a package, whoever imports it."""

import sys
from collections.abc import Callable, Collection
from contextlib import AbstractContextManager
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any


class _AroundImport(MetaPathFinder):
    """Finds some packages as they are usually found, and loads them within a context manager."""

    def __init__(self, names: Collection[str], around: Callable[[], AbstractContextManager[None]]) -> None:
        self._names, self._around = names, around

    def find_spec(self, name: str, path: Any, target: ModuleType | None = None) -> ModuleSpec | None:
        """The usual spec of such a package; None for all others."""
        spec = PathFinder.find_spec(name, path, target) if name in self._names else None
        if spec is None or spec.loader is None:
            return None
        load = spec.loader.exec_module

        def exec_module(module: ModuleType) -> None:
            with self._around():
                load(module)

        spec.loader.exec_module = exec_module  # type: ignore[method-assign]  # of this one module
        return spec


def around_import(names: Collection[str], around: Callable[[], AbstractContextManager[None]]) -> None:
    """From now on, enter `around` while one of these packages is imported for the first time in this process."""
    sys.meta_path.insert(0, _AroundImport(names, around))
