"""What `grpo-env train --trainer async --plan` predicts, and what the same training then takes."""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import fmean, median
from typing import Any

from tests.benchmarks.plan import PLUGIN_TESTS, command, larger_model
from tests.benchmarks.table import Table

FLAGS = (
    "arithmetic-v1 --trainer async --max-steps 6 --eval-rows 0 --per-device-train-batch-size 8 --num-generations 4 "
    "--token-budget 2048 --learning-rate 1e-5 --use-cpu --gradient-checkpointing false --max-staleness 2 "
    "--max-completion-length 24"
)
FIGURES = {
    "episodes": ("episodes of a step", "{:.1f}"), "sampled": ("sampled tokens of a step", "{:.0f}"),
    "read": ("tokens read by the update", "{:.0f}"), "update": ("processor seconds of the update", "{:.2f} s"),
    "playing": ("seconds of playing", "{:.1f} s"),
    "memory": ("peak RSS, by arithmetic", "{:.0f} MiB"), "rehearsed": ("peak RSS, as the plan's own", "{:.0f} MiB"),
}  # fmt: skip


def measure() -> Table:
    """Predicted and measured figures."""
    sys.path.insert(0, str(PLUGIN_TESTS))
    from transformers import AutoModelForCausalLM
    from vllm_stub import VLLMStub

    from grpo_env_trl.inference.sampling import Answer, write_answers

    class Server(VLLMStub):
        ended: list[float] = []  # noqa: RUF012  # of the only one
        """When each turn was sampled, which is an episode in this environment."""

        def drawn(
            self, prompt: list[int], most: int, seed: int | None, ends: list[int]
        ) -> tuple[list[int], list[float]]:
            answer = Answer(prompt, most, frozenset(ends), seed or 0)
            write_answers(self.model, [answer])
            self.ended.append(time.monotonic())
            return answer.ids, answer.logprobs

    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        model = larger_model(folder / "model", hidden=128)
        with Server(AutoModelForCausalLM.from_pretrained(model), context=4096) as server:
            words = [*FLAGS.split(), "--model", str(model), "--vllm-server-url", server.base]
            plan, own = command([*words, "--plan"])
            server.ended.clear()
            peak = _trained([*words, "--out", str(folder / "run")], folder)
        logged = (folder / "run/metrics.jsonl").read_text(encoding="utf-8").splitlines()
        between = (server.ended[-1] - server.ended[0]) / (len(server.ended) - 1)
    return table(plan, own, [json.loads(line) for line in logged], peak, between)


def table(plan: Any, own: float, logged: list[dict[str, float]], peak: float, between: float) -> Table:
    """A plan beside the metrics of the training; `own` and `peak` are their memory in MiB.

    Args:
        between: Seconds between two episodes at the server.
    """
    tokens = plan["tokens"]
    predicted = {
        "episodes": plan["sizes"]["micro"] * plan["sizes"]["accumulated"], "sampled": tokens["sampled_a_step"]["value"],
        "read": tokens["read_a_step"]["value"], "update": plan["seconds"]["update"]["value"],
        "memory": plan["memory"]["expected"] / 2**20, "rehearsed": own,
        "playing": plan["seconds"]["sampling"]["value"],
    }  # fmt: skip
    steps = [line for line in logged if "perf/fwd_bwd_s" in line][1:]
    measured = {
        "episodes": fmean(line["batch/samples_per_step"] for line in steps),
        "sampled": fmean(line["batch/trained_tokens_per_step"] for line in steps),
        "read": fmean(line["batch/forwarded_tokens_per_step"] for line in steps),
        "update": median(line["perf/fwd_bwd_s"] + line["perf/optimizer_s"] for line in steps),
        "memory": peak, "rehearsed": peak,
        "playing": between * fmean(line["batch/samples_per_step"] for line in steps),
    }  # fmt: skip
    return Table(
        "What an asynchronous training will cost",
        "`grpo-env train arithmetic-v1 --trainer async --plan` against the same training, of a Qwen3 of 1 million "
        "random parameters on a CPU, with a server over HTTP that samples from the same model and is no vLLM. "
        "Processor seconds are those of the thread that trains, on one thread of torch and without the first step. "
        "Attention over packed rows, which needs CUDA, is that of the tests (one segment after another: a loop in "
        "Python). Seconds of playing are of a clock, for the episodes of a step: the plan plays at the server while "
        "nothing trains there, and other programs may use the machine. One plan and one training. To hold: within 1.5 "
        "times, which both seconds miss: that attention is slower, and the machine was busy. It takes minutes, so "
        "`make bench` leaves it out: `python -m tests.benchmarks async_plan` measures it.",
        ["figure", "predicted", "measured", "predicted / measured"],
        [
            [title, *(shown.format(side[name]) for side in (predicted, measured)),
             f"{predicted[name] / measured[name]:.2f}"]
            for name, (title, shown) in FIGURES.items()
        ],
    )  # fmt: skip


def _trained(words: list[str], folder: Path) -> float:
    """Train as the command does; the peak of the process's resident memory in MiB."""
    on_cpu = PLUGIN_TESTS / "asynchronous" / "run_on_cpu.py"
    clock = f"import runpy, sys, time; time.perf_counter = time.thread_time; sys.argv[0] = {str(on_cpu)!r}; "
    command = [sys.executable, "-c", f"{clock}runpy.run_path(sys.argv[0], run_name='__main__')", str(folder), *words]
    process = subprocess.Popen(command, env={**os.environ, "OMP_NUM_THREADS": "1"}, stderr=subprocess.PIPE, text=True)
    assert process.stderr
    told = process.stderr.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, told[-2000:]
    return used.ru_maxrss / 1024
