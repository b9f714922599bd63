"""Writes `grpo_env_reasoning_gym/index.json`: each dataset, its category, and the first release that has it.

python make_index.py 0.1.19 0.1.21 0.1.23 0.1.25   # releases, oldest first; their wheels are read, not imported
"""

import ast
import json
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

INDEX = Path(__file__).parent / "grpo_env_reasoning_gym" / "index.json"
MIXTURES = {"composite"}
"""Datasets without tasks of their own and without a default config."""


def main(releases: list[str]) -> None:
    """Read the releases and write the index."""
    found: dict[str, dict[str, str]] = {}
    for release in releases:
        for name, category in datasets_in(wheel_of(release)):
            found.setdefault(name, {"category": category, "since": release})
            found[name]["category"] = category
    kept = {name: found[name] for name in sorted(found) if name not in MIXTURES}
    INDEX.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    print(f"{len(kept)} datasets of reasoning-gym {releases[0]} to {releases[-1]}")


def wheel_of(release: str) -> Path:
    """The wheel of a release, from the package index that pip uses."""
    folder = tempfile.mkdtemp()
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
    subprocess.run([*command, "--dest", folder, f"reasoning-gym=={release}"], check=True)
    return next(Path(folder).glob("*.whl"))


def datasets_in(wheel: Path) -> Iterator[tuple[str, str]]:
    """The name and the category of every dataset that the modules of a wheel register."""
    with zipfile.ZipFile(wheel) as archive:
        for path in archive.namelist():
            if path.endswith(".py"):
                category = path.split("/")[1].removesuffix(".py")
                for name in _registered(ast.parse(archive.read(path))):
                    yield name, category


def _registered(module: ast.Module) -> Iterator[str]:
    constants = {
        target.id: node.value.value
        for node in module.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(module):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "register_dataset":
            name = node.args[0]
            yield str(name.value if isinstance(name, ast.Constant) else constants[name.id])


if __name__ == "__main__":
    main(sys.argv[1:])
