"""The names of the metrics that a short training logs, kept in `metrics.json`."""

import json
import sys
from pathlib import Path

from tests.doc_blocks import ROOT

FILE = Path(__file__).with_name("metrics.json")


def recorded_metrics() -> list[str]:
    """The names that were recorded."""
    return list(json.loads(FILE.read_text(encoding="utf-8")))


def logged_metrics(folder: Path) -> list[str]:
    """The names that one step of a training logs, on an environment with tools and with a reference model."""
    sys.path.append(str(ROOT / "plugins/grpo-env-trl/tests"))
    from tiny_models import save_tiny_model

    from grpo_env_trl import train

    model = save_tiny_model("qwen3", folder / "model")
    run = train(
        "hotel-v1", str(model), max_steps=1, beta=0.1, num_generations=2, per_device_train_batch_size=2,
        max_completion_length=24, eval_rows=0, save_strategy="no", use_cpu=True, quiet=True, out=str(folder / "run"),
    )  # fmt: skip
    return sorted(run.metrics[0])


def record(folder: Path) -> None:
    """Train, and write the names down."""
    FILE.write_text(json.dumps(logged_metrics(folder), indent=2) + "\n", encoding="utf-8")
