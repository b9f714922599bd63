"""The layers of the core, the rooms of each plugin, and what importing costs."""

import subprocess
import sys
from functools import cache

import pytest

from tests.import_graph import Package, cycle_in, folder_of, imports_of

LAYERS = [
    ["errors", "types", "hookspecs", "lazy_exports"],
    ["plain_text", "late_patterns", "flags_as_arguments", "files", "report", "isolation", "images", "runs"],
    ["data", "registry"],
    ["tools", "rewards", "views"],
    ["envs", "policies"],
    ["rollout"],
    ["evaluation"],
    ["checking", "viewing", "scaffold"],
    ["gym", "cli", "__main__", "pytest_plugin", "ext"],
]
LAYER = {name: number for number, names in enumerate(LAYERS) for name in names}
PACKAGES = ("grpo_env_sdk", "grpo_env_trl", "grpo_env_gymnasium", "grpo_env_ray", "grpo_env_reasoning_gym")
HEAVY = ("torch", "transformers", "trl", "datasets", "gymnasium", "jsonschema", "numpy")

package_named = cache(Package)
"""A package, read once for all tests of it."""


def core():
    return package_named("grpo_env_sdk")


def layer_of(module):
    """`policies.make` is in the layer of `policies`."""
    return LAYER[module.partition(".")[0]]


def test_every_module_has_a_layer():
    assert {module.partition(".")[0] for module in core().trees} - {""} <= set(LAYER)


def test_imports_go_to_the_same_or_a_lower_layer():
    upward = {
        f"{module} (layer {layer_of(module)}) imports {target} from above"
        for module in set(core().trees) - {""}
        for target in core().imports(module)
        if layer_of(target) > layer_of(module)
    }
    assert upward == set()


@pytest.mark.parametrize("name", PACKAGES)
def test_no_modules_import_each_other_in_a_circle(name):
    assert cycle_in(package_named(name).graph()) == []


@pytest.mark.parametrize("name", PACKAGES)
def test_no_folders_import_each_other_in_a_circle(name):
    assert cycle_in(package_named(name).graph(folder_of)) == []


def test_a_circle_is_found_behind_functions_and_types(tmp_path, monkeypatch):
    package = tmp_path / "round_about"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "one.py").write_text("def late():\n    from round_about import two\n")
    (package / "two.py").write_text(
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from round_about.one import late\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    assert set(cycle_in(Package("round_about").graph())) == {"one", "two"}


def test_the_core_never_imports_torch_or_trl():
    imported = {
        module: {target.partition(".")[0] for target in imports_of(tree)} for module, tree in core().trees.items()
    }
    assert [module for module, roots in imported.items() if roots & {"torch", "trl"}] == []


def loaded_by(code):
    """The top-level modules that a fresh process has after running `code`."""
    program = f"{code}\nimport sys\nprint('\\n' + ' '.join({{name.partition('.')[0] for name in sys.modules}}))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines()[-1].split())


def test_importing_the_sdk_imports_nothing_heavy():
    assert not loaded_by("import grpo_env_sdk") & {*HEAVY, "rich", "pluggy", "asyncio"}


def test_listing_imports_nothing_heavy():
    loaded = loaded_by("from grpo_env_sdk.cli import main; assert main(['list', '--json']) == 0")
    assert not loaded & {*HEAVY, "asyncio", "aiohttp", "rich"}


def test_importing_the_sdk_by_a_name_does_not_import_gymnasium():
    assert "gymnasium" not in loaded_by("from grpo_env_sdk import make, reward, specs, tool; specs()")
