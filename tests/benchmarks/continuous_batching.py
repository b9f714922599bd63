"""transformers' continuous batching against `generate` in lockstep, on a CPU."""

import sys
import tempfile
from pathlib import Path

from tests.benchmarks.batches import CAP, HEADERS, MOST_TURNS, PLUGIN_TESTS, compared, errands
from tests.benchmarks.table import Table

EPISODES = 16


def measure() -> Table:
    """Wall seconds of a batch over each writer."""
    sys.path.insert(0, str(PLUGIN_TESTS))
    import torch
    from scripted import config
    from tiny_models import tiny_model
    from trl import GRPOTrainer

    from grpo_env_trl import trainer_kwargs

    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        model, tokenizer = tiny_model("qwen3")
        args = config(
            Path(folder), use_transformers_continuous_batching=True, top_k=0, max_completion_length=3500,
            per_device_train_batch_size=EPISODES, num_generations=EPISODES,
        )  # fmt: skip
        trainer = GRPOTrainer(
            model=model, **trainer_kwargs(errands(EPISODES), tokenizer, args=args, max_turn_tokens=CAP)
        )
        played = compared(trainer, EPISODES)
    return Table(
        "Heavy tails with transformers' continuous batching on a CPU",
        f"{EPISODES} episodes of 1 to {MOST_TURNS} turns of a tiny random model, whose turns end by chance; tools take "
        "50 ms (lognormal, sigma 1.2), as above. `--use-transformers-continuous-batching` against `generate` for all "
        "who wait. `python -m tests.benchmarks continuous_batching` measures it.",
        HEADERS,
        played,
    )
