"""The probes: fresh processes that import and build the environment while other checks go on."""

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import weakref
from typing import Any

from grpo_env_sdk.checking.evidence.subject import Subject

HASH_SEEDS = {"quick": (1,), "default": (1,), "thorough": (1, 2, 3)}
"""The process under test has 0."""


def start_probes(subject: Subject) -> list["Probe"]:
    """The probes of this subject, begun when first asked for."""
    return subject.once(("contract", "probes"), lambda: [Probe(subject, seed) for seed in HASH_SEEDS[subject.effort]])


class Probe:
    """One process with a hash seed of its own."""

    def __init__(self, subject: Subject, hash_seed: int) -> None:
        self.hash_seed = hash_seed
        self._told: dict[str, Any] | None = None
        self._seconds = subject.settings.build_seconds
        self._folder = tempfile.mkdtemp(prefix="probe-")
        self._out = os.path.join(self._folder, "told.json")
        working = os.path.join(self._folder, "working")  # of its own, as imports may look for what they once wrote
        os.mkdir(working)
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "grpo_env_sdk.checking.evidence.import_probe"],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env=os.environ | {"PYTHONHASHSEED": str(hash_seed)},
        )  # fmt: skip
        weakref.finalize(self, _end, self._process, self._folder)
        order = {
            "sys_path": sys.path, "folder": working, "entry_point": subject.spec.entry_point,
            "spec": subject.spec.as_json(), "tokenizer": subject.tokenizer is not None, "out": self._out,
        }  # fmt: skip
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError), self._process.stdin as stdin:
            stdin.write(json.dumps(order).encode())

    def told(self) -> dict[str, Any]:
        """What it saw; nothing where it failed or took too long, which other checks tell of."""
        if self._told is None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(self._seconds)
            text = ""
            with contextlib.suppress(FileNotFoundError), open(self._out, encoding="utf-8") as file:
                text = file.read()
            self._told = json.loads(text) if text.endswith("}") else {}
        return self._told


def _end(process: "subprocess.Popen[bytes]", folder: str) -> None:
    """Leave neither the process nor its files behind."""
    process.kill()
    process.wait()
    shutil.rmtree(folder, ignore_errors=True)
