"""Peak memory of `grpo-env view --export` for a run of 100,000 episodes."""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from grpo_env_sdk import evaluate
from tests.benchmarks.table import Table

EPISODES = 100_000
GRPO_ENV = Path(sys.executable).with_name("grpo-env")


def measure() -> Table:
    """The size of the run and of the page, and the time and the peak memory of the command."""
    with tempfile.TemporaryDirectory() as folder:
        run, page = Path(folder) / "run", Path(folder) / "page.html"
        evaluate("hotel-v1", "gold", split="all", out=run)
        written = _repeated(run / "episodes.jsonl")
        started = time.perf_counter()
        child = subprocess.Popen([GRPO_ENV, "view", run, "--export", page], stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - started
        assert status == 0, status
        row = [
            f"{EPISODES:,}", f"{written / 2**20:,.0f} MiB", f"{page.stat().st_size / 2**20:,.0f} MiB",
            f"{usage.ru_maxrss / 2**10:,.0f} MiB", f"{seconds:.0f} s",
        ]  # fmt: skip
    return Table(
        "Exporting a run",
        "`grpo-env view RUN --export FILE` for episodes of `hotel-v1`. Peak of the command. To hold: 512 MiB. "
        "It takes minutes, so `make bench` leaves it out: `python -m tests.benchmarks exported_page` measures it.",
        ["episodes", "run", "page", "peak memory", "wall"],
        [row],
    )


def _repeated(path: Path) -> int:
    """The bytes of the file once its episodes are there as often as needed, each in a row of its own."""
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    with path.open("w", encoding="utf-8") as file:
        for at in range(EPISODES):
            file.write(json.dumps({**records[at % len(records)], "row_index": at}) + "\n")
    return path.stat().st_size
