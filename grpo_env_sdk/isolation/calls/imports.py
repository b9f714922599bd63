"""Imports of other people's modules: under a deadline, with prints on stderr, and errors that name the package."""

import contextlib
import importlib
import math
import os
import pkgutil
import sys
from collections.abc import Iterator
from typing import Any

from grpo_env_sdk.errors import BrokenPackageError, ConfigError, ContractError, DeadlineError, did_you_mean
from grpo_env_sdk.isolation.calls.deadline import call_in_thread
from grpo_env_sdk.isolation.calls.tracebacks import describe_error
from grpo_env_sdk.isolation.values.json_values import short_repr

TIMEOUT_VARIABLE = "GRPO_ENV_IMPORT_TIMEOUT"


def import_object(target: str, whose: str) -> Any:
    """What `module` or `module:attribute` names, or a `BrokenPackageError` that says whose it is and why it failed."""
    module_name, _, attribute = target.partition(":")
    seconds = _time_limit()
    what = module_name
    try:
        with contextlib.redirect_stdout(sys.stderr):
            thing = call_in_thread(seconds, f"importing {module_name}", importlib.import_module, module_name)
            if attribute:
                what = target  # a module may import its contents only now
                thing = call_in_thread(seconds, f"importing {target}", _attribute, thing, attribute, whose)
            return thing
    except (BrokenPackageError, ContractError):  # a ContractError names the class that it is about
        raise
    except DeadlineError as exc:
        raise BrokenPackageError(
            f"{whose}: importing {what} did not end within {seconds:g} s.",
            f"Set {TIMEOUT_VARIABLE}=SECONDS to allow more time.",
        ) from exc
    except Exception as exc:
        if isinstance(exc.__cause__, SystemExit):
            raise BrokenPackageError(
                f"{whose}: importing {what} exits with {short_repr(exc.__cause__.code)}.",
                "Move what runs at import into a function.",
            ) from exc
        raise BrokenPackageError(
            f"{whose}: {what} cannot be imported: {describe_error(exc)}.", _import_hint(exc)
        ) from exc


def _time_limit() -> float:
    text = os.environ.get(TIMEOUT_VARIABLE, "120")
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < math.inf:
        raise ConfigError(
            f"{TIMEOUT_VARIABLE} is {text!r}, not a number of seconds.", "Set it to seconds, such as 120."
        )
    return seconds


def _attribute(module: Any, path: str, whose: str) -> Any:
    thing = module
    for name in path.split("."):
        found = getattr(thing, name, _attribute)
        if found is _attribute:
            public = [item for item in dir(thing) if not item.startswith("_")]
            own = module.__name__.partition(".")[0] in sys.stdlib_module_names
            fix = f"{module.__name__} is Python's own: rename yours." if own else "Correct the name after the colon."
            if module.__name__ == "__main__":
                fix = "What a script or notebook defines is in its process alone: put it into a module, and name that."
            raise BrokenPackageError(f"{whose}: {module.__name__} has no {path!r}.", did_you_mean(name, public) or fix)
        thing = found
    return thing


def hidden_library(exc: BaseException) -> str:
    """What to do where a module of the author has the name of an installed package, which others import; else empty."""
    module = exc.name if isinstance(exc, ImportError) else getattr(getattr(exc, "obj", None), "__name__", None)
    file = getattr(sys.modules.get(str(module)), "__file__", None)
    if not isinstance(module, str) or file is None:
        return ""
    name = module.partition(".")[0]
    if name in sys.stdlib_module_names:
        hidden = "Python's own" if not _is_below(file, os.path.dirname(os.__file__)) else ""
    else:
        hidden = next((f"the installed package {each!r}" for each in _hidden_packages(name, file)), "")
    return hidden and f"{os.path.basename(file)} hides {hidden}: rename yours."


def _hidden_packages(name: str, file: str) -> Iterator[str]:
    """The installed packages that have a module of this name, which is not this file."""
    from importlib.metadata import distribution, packages_distributions  # slow, and only for a message

    for package in packages_distributions().get(name, ()):
        folder = str(distribution(package).locate_file(""))
        there = any(os.path.exists(os.path.join(folder, module)) for module in (name, f"{name}.py"))
        if there and not _is_below(file, folder):
            yield package


def _is_below(file: str, folder: str) -> bool:
    return os.path.realpath(file).startswith(os.path.realpath(folder) + os.sep)


def _import_hint(exc: BaseException) -> str:
    if hint := hidden_library(exc):
        return hint
    if not isinstance(exc, ModuleNotFoundError) or not exc.name:
        return "Fix it, or uninstall its package."
    package, _, name = exc.name.rpartition(".")
    folders = getattr(sys.modules.get(package), "__path__", None)
    if folders is None:
        return f"Is the package that provides {exc.name.partition('.')[0]!r} installed?"
    modules = [f"{package}.{item.name}" for item in pkgutil.iter_modules(folders)]
    return did_you_mean(exc.name, modules) or f"{package!r} has no module {name!r}."
