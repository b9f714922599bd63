"""What `grpo-env train --plan` predicts, and what the same training then takes."""

import json
import os
import runpy
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from tests.benchmarks.table import Table

PAIRS = 2
"""A plan and a training follow each other so many times, as other programs may use the machine."""
PLUGIN_TESTS = Path(__file__).parents[2] / "plugins" / "grpo-env-trl" / "tests"
CASES = {
    "arithmetic-v1, 8M parameters": (
        "arithmetic-v1", True, "--max-steps 4 --eval-rows 0 --per-device-train-batch-size 8 --num-generations 4 "
        "--max-completion-length 24 --learning-rate 1e-5",
    ),
    "hotel-v1, the demo model": ("hotel-v1", False, "--max-steps 5 --eval-rows 0"),
}  # fmt: skip
"""The environment, whether the model is the larger one, and flags."""
ON_CPU_CLOCK = (
    "import sys, time; time.perf_counter = time.process_time; from grpo_env_sdk.cli import main; sys.exit(main())"
)
"""The command with seconds of the processor, which other programs do not lengthen."""


@dataclass(frozen=True)
class Pair:
    """A prediction and what was measured, for each figure."""

    predicted: Mapping[str, float]
    measured: Mapping[str, float]

    def ratio(self, name: str) -> float:
        """How many times the measured value was predicted."""
        return self.predicted[name] / self.measured[name]


FIGURES = {
    "step": ("seconds of a step", "{:.2f} s"),
    "tokens": ("sampled tokens of a step", "{:.0f}"),
    "computed": ("peak RSS, by arithmetic", "{:.0f} MiB"),
    "rehearsed": ("peak RSS, as the plan's own", "{:.0f} MiB"),
}


def measure() -> Table:
    """Predicted and measured figures of every case."""
    rows: list[list[str]] = []
    with tempfile.TemporaryDirectory() as folder:
        larger = str(larger_model(Path(folder) / "model"))
        for case, (env, on_larger, flags) in CASES.items():
            words = [env, *flags.split(), *(["--model", larger] if on_larger else [])]
            pairs = [_pair(words, Path(folder) / f"{len(rows)}-{place}") for place in range(PAIRS)]
            rows += [_row(case, name, pairs) for name in FIGURES]
    return Table(
        "What a training will cost",
        f"`grpo-env train --plan` against the same training on a CPU, one after the other, {PAIRS} times; medians, "
        "with the range of the ratios in one pair. Seconds are processor seconds of the trainer's `step_time`, "
        "on one thread and without the first step, which warms up; memory is the resident "
        "memory of the whole process (RSS). To hold: within 1.5 times. It takes "
        "minutes, so `make bench` leaves it out: `python -m tests.benchmarks plan` measures it.",
        ["training", "figure", "predicted", "measured", "predicted / measured"],
        rows,
    )


def _row(case: str, name: str, pairs: Sequence[Pair]) -> list[str]:
    title, shown = FIGURES[name]
    predicted, measured = (median(getattr(pair, side)[name] for pair in pairs) for side in ("predicted", "measured"))
    ratios = sorted(pair.ratio(name) for pair in pairs)
    return [
        case, title, shown.format(predicted), shown.format(measured),
        f"{median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})",
    ]  # fmt: skip


def _pair(words: list[str], folder: Path) -> Pair:
    plan, own = command([*words, "--plan"])
    predicted = {
        "step": plan["seconds"]["step"]["value"], "tokens": plan["tokens"]["sampled_a_step"]["value"],
        "computed": plan["memory"]["expected"] / 2**20, "rehearsed": own,
    }  # fmt: skip
    _, peak = command([*words, "--out", str(folder)])
    logged = [json.loads(line) for line in (folder / "metrics.jsonl").read_text(encoding="utf-8").splitlines()]
    steps = [line for line in logged if "step_time" in line][1:]
    tokens = [line["completions/mean_length"] * plan["sizes"]["micro"] * plan["sizes"]["accumulated"] for line in steps]
    seconds = median(line["step_time"] for line in steps)
    return Pair(predicted, {"step": seconds, "tokens": median(tokens), "computed": peak, "rehearsed": peak})


def command(words: list[str]) -> tuple[Any, float]:
    """What the command prints as JSON, and the peak of its resident memory in MiB."""
    words = [sys.executable, "-c", ON_CPU_CLOCK, "train", *words, "--json", "--quiet"]
    alone = {**os.environ, "OMP_NUM_THREADS": "1"}
    with tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=errors, text=True, env=alone)
        assert process.stdout
        told = process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        assert process.returncode == 0, errors.read()[-2000:]
    return json.loads(told), used.ru_maxrss / 1024


def larger_model(folder: Path, hidden: int = 384) -> Path:
    """A Qwen3 of 8 million random parameters, or one of another width, with a tokenizer of bytes."""
    import torch
    from transformers import AutoModelForCausalLM, Qwen3Config

    tokenizer = runpy.run_path(str(PLUGIN_TESTS / "tiny_models.py"))["tiny_tokenizer"]("qwen3")
    torch.manual_seed(0)
    config = Qwen3Config(
        vocab_size=len(tokenizer), hidden_size=hidden, intermediate_size=3 * hidden, num_hidden_layers=4, head_dim=64,
        num_attention_heads=hidden // 64, num_key_value_heads=hidden // 64, max_position_embeddings=8192,
        tie_word_embeddings=True, eos_token_id=tokenizer.eos_token_id, pad_token_id=tokenizer.pad_token_id,
    )  # fmt: skip
    AutoModelForCausalLM.from_config(config).save_pretrained(folder)  # type: ignore[no-untyped-call]  # of transformers
    tokenizer.save_pretrained(folder)
    return folder
