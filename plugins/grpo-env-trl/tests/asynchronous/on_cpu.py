"""What TRL's asynchronous trainer needs to run on a CPU, and a copy of its model that samples meanwhile."""

import asyncio
import copy
import threading

import requests
import torch
from safetensors.torch import save_file
from torch.nn.functional import scaled_dot_product_attention

from grpo_env_trl.inference.batching import Batcher
from grpo_env_trl.inference.sampling import Answer, write_answers
from grpo_env_trl.trl_facts import silence_known_warnings
from grpo_env_trl.writers.writer import Written

silence_known_warnings()


def config(folder, **changes):
    """Settings under which a tiny model makes one quick step."""
    settings = {
        "output_dir": str(folder), "use_cpu": True, "bf16": False, "gradient_checkpointing": False,
        "per_device_train_batch_size": 4, "gradient_accumulation_steps": 1, "num_generations": 2, "max_steps": 2,
        "max_completion_length": 16, "logging_steps": 1, "save_strategy": "no", "report_to": "none",
        "disable_tqdm": True, "learning_rate": 1e-3, "token_budget": 4096,
    }  # fmt: skip
    from trl.experimental.async_grpo import AsyncGRPOConfig

    return AsyncGRPOConfig(**{**settings, **changes})


def segment_by_segment(
    module, query, key, value, attention_mask, *, tree_kv_index, tree_cu_seqlens_q, tree_cu_seqlens_k, scaling=None,
    **kwargs,
):  # fmt: skip
    """Attention over TRL's packed rows, one segment after another."""
    found = []
    begins, paths = tree_cu_seqlens_q.tolist(), tree_cu_seqlens_k.tolist()
    for number in range(len(begins) - 1):
        asked = query[:, :, begins[number] : begins[number + 1]]
        read = tree_kv_index[paths[number] : paths[number + 1]]
        seen = torch.ones(asked.shape[2], len(read), dtype=torch.bool).tril(len(read) - asked.shape[2])
        found.append(scaled_dot_product_attention(
            asked, key[:, :, read], value[:, :, read], attn_mask=seen, scale=scaling, enable_gqa=True
        ))  # fmt: skip
    return torch.cat(found, 2).transpose(1, 2).contiguous(), None


def reload_there(url, folder, named):
    """Let a server read weights from a file; returns them."""
    found = {name: weights.detach().clone().contiguous() for name, weights in named}
    save_file(found, folder / "model.safetensors")
    how = {"method": "reload_weights", "kwargs": {"weights_path": str(folder)}}
    requests.post(f"{url}/collective_rpc", json=how, timeout=60).raise_for_status()
    return found


def train_on_cpu(folder, sent, put=setattr):
    """Replace what needs CUDA in TRL: its attention, and its transfer of weights, which go by a file in `folder`.

    What was sent is added to `sent`.
    """
    from trl.experimental.async_grpo import async_grpo_trainer

    class ByFile:
        def __init__(self, vllm_client, **settings):
            self.client = vllm_client

        def pause(self):
            self.client.pause()

        def resume(self):
            self.client.resume()

        def send_weights(self, named):
            sent.append(reload_there(self.client.server_url, folder, named))

        init_weight_transfer = destroy = lambda self: None

    put(async_grpo_trainer, "WeightTransferClient", ByFile)
    attend_on_cpu(put)


def attend_on_cpu(put=setattr):
    """Replace TRL's attention alone, which is enough where it sends an adapter."""
    from trl.experimental.async_grpo import async_grpo_trainer, packing

    put(async_grpo_trainer, "get_peak_flops_per_device", lambda accelerator, dtype: None)
    put(packing, "tree_attention", segment_by_segment)


class Copy:
    """A copy of the model, which samples turns as a server does, and takes the weights that the trainer sends."""

    context_length = 4096

    def __init__(self, model, temperature=1.0):
        self.model = copy.deepcopy(model).eval()
        self.temperature = temperature
        self.sent = 0
        self.at = []
        """How often weights had been sent when each turn was sampled."""
        self._free = threading.Lock()
        self._batcher = Batcher(self._write, 64)
        ends = model.generation_config.eos_token_id
        self._ends = frozenset(ends if isinstance(ends, list) else [ends])

    async def close(self):
        """Wait for what is sampled now: a thread that computes must not outlive Python."""
        await self._batcher.close()

    async def write(self, ask):
        """The tokens of one turn."""
        answer = Answer(ask.context, ask.most, self._ends, ask.seed, self.temperature)
        await self._batcher.written(answer)
        self.at.append(self.sent)
        return Written(answer.ids, answer.logprobs)

    def _write(self, answers):
        with self._free:
            write_answers(self.model, answers)

    def init_weight_transfer(self):
        """Nothing: it is in this process."""

    def pause(self):
        """Wait for the turns that are sampled now."""
        self._free.acquire()

    def send_weights(self, named):
        """Take the weights."""
        own = dict(self.model.named_parameters())
        with torch.no_grad():
            for name, weight in named:
                own[name].copy_(weight)
        self.sent += 1

    def resume(self):
        """Sample on."""
        self._free.release()

    def destroy(self):
        """Nothing is held."""


class Silent(Copy):
    """A source that never answers."""

    async def write(self, ask):
        """Wait for ever."""
        await asyncio.Event().wait()
