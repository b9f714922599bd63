"""The memory of a GPU that `grpo-env train --plan` predicts, and what the same training then takes."""

import tempfile
from pathlib import Path

from tests.benchmarks.gpu_model import save_gpu_model
from tests.benchmarks.gpu_training import command, words_for
from tests.benchmarks.table import Table

SIZES = (
    "--max-steps 2 --per-device-train-batch-size 16 --gradient-accumulation-steps 1 --max-completion-length 130 "
    "--max-turn-tokens 40"
)
CASES = {
    "all weights": "",
    "all weights, `--optim adamw_8bit`": "--optim adamw_8bit",
    "adapter": "--peft",
    "adapter, `--load-in-8bit`": "--peft --load-in-8bit",
    "adapter, `--load-in-4bit`": "--peft --load-in-4bit",
}
"""What is trained, and its flags."""


def measure() -> Table:
    """Predicted and used memory of every case."""
    import torch

    with tempfile.TemporaryDirectory() as folder:
        model = save_gpu_model(Path(folder) / "model")
        rows = [row_of(case, model, Path(folder) / str(place)) for place, case in enumerate(CASES)]
    return Table(
        f"The memory of a training on an {torch.cuda.get_device_name()}",
        "`grpo-env train --plan` against the same training of a random model with the sizes of Qwen3-0.6B, `--bf16`; "
        "micro-batches of 16 episodes of up to 130 tokens. The peak is that of torch's allocator. "
        "To hold: within 1.5 times. "
        "`python -m tests.benchmarks gpu_memory` measures it where there is a GPU and bitsandbytes.",
        ["training", "predicted", "used", "predicted / used"],
        rows,
    )


def row_of(case: str, model: Path, folder: Path, *more: str) -> list[str]:
    """One row of the table."""
    words = [*words_for(model), *SIZES.split(), *CASES[case].split(), *more]
    plan, _ = command([*words, "--plan"])
    _, peak = command([*words, "--out", str(folder)])
    predicted = plan["memory"]["expected"]
    return [case, f"{predicted / 2**30:.1f} GiB", f"{peak / 2**30:.1f} GiB", f"{predicted / peak:.2f}" if peak else ""]
