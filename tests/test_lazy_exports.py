"""Packages that import their public names when they are first used."""

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

LAZY = ("grpo_env_sdk", "grpo_env_sdk.rewards", "grpo_env_sdk.policies", "grpo_env_sdk.checking", "grpo_env_trl")


def run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()


@pytest.mark.parametrize("name", LAZY)
def test_every_public_name_is_there_and_dir_lists_them(name):
    package = import_module(name)
    assert dir(package) == sorted(package.__all__)
    for public in package.__all__:
        assert getattr(package, public) is not None


@pytest.mark.parametrize("name", LAZY)
def test_a_name_that_is_not_there_is_an_attribute_error_that_says_where(name):
    with pytest.raises(AttributeError, match=f"module '{name}' has no attribute 'nothing_here'"):
        _ = import_module(name).nothing_here


@pytest.mark.parametrize("name", LAZY[:-1])
def test_type_checkers_see_the_names_that_the_package_has(name):
    package = import_module(name)
    tree = ast.parse(Path(package.__file__).read_text(encoding="utf-8"))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module.startswith(name)]
    seen = {alias.name for node in imports for alias in node.names} | {"Turn", "lazy_exports"}
    assert set(package.__all__) <= seen


@pytest.mark.parametrize(("submodule", "name"), [
    ("grpo_env_sdk.rewards.reward", "reward"), ("grpo_env_sdk.checking.check", "check")
])  # fmt: skip
def test_a_function_named_as_its_submodule_stays_the_function(submodule, name):
    package = submodule.rpartition(".")[0]
    code = f"import {submodule}; from {package} import {name}; print(type({name}).__name__)"
    assert run(code) == ["function"]


def test_importing_a_lazy_package_imports_only_what_is_used():
    code = "import sys, grpo_env_sdk.policies; print('grpo_env_sdk.policies.make' in sys.modules)"
    assert run(code) == ["False"]
    code = "import sys; from grpo_env_sdk.rewards import reward; print('grpo_env_sdk.rewards.formats' in sys.modules)"
    assert run(code) == ["False"]


def test_few_checks_are_found_without_the_modules_of_the_others():
    code = (
        "import sys; from grpo_env_sdk.checking.check import checks_of; "
        "print(*(one.id for one in checks_of(['S201', 'C101'])), 'grpo_env_sdk.checking.score.parallel' in sys.modules)"
    )
    assert run(code) == ["S201", "C101", "False"]
