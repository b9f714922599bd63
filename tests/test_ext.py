"""The stable surface for people who extend the SDK, and that the plugins of this repository use nothing else."""

import ast
from pathlib import Path

import pytest

import grpo_env_sdk
from grpo_env_sdk import ext
from tests.import_graph import imports_of

ROOT = Path(__file__).parents[1]
PLUGINS = sorted(path for path in (ROOT / "plugins").glob("*/grpo_env_*/**/*.py"))
PUBLIC = {
    *(f"grpo_env_sdk.{name}" for name in grpo_env_sdk.__all__),
    *(f"grpo_env_sdk.ext.{name}" for name in ext.__all__),
    "grpo_env_sdk",
    "grpo_env_sdk.__version__",
    "grpo_env_sdk.ext",
}


def test_all_is_sorted_and_shares_no_name_with_the_package():
    constants_then_classes = sorted(set(ext.__all__), key=lambda name: (not name.isupper(), name[0].islower(), name))
    assert ext.__all__ == constants_then_classes  # as the linter sorts them
    assert not set(ext.__all__) & set(grpo_env_sdk.__all__)


@pytest.mark.parametrize("name", ext.__all__)
def test_each_name_can_be_imported(name):
    assert getattr(ext, name) is getattr(ext, name)
    assert name in dir(ext)


def test_type_checkers_see_the_same_names():
    tree = ast.parse(Path(ext.__file__).read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    seen = {alias.name: node.module for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert seen == {name: f"grpo_env_sdk.{home}" for name, home in ext._HOMES.items()}
    assert {*seen, "lazy_exports"} == set(ext.__all__)


@pytest.mark.parametrize("path", PLUGINS, ids=lambda path: "/".join(path.parts[-3:]))
def test_a_plugin_imports_the_public_package_and_ext_only(path):
    imported = imports_of(ast.parse(path.read_text(encoding="utf-8")))
    private = {name for name in imported if name.startswith("grpo_env_sdk")} - PUBLIC
    assert not private
