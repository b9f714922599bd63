"""What samples the turns of a batch on a GPU: vLLM and transformers, each as it is played and in rounds."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.benchmarks.batches import CAP, HEADERS, MOST_TURNS, PLUGIN_TESTS, compared, errands, played
from tests.benchmarks.gpu_model import save_gpu_model
from tests.benchmarks.table import Table

EPISODES = 64
SAMPLERS = {
    "vLLM": {"use_vllm": True, "vllm_mode": "colocate", "vllm_gpu_memory_utilization": 0.4,
             "vllm_max_model_length": 4096},
    "transformers": {"use_transformers_continuous_batching": True},
}  # fmt: skip


def measure() -> Table:
    """Wall seconds of a batch for each sampler, which has a process and the GPU to itself."""
    import torch

    with tempfile.TemporaryDirectory() as folder:
        model = save_gpu_model(Path(folder) / "model")
        rows = [row for sampler in SAMPLERS for row in _in_a_process(sampler, model)]
    return Table(
        f"Heavy tails on an {torch.cuda.get_device_name()}",
        f"{EPISODES} episodes of 1 to {MOST_TURNS} turns of a random model with the sizes of Qwen3-0.6B, in bfloat16; "
        "turns end by chance (100 tokens in the mean), and tools take 50 ms (lognormal, sigma 1.2). The difference "
        "is between log-probabilities of the sampler and those of the trained model, mean and largest one. "
        "`python -m tests.benchmarks gpu_writers` measures it where there is a GPU and vLLM.",
        [*HEADERS[:1], "wall, median", *HEADERS[2:], "difference"],
        rows,
    )


def _in_a_process(sampler: str, model: Path) -> list[list[str]]:
    words = [sys.executable, "-m", "tests.benchmarks.gpu_writers", sampler, str(model)]
    done = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True)
    return [list(row) for row in json.loads(done.stdout.splitlines()[-1])]


def rows_of(sampler: str, model: str, episodes: int = EPISODES, runs: int = 3, **settings: Any) -> list[list[str]]:
    """The rows of one sampler."""
    sys.path.insert(0, str(PLUGIN_TESTS))
    from transformers import AutoTokenizer
    from trl import GRPOConfig, GRPOTrainer

    from grpo_env_trl import trainer_kwargs

    tokenizer = AutoTokenizer.from_pretrained(model, padding_side="left")
    with tempfile.TemporaryDirectory() as folder:
        args = GRPOConfig(folder, **{
            "bf16": True, "top_k": 0, "max_completion_length": 3500, "per_device_train_batch_size": episodes,
            "num_generations": episodes, "report_to": "none", "model_init_kwargs": {"dtype": "bfloat16"},
            **SAMPLERS[sampler], **settings,
        })  # fmt: skip
        made = trainer_kwargs(errands(episodes), tokenizer, args=args, bridge="rollout", max_turn_tokens=CAP)
        trainer = GRPOTrainer(model=model, **made)
        found = compared(trainer, episodes, runs)
        told = ", ".join(difference(trainer, played(trainer, "continuous", min(8, episodes), "0")[0]))
    names = {"lockstep": f"{sampler}, in rounds", "continuous": f"{sampler}, continuous"}
    return [[names[row[0]], *row[1:], told if row[0] == "continuous" else ""] for row in found]


def difference(trainer: Any, policy: Any) -> list[str]:
    """How far log-probabilities of sampled tokens are from those of a forward pass: the mean and the largest one."""
    import torch

    found: list[float] = []
    for one in (segments.last for segments in policy.episodes):
        ids = torch.tensor([one.prompt_ids + one.completion_ids], device=trainer.accelerator.device)
        with torch.no_grad():
            logits = trainer.model(ids).logits[0, len(one.prompt_ids) - 1 : -1].float()
        own = logits.log_softmax(-1).gather(1, ids[0, len(one.prompt_ids) :, None])[:, 0]
        both = zip(own.tolist(), one.logprobs, one.sampled, strict=True)
        found += [abs(mine - sampled) for mine, sampled, counts in both if counts]
    return [f"{sum(found) / len(found):.1g}", f"{max(found):.1g}"]


if __name__ == "__main__":
    print(json.dumps(rows_of(*sys.argv[1:3])))
