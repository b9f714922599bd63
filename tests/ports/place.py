"""A virtual environment for each port: what this checkout has, and the port's own packages before it."""

import json
import os
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.ports.port import HERE, Port


@dataclass(frozen=True)
class Place:
    """A folder with a virtual environment, and how `grpo-env` runs in it, in the folder of the ports."""

    folder: Path
    port: Port
    url: str | None = None

    @property
    def python(self) -> str:
        """The interpreter."""
        return str(self.folder / "bin" / "python") if self.port.packages else sys.executable

    def prepare(self) -> None:
        """Create it once; a port without packages needs none."""
        done = self.folder / "installed"
        if done.exists() or not self.port.packages:
            return
        subprocess.run([sys.executable, "-m", "venv", "--clear", self.folder], check=True)
        mine = sysconfig.get_path("purelib", vars={"base": str(self.folder)})
        Path(mine, "checkout.pth").write_text(f"import site; site.addsitedir({sysconfig.get_path('purelib')!r})\n")
        pip = [self.python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, *self.port.packages], check=True)
        if self.port.alone:
            subprocess.run([*pip, "--no-deps", *self.port.alone], check=True)
        done.touch()

    def run(self, *words: str | Path) -> subprocess.CompletedProcess[str]:
        """A Python command in it."""
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "NO_PROXY": "localhost,127.0.0.1"}
        return subprocess.run(
            [self.python, *map(str, words)], cwd=HERE, env=environment, capture_output=True, text=True, timeout=900
        )

    def grpo_env(self, command: str, *words: str | Path, target: str = "") -> Any:
        """What `grpo-env COMMAND ENV ... --json` prints; an exit code of 1 is an answer too."""
        config = ("--env-config", json.dumps({"url": self.url})) if self.url else ()
        ran = self.run("-m", "grpo_env_sdk", command, target or self.port.target, *config, *words, "--json")
        assert ran.returncode in (0, 1), ran.stderr
        assert ran.stdout, ran.stderr
        return json.loads(ran.stdout)
