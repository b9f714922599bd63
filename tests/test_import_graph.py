"""The layers of the core, and what importing it costs."""

import ast
import subprocess
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import grpo_env_sdk

PACKAGE = Path(grpo_env_sdk.__file__).parent

LAYERS = [
    ["errors", "types", "blame", "deadline", "awaiting", "chance", "fence"],
    [
        "environment", "dataset", "data", "messages", "docstrings", "type_schemas", "signatures", "schemas", "tools",
        "revive", "toolbox", "rewards", "scoring", "traits", "spaces", "config", "paper",
    ],
    ["multiturn", "toolenv", "singleturn"],
    ["installed", "imports", "hookspecs", "plugins", "registry", "loading", "scaffold"],
    ["episode", "runs"],
    ["pools", "loop", "hosting", "policies"],
    ["stats", "tally", "rollouts", "planning"],
    ["gymnasium_face", "gym", "evaluation", "rescoring", "comparing", "viewing", "checking"],
    ["cli", "__main__", "pytest_plugin"],
]  # fmt: skip
LAYER = {name: number for number, names in enumerate(LAYERS) for name in names}
HEAVY = ("torch", "transformers", "trl", "datasets", "gymnasium", "jsonschema", "numpy")


def modules() -> dict[str, ast.Module]:
    """Every module of the package but its front door, by dotted name within the package."""
    paths = [path for path in PACKAGE.rglob("*.py") if "templates" not in path.relative_to(PACKAGE).parts]
    names = {path: ".".join(path.relative_to(PACKAGE).with_suffix("").parts) for path in paths}
    return {
        name.removesuffix(".__init__"): ast.parse(path.read_text(encoding="utf-8"))
        for path, name in names.items()
        if name != "__init__"
    }


MODULES = modules()


def noun_of(module: str) -> str:
    """`policies.making` stands in the layer of `policies`."""
    return module.partition(".")[0]


def is_type_checking(node: ast.AST) -> bool:
    """Whether it is `if TYPE_CHECKING:`, whose imports never happen."""
    return isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")


def imports_of(tree: ast.AST, lazy: bool) -> set[str]:
    """The modules that a module imports, those inside functions too where `lazy`."""
    found: set[str] = set()
    for node in ast.iter_child_nodes(tree):
        if is_type_checking(node):
            continue
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif lazy or not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            found |= imports_of(node, lazy)
    return found


def own_imports(name: str, lazy: bool) -> set[str]:
    """Which modules of the package a module imports."""
    found = set()
    for target in imports_of(MODULES[name], lazy):
        parts = target.removeprefix("grpo_env_sdk.").split(".")
        if not target.startswith("grpo_env_sdk."):
            continue
        known = [".".join(parts[:end]) for end in range(len(parts), 0, -1) if ".".join(parts[:end]) in MODULES]
        found |= set(known[:1])
    return found


def test_every_module_has_a_layer():
    assert {noun_of(name) for name in MODULES} == set(LAYER)


@pytest.mark.parametrize("name", sorted(MODULES))
def test_imports_go_to_the_same_or_a_lower_layer(name):
    layer = LAYER[noun_of(name)]
    upward = {target for target in own_imports(name, lazy=True) if LAYER[noun_of(target)] > layer}
    assert not upward, f"{name} (layer {layer}) imports {', '.join(sorted(upward))} from above"


def test_no_modules_import_each_other_in_a_circle():
    graph = {name: own_imports(name, lazy=False) - {name} for name in MODULES}
    for name in graph:  # importing a submodule runs its package first
        package = name.rpartition(".")[0]
        graph[name] = {target for target in graph[name] if target != package}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as exc:
        pytest.fail(f"imported in a circle: {' -> '.join(exc.args[1])}")


def test_nouns_import_each_other_in_no_circle():
    nouns: dict[str, set[str]] = {noun_of(name): set() for name in MODULES}
    for name in MODULES:
        nouns[noun_of(name)] |= {noun_of(target) for target in own_imports(name, lazy=False)} - {noun_of(name)}
    try:
        TopologicalSorter(nouns).prepare()
    except CycleError as exc:
        pytest.fail(f"imported in a circle: {' -> '.join(exc.args[1])}")


@pytest.mark.parametrize("name", sorted(MODULES))
def test_the_core_never_imports_torch_or_trl(name):
    roots = {target.partition(".")[0] for target in imports_of(MODULES[name], lazy=True)}
    assert not roots & {"torch", "trl"}


def loaded_by(code: str) -> set[str]:
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
