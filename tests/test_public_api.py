"""The names that anybody may rely on."""

import ast
import re
from importlib import import_module
from pathlib import Path

import pytest

import grpo_env_sdk

ROOT = Path(grpo_env_sdk.__file__).parent.parent
PLACES = (
    "*.md", "docs/*.md", "plugins/*/README.md", "example_envs/*/README.md", "example_envs/*/grpo_env_*/*.py",
    "grpo_env_sdk/scaffold/templates/**/*.py",
)  # fmt: skip
COPIED = sorted(path for place in PLACES for path in ROOT.glob(place))


def test_all_is_sorted_and_each_name_stands_once():
    assert grpo_env_sdk.__all__ == sorted(set(grpo_env_sdk.__all__))


def test_the_lazy_table_brings_exactly_what_all_says():
    assert list(grpo_env_sdk._HOMES) == grpo_env_sdk.__all__


def docstring_of(name):
    """What the module where a name is defined says of it: in a class, a function, or below an assignment."""
    home = f"grpo_env_sdk.{grpo_env_sdk._HOMES[name]}"
    module = getattr(getattr(grpo_env_sdk, name), "__module__", home)  # of a class or function: where it was written
    file = import_module(module if module.startswith("grpo_env_sdk.") else home).__file__
    body = ast.parse(Path(file).read_text(encoding="utf-8")).body
    for node, after in zip(body, [*body[1:], None], strict=True):
        if getattr(node, "name", None) == name and (doc := ast.get_docstring(node)):
            return doc
        if isinstance(node, ast.Assign) and node.targets[0].id == name and isinstance(after, ast.Expr):
            return ast.literal_eval(after.value)
    return None


@pytest.mark.parametrize("name", grpo_env_sdk.__all__)
def test_each_name_can_be_imported_and_says_what_it_is(name):
    assert getattr(grpo_env_sdk, name) is getattr(grpo_env_sdk, name)
    assert docstring_of(name)


def test_dir_shows_the_public_names_and_no_home_of_theirs():
    assert dir(grpo_env_sdk) == grpo_env_sdk.__all__
    modules = {path.stem for path in Path(grpo_env_sdk.__file__).parent.iterdir()}
    assert not modules & set(grpo_env_sdk.__all__)


def test_a_name_that_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'grpo_env_sdk' has no attribute 'maek'"):
        _ = grpo_env_sdk.maek


def test_type_checkers_see_the_same_names():
    tree = ast.parse(Path(grpo_env_sdk.__file__).read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    seen = {alias.name: node.module for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert seen == {name: f"grpo_env_sdk.{home}" for name, home in grpo_env_sdk._HOMES.items()}


def test_what_people_copy_imports_public_names_from_the_package_itself():
    line = re.compile(r"from grpo_env_sdk\.([\w.]+) import ([\w, ]+)")
    assert [
        f"{path.relative_to(ROOT)} imports {name} of {home}"
        for path in COPIED
        for home, names in line.findall(path.read_text(encoding="utf-8"))
        for name in names.split(", ")
        if grpo_env_sdk._HOMES.get(name) == home and home != "rewards"
    ] == []
