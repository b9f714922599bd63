"""A new environment package from templates: it can be installed, and passes its own tests."""

import keyword
import re
import shutil
import sys
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from string import Template

from grpo_env_sdk import __version__
from grpo_env_sdk.errors import UsageError, did_you_mean
from grpo_env_sdk.registry.entry_points import normalised
from grpo_env_sdk.registry.lookup import REGISTERED, specs, suggested_id
from grpo_env_sdk.registry.summaries import TO_REPLACE

KINDS = ("tools", "single-turn", "multi-turn", "plain")
_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


def init_package(name: str, kind: str = "tools", parent: Path = Path(), with_ci: bool = False) -> Path:
    """Create the package, and return its folder; existing files are never overwritten."""
    check_name(name)
    if kind not in KINDS:
        raise UsageError(f"No kind named {kind!r}.", did_you_mean(kind, KINDS) or f"There are {', '.join(KINDS)}.")
    folder = parent / name
    if folder.exists():
        raise UsageError(f"{str(folder)!r} already exists.", "Use another name, or move it away.")
    filled = {
        "dist": name, "package": name.replace("-", "_"), "id": f"{name}-v1", "next_id": f"{name}-v2",
        "cls": "".join(word.capitalize() for word in name.split("-")) + "Env", "sdk_version": __version__,
        "description": TO_REPLACE,
    }  # fmt: skip
    try:
        for target, source in _layout(filled["package"], kind, with_ci).items():
            path = folder / target
            path.parent.mkdir(parents=True, exist_ok=True)
            text = files("grpo_env_sdk").joinpath("scaffold", "templates", source).read_text(encoding="utf-8")
            path.write_text(Template(text).substitute(filled), encoding="utf-8")
    except BaseException as exc:
        shutil.rmtree(folder, ignore_errors=True)  # half a package would be in the way of the next try
        if not isinstance(exc, OSError):
            raise
        raise UsageError(f"{str(folder)!r} cannot be created: {exc}.", "Use a folder that you can write to.") from exc
    return folder


def check_name(name: str) -> None:
    """Raise if the name is not a valid package name, or its module or id is taken; the hint suggests one."""
    good = suggested_id(name).rpartition("-v")[0]
    if good and not good[0].isalpha():
        good = f"env-{good}"
    package = name.replace("-", "_")
    if not _NAME.fullmatch(name) or re.search(r"-v\d+\Z", name):
        raise UsageError(f"{name!r} is not a valid package name.", f"Use {good!r}: lowercase words and hyphens.")
    if keyword.iskeyword(package) or package in sys.stdlib_module_names or package in ("test", "tests"):
        raise UsageError(f"{name!r} would hide Python's own {package!r}.", f"Use {good + '-task'!r}.")
    found = find_spec(package)
    if found is not None and found.origin is not None:  # a folder of that name alone hides nothing
        raise UsageError(f"{name!r} would hide the installed package {package!r}.", f"Use {good + '-task'!r}.")
    others = [item.distribution or REGISTERED for item in specs() if item.id == f"{name}-v1"]
    if others and normalised(others[0]) != name:  # its own old installation is replaced by the next one
        raise UsageError(f"'{name}-v1' is already an environment of {others[0]}.", f"Use {good + '-task'!r}.")


def _layout(package: str, kind: str, with_ci: bool) -> dict[str, str]:
    """The template of each file of the package."""
    layout = {
        "pyproject.toml": "shared/pyproject.toml",
        "README.md": "shared/README.md",
        ".gitignore": "shared/gitignore",
        f"{package}/__init__.py": "shared/package_init.py",
        f"{package}/env.py": f"kinds/{kind}.py",
        "tests/test_env.py": "shared/test_env.py",
    }
    return {**layout, ".github/workflows/test.yml": "ci/test.yml"} if with_ci else layout
