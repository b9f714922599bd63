"""Every third-party module that a package of this repository imports is declared in its `pyproject.toml`."""

import ast
import sys
import tomllib
from functools import cache
from importlib.metadata import packages_distributions

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.doc_blocks import ROOT
from tests.import_graph import imports_of

FILES = [
    *ROOT.glob("pyproject.toml"),
    *ROOT.glob("plugins/*/pyproject.toml"),
    *ROOT.glob("example_envs/*/pyproject.toml"),
]
PROJECTS = sorted(file.parent for file in FILES)
UNDECLARED = {
    ("grpo-env-sdk", "pytest"): "only `pytest_plugin.py` imports it, which pytest itself loads",
    ("grpo-env-trl", "vllm"): "the extra `vllm` brings it as one of TRL's",
}
"""What a project imports without declaring it, and why."""
installed = cache(packages_distributions)
"""Which distributions bring a module, by its name."""


def project_of(folder):
    return tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def declared(project):
    """The distributions that a project depends on, always or by an extra."""
    extras = project.get("optional-dependencies", {}).values()
    requirements = [*project.get("dependencies", ()), *(item for extra in extras for item in extra)]
    return {canonicalize_name(Requirement(item).name) for item in requirements}


@cache
def imported(folder):
    """The third-party modules that the packages of a project import, and one file that does."""
    packages = [path.parent for path in folder.glob("grpo_env*/__init__.py")]
    assert packages, folder
    found = {}
    for package in packages:
        for file in sorted(package.rglob("*.py")):
            if "templates" not in file.parts:
                for module in imports_of(ast.parse(file.read_text(encoding="utf-8"))):
                    found.setdefault(module.partition(".")[0], file.relative_to(ROOT))
    own = {package.name for package in packages}
    return {module: file for module, file in found.items() if module not in sys.stdlib_module_names | own}


def undeclared(folder):
    """The imports of a project that no distribution it declares brings."""
    project = project_of(folder)
    known = declared(project)
    return {
        module: str(file)
        for module, file in imported(folder).items()
        if not known & {canonicalize_name(name) for name in installed().get(module, [module])}
        and (project["name"], module) not in UNDECLARED
    }


@pytest.mark.parametrize("folder", PROJECTS, ids=lambda folder: folder.name)
def test_what_a_package_imports_is_declared(folder):
    assert undeclared(folder) == {}


def test_an_import_inside_a_function_is_found(tmp_path, monkeypatch):
    package = tmp_path / "grpo_env_new"
    package.mkdir()
    (package / "__init__.py").write_text("def late():\n    import yaml\n    import json\n    import pluggy\n")
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "new"\ndependencies = ["pluggy>=1"]\n')
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    assert undeclared(tmp_path) == {"yaml": "grpo_env_new/__init__.py"}


@pytest.mark.parametrize(("name", "module"), UNDECLARED)
def test_every_exception_is_still_needed(name, module):
    (folder,) = [folder for folder in PROJECTS if project_of(folder)["name"] == name]
    assert module in imported(folder)
    assert module not in declared(project_of(folder))
