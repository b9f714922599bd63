"""Public names of a package that are imported when they are first used."""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy_exports(
    package: str, homes: Mapping[str, str], module: str | None = None
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The `__getattr__` and `__dir__` of a package, or of a `module` of it, given the submodule that defines each name.

    ```python
    __getattr__, __dir__ = lazy_exports(__name__, {"Toolbox": "tools.toolbox"})
    ```

    A name that is also the name of its submodule must be imported eagerly instead: importing the submodule would
    replace it.
    """

    def get(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {(module or package)!r} has no attribute {name!r}")
        value = getattr(import_module(f"{package}.{homes[name]}"), name)
        setattr(sys.modules[module or package], name, value)
        return value

    def names() -> list[str]:
        return sorted(sys.modules[module or package].__all__)

    return get, names
