"""The stable surface for people who extend the SDK, and that the plugins of this repository use nothing else."""

import ast
from pathlib import Path

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


def test_each_name_can_be_imported():
    assert [name for name in ext.__all__ if getattr(ext, name) is not getattr(ext, name)] == []
    assert set(ext.__all__) <= set(dir(ext))


def test_type_checkers_see_the_same_names():
    tree = ast.parse(Path(ext.__file__).read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    seen = {alias.name: node.module for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert seen == {name: f"grpo_env_sdk.{home}" for name, home in ext._HOMES.items()}
    assert {*seen, "lazy_exports"} == set(ext.__all__)


def test_a_plugin_imports_the_public_package_and_ext_only():
    imported = {path: imports_of(ast.parse(path.read_text(encoding="utf-8"))) for path in PLUGINS}
    assert [
        f"{path.relative_to(ROOT)} imports {name}"
        for path, names in imported.items()
        for name in names
        if name.startswith("grpo_env_sdk") and name not in PUBLIC
    ] == []
