"""What `grpo-env train hotel-v1` comes to, seed by seed; also draws docs/assets/demo-curve.svg."""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from statistics import mean
from typing import Any

from grpo_env_sdk.report.exhibits import Plot
from grpo_env_sdk.report.svg import svg
from tests.benchmarks.page import DOCS
from tests.benchmarks.table import Table

SEEDS = range(5)
CURVE = DOCS / "assets" / "demo-curve.svg"
DRAWN = (":root", "svg", ".line", ".band")
"""Which rules of the page's style sheet are about drawings."""
PAPER = (
    "svg { background: #fff; color: #1c2024; font-family: system-ui, sans-serif; }\n"
    "@media (prefers-color-scheme: dark) { svg { background: #1c2024; color: #e6e6e6; } }"
)
Curve = Sequence[tuple[float, float]]


@dataclass(frozen=True)
class Trained:
    """One run of the command, and what it took."""

    seed: int
    before: dict[str, Any]
    after: dict[str, Any]
    wall: float
    cpu: float
    mebibytes: float
    rewards: Curve

    @property
    def cells(self) -> list[str]:
        """Its row of the table."""
        held = [f"{side[name]:.2f}" for name in ("mean", "greedy") for side in (self.before, self.after)]
        return [str(self.seed), *held, f"{self.cpu:.0f} s", f"{self.wall:.0f} s", f"{self.mebibytes:.0f} MiB"]


def measure() -> Table:
    """Held-out reward before and after, CPU and memory of five seeds."""
    with tempfile.TemporaryDirectory() as folder:
        runs = [train(seed, Path(folder) / str(seed)) for seed in SEEDS]
    CURVE.write_text(drawing([run.rewards for run in runs]), encoding="utf-8")
    return Table(
        "The demo model, five seeds",
        "`grpo-env train hotel-v1 --seed N`, everything in it: demonstrations, warm start, 120 steps of GRPO, and the "
        "mean reward on held-out rows before and after, sampled and greedy. CPU, time and peak memory are of the whole "
        "command. It takes minutes, so `make bench` leaves it out: `python -m tests.benchmarks demo_seeds` measures it "
        "and draws the curve.\n\n"
        "![The reward of each training step, the mean of five seeds and their range](assets/demo-curve.svg)",
        ["seed", "sampled before", "after", "greedy before", "after", "CPU", "time", "peak memory"],
        [run.cells for run in runs],
    )


def train(seed: int, folder: Path) -> Trained:
    """Run the command in a process of its own."""
    started = time.perf_counter()
    words = ["train", "hotel-v1", "--seed", str(seed), "--out", str(folder), "--json", "--quiet"]
    process = subprocess.Popen([sys.executable, "-m", "grpo_env_sdk", *words], stdout=subprocess.PIPE, text=True)
    assert process.stdout
    told = process.stdout.read()
    _, status, used = os.wait4(process.pid, 0)
    wall = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, told
    found = json.loads(told)
    logged = map(json.loads, (folder / "metrics.jsonl").read_text(encoding="utf-8").splitlines())
    rewards = [(line["step"], line["reward"]) for line in logged if "reward" in line]
    cpu, mebibytes = used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
    return Trained(seed, **found["heldout"], wall=wall, cpu=cpu, mebibytes=mebibytes, rewards=rewards)


def drawing(curves: Sequence[Curve]) -> str:
    """The mean of the curves and the range that they cover, as a drawing that stands alone."""
    steps = [(step, [curve[place][1] for curve in curves]) for place, (step, _) in enumerate(curves[0])]
    name = f"mean of {len(curves)} seeds"
    plot = Plot(
        "Reward of a training step of hotel-v1",
        {name: [(step, mean(values)) for step, values in steps]},
        x="step", y="reward", bands={name: [(step, min(values), max(values)) for step, values in steps]},
    )  # fmt: skip
    sheet = files("grpo_env_sdk.report").joinpath("page.css").read_text(encoding="utf-8")
    rules = "\n".join([PAPER, *(line for line in sheet.splitlines() if line.startswith(DRAWN))])
    opening, content = svg(plot).split(">", 1)
    return f'{opening} xmlns="http://www.w3.org/2000/svg">\n<style>\n{rules}\n</style>{content}\n'
