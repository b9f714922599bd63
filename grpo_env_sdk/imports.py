"""Importing other people's modules: under a deadline, with prints kept off stdout, and named in every error."""

import contextlib
import importlib
import os
import sys
from typing import Any

from grpo_env_sdk.blame import describe_error
from grpo_env_sdk.deadline import call_in_thread
from grpo_env_sdk.errors import BrokenPackageError, DeadlineError, did_you_mean

TIMEOUT_VARIABLE = "GRPO_ENV_IMPORT_TIMEOUT"


def import_object(target: str, whose: str) -> Any:
    """What `module` or `module:attribute` names, or a `BrokenPackageError` that says whose it is and why it failed."""
    module_name, _, attribute = target.partition(":")
    seconds = float(os.environ.get(TIMEOUT_VARIABLE, "120"))
    try:
        with contextlib.redirect_stdout(sys.stderr):
            module = call_in_thread(seconds, "the import", importlib.import_module, module_name)
    except DeadlineError as exc:
        raise BrokenPackageError(
            f"{whose}: importing {module_name} did not end within {seconds:g} s.",
            f"{TIMEOUT_VARIABLE}=SECONDS allows it more.",
        ) from exc
    except SystemExit as exc:
        raise BrokenPackageError(
            f"{whose}: importing {module_name} exits with {exc.code!r}.",
            "Move what runs at import into a function.",
        ) from exc
    except Exception as exc:
        raise BrokenPackageError(
            f"{whose}: {module_name} cannot be imported: {describe_error(exc)}.", _import_hint(exc)
        ) from exc
    return _attribute(module, attribute, whose) if attribute else module


def _attribute(module: Any, path: str, whose: str) -> Any:
    thing = module
    for name in path.split("."):
        if not hasattr(thing, name):
            public = [item for item in dir(thing) if not item.startswith("_")]
            raise BrokenPackageError(
                f"{whose}: {module.__name__} has no {path!r}.",
                did_you_mean(name, public) or "Correct the name after the colon.",
            )
        thing = getattr(thing, name)
    return thing


def _import_hint(exc: BaseException) -> str:
    if isinstance(exc, ModuleNotFoundError) and exc.name:
        return f"Is the package that brings {exc.name.partition('.')[0]!r} installed?"
    return "Mend or uninstall it."
