"""`grpo-env list` with 200 installed environments, against `python -c pass`."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.benchmarks.table import Table

INSTALLED = 200


def measure() -> Table:
    """Wall time, the best of many runs of each, taken in turn."""
    with tempfile.TemporaryDirectory() as folder:
        install(Path(folder))
        commands = {
            "python -c pass": ["-c", "pass"],
            f"grpo-env list, {INSTALLED} environments": ["-m", "grpo_env_sdk", "list"],
            f"grpo-env list --json, {INSTALLED} environments": ["-m", "grpo_env_sdk", "list", "--json"],
        }
        best = dict.fromkeys(commands, float("inf"))
        for _ in range(25):
            for name, arguments in commands.items():
                best[name] = min(best[name], _seconds(arguments, folder))
    bare = best["python -c pass"]
    rows = [[name, f"{value * 1000:.0f} ms", f"{value / bare:.1f}"] for name, value in best.items()]
    return Table(
        "Listing environments",
        "Nothing is imported but what reads the metadata. To hold: at most 10 times.",
        ["command", "wall, best of 25", "times"],
        rows,
    )


def install(folder: Path) -> None:
    """Distributions as pip leaves them, each with one environment."""
    for i in range(INSTALLED):
        info = folder / f"grpo_env_fake{i}-0.{i}.dist-info"
        info.mkdir()
        body = "A long description.\n" * 100
        (info / "METADATA").write_text(f"Metadata-Version: 2.4\nName: grpo-env-fake{i}\nVersion: 0.{i}\n\n{body}")
        (info / "entry_points.txt").write_text(f"[grpo_env_sdk.envs]\nfake{i}-v1 = grpo_env_fake{i}:Env\n")
        (folder / f"grpo_env_fake{i}").mkdir()
        (folder / f"grpo_env_fake{i}" / "__init__.py").write_text("")


def _seconds(arguments: list[str], folder: str) -> float:
    environment = {**os.environ, "PYTHONPATH": folder}
    started = time.perf_counter()
    subprocess.run([sys.executable, *arguments], env=environment, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - started
