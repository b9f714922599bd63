"""A virtual environment of its own, in which what is tested is installed as a user would install it."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PACKAGES = (".", "plugins/grpo-env-reasoning-gym[all]", "plugins/grpo-env-gymnasium")
SHOWN = ("grpo-env-sdk", "reasoning-gym", "gymnasium")


@dataclass(frozen=True)
class Place:
    """The environment's folder, and what is run in it."""

    folder: Path

    @property
    def python(self) -> str:
        """The interpreter."""
        return str(self.folder.absolute() / "bin" / "python")

    def prepare(self, source: Path) -> None:
        """Make it and install the packages of a checkout into it, not editable; once."""
        done = self.folder / "installed"
        if done.exists():
            return
        subprocess.run([sys.executable, "-m", "venv", str(self.folder)], check=True)
        wanted = [str(source.absolute() / package) for package in PACKAGES]
        subprocess.run([self.python, "-m", "pip", "install", "--quiet", "datasets", *wanted], check=True)
        done.touch()

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """What a Python command of it printed, run at low priority on one thread outside of any checkout."""
        return subprocess.run(
            ["nice", "-n", "3", self.python, *arguments],
            cwd=self.folder, env={**os.environ, "OMP_NUM_THREADS": "1"}, capture_output=True, text=True, check=False,
        )  # fmt: skip

    def grpo_env(self, *arguments: str) -> Any:
        """What `grpo-env ... --json` answers, without the folder's own path."""
        ran = self.run("-m", "grpo_env_sdk", *arguments, "--json")
        if not ran.stdout.strip():
            raise RuntimeError(f"grpo-env {' '.join(arguments)} printed nothing: {ran.stderr[-500:]}")
        return json.loads(ran.stdout.replace(f"{self.folder.absolute()}/", ""))

    def versions(self) -> dict[str, str]:
        """The versions of what matters."""
        code = f"from importlib.metadata import version; import json; print(json.dumps([version(n) for n in {SHOWN}]))"
        return dict(zip(SHOWN, json.loads(self.run("-c", code).stdout), strict=True))
