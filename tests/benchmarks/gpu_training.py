"""`grpo-env train` on a GPU, with each sampler: how busy it is, and how far it is from the model that is trained."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

from tests.benchmarks.batches import PLUGIN_TESTS
from tests.benchmarks.gpu_model import save_gpu_model
from tests.benchmarks.table import Table

SIZES = (
    "--max-steps 5 --eval-rows 0 --per-device-train-batch-size 4 --gradient-accumulation-steps 4 --num-generations 8 "
    "--max-completion-length 400 --max-turn-tokens 100 --learning-rate 1e-6 --logging-steps 1 --bf16"
)
ON_VLLM = "--use-vllm --vllm-gpu-memory-utilization 0.15 --vllm-max-model-length 2048"
CASES = {
    "all weights": "",
    "all weights, `--use-transformers-continuous-batching`": "--use-transformers-continuous-batching",
    "all weights, `--use-vllm`": ON_VLLM,
    "all weights, `--use-vllm --vllm-enable-sleep-mode`": f"{ON_VLLM} --vllm-enable-sleep-mode",
    "all weights, `--use-vllm --dtype bfloat16`": f"--dtype bfloat16 {ON_VLLM}",
    "adapter, `--use-vllm`": f"--peft {ON_VLLM}",
}
"""What is trained, and its flags."""
LOGGED = {
    "difference of log-probabilities": ("sampling/sampling_logp_difference/mean", "{:.2g}"),
    "importance ratios": ("sampling/importance_sampling_ratio/mean", "{:.3f}"),
    "sampler busy": ("time/sampler_busy", "{:.0%}"),
    "turns at once": ("sampler/rows", "{:.1f}"),
}
"""The columns: names of metrics, and how they are shown."""
COMMAND = """
import sys, torch
from grpo_env_sdk.cli import main
code = main()
print("peak", torch.cuda.max_memory_reserved(), file=sys.stderr)
sys.exit(code)
"""


def measure() -> Table:
    """What each training logs; each has a process of its own."""
    import torch

    with tempfile.TemporaryDirectory() as folder:
        model = save_gpu_model(Path(folder) / "model")
        rows = [row_of(case, model, Path(folder) / str(place)) for place, case in enumerate(CASES)]
    return Table(
        f"Trainings with each sampler on an {torch.cuda.get_device_name()}",
        "A random model with the sizes of Qwen3-0.6B, in float32 with `--bf16` where nothing else is said; 16 episodes "
        "of three turns a step, of up to 100 tokens. Medians of the steps after the first. "
        "`python -m tests.benchmarks gpu_training` measures it where there is a GPU and vLLM.",
        ["training", *LOGGED],
        rows,
    )


def row_of(case: str, model: Path, folder: Path, *more: str) -> list[str]:
    """What one training logs."""
    command([*words_for(model), *CASES[case].split(), *more, "--out", str(folder)])
    logged = [json.loads(line) for line in (folder / "metrics.jsonl").read_text(encoding="utf-8").splitlines()]
    steps = [line for line in logged if "step_time" in line][1:]
    columns = ([[step[name] for step in steps if name in step], form] for name, form in LOGGED.values())
    return [case, *(form.format(median(found)) if found else "" for found, form in columns)]


def words_for(model: Path) -> list[str]:
    """The environment, the model, and the sizes of the training."""
    return ["lessons:Haggle", "--model", str(model), *SIZES.split()]


def command(words: list[str]) -> tuple[Any, float]:
    """What `grpo-env train` prints as JSON, and the peak of torch's allocator in bytes."""
    paths = os.pathsep.join([str(PLUGIN_TESTS), str(PLUGIN_TESTS / "training"), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-c", COMMAND, "train", *words, "--json", "--quiet"], capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": paths},
    )  # fmt: skip
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
    peak = next(line for line in reversed(done.stderr.splitlines()) if line.startswith("peak "))
    return json.loads(done.stdout), float(peak.split()[1])
