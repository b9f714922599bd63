"""Writes grpo_env_gymnasium/index.json: which ids each version of Gymnasium registers, and what each needs.

pip install --no-deps --target versions/1.4.0 gymnasium==1.4.0   # and so on, a folder for each version
python make_index.py versions/*
"""

import json
import os
import subprocess
import sys
from pathlib import Path

FILE = Path(__file__).parent / "grpo_env_gymnasium" / "index.json"
EXTRAS = {"box2d": "Box2D", "mujoco": "mujoco", "jax": "jax"}
"""The extras of Gymnasium, and the module that is importable if one is installed."""
FOLDERS = {
    "toy_text": ("toy text", ""),
    "classic_control": ("classic control", ""),
    "box2d": ("Box2D", "box2d"),
    "mujoco": ("MuJoCo", "mujoco"),
    "phys2d": ("classic control, in JAX", "jax"),
    "tabular": ("toy text, in JAX", "jax"),
}
"""The folders of Gymnasium's environments: their summary, and the extra that they need."""
NO_TEXT = ("CarRacing",)
"""Environments whose observations are only images."""
REGISTERED = """
import gymnasium, json
specs = [one for one in gymnasium.registry.values() if isinstance(one.entry_point, str)]
told = [[one.id, one.namespace, one.name, one.version, one.entry_point] for one in specs]
print(json.dumps([gymnasium.__version__, told]))
"""


def main(folders: list[str]) -> None:
    """Write the index of these versions, the oldest first."""
    versions = sorted((read(folder) for folder in folders), key=lambda version: list(map(int, version[0].split("."))))
    found: dict[str, dict[str, object]] = {}
    for version, ids in versions:
        for id, folder in ids.items():
            summary, extra = FOLDERS[folder]
            entry = found.setdefault(id, {"id": id, "summary": f"Gymnasium, {summary}", "extra": extra, "versions": []})
            entry["versions"].append(version)
    index = {"versions": [version for version, _ in versions], "extras": EXTRAS, "environments": list(found.values())}
    FILE.write_text(json.dumps(index, indent=1) + "\n", encoding="utf-8")


def read(folder: str) -> tuple[str, dict[str, str]]:
    """The version in a folder, such as `1.4`, and the folder of the newest id of each name."""
    environment = {**os.environ, "PYTHONPATH": folder}
    printed = subprocess.run([sys.executable, "-c", REGISTERED], env=environment, stdout=subprocess.PIPE, check=True)
    version, told = json.loads(printed.stdout)
    newest: dict[tuple[str, str], int] = {}
    for _, namespace, name, number, _ in told:
        newest[namespace, name] = max(number or 0, newest.get((namespace, name), 0))
    ids = {
        id: entry_point.split(".")[2]
        for id, namespace, name, number, entry_point in told
        if number == newest[namespace, name] and name not in NO_TEXT
    }
    return ".".join(version.split(".")[:2]), ids


main(sys.argv[1:])
