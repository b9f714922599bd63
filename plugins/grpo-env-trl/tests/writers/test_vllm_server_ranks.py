"""Two processes on one server: each plays its own episodes, nobody waits before the end, and all hear of a failure."""

import os
import subprocess
import sys

import pytest
from vllm_stub import VLLMStub

TWO_RANKS = """
import asyncio, os, sys, time
from contextlib import nullcontext
from types import SimpleNamespace
from accelerate import Accelerator
from grpo_env_sdk.ext import LoopThread
from grpo_env_trl.writers.vllm_server import ServerWriter
from grpo_env_trl.writers.vllm_servers import VLLMServers
from grpo_env_trl.writers.writer import Ask

folder, url = sys.argv[1:]
accelerator = Accelerator(cpu=True)
rank = accelerator.process_index
generation = SimpleNamespace(
    temperature=1.0, top_p=1.0, top_k=0, min_p=None, repetition_penalty=1.0, structured_outputs_regex=None,
    generation_kwargs={}, server_timeout=30.0,
)
trainer = SimpleNamespace(accelerator=accelerator, eos_token_ids=[], vllm_generation=generation)
loop, servers = LoopThread(on_start=lambda: None), VLLMServers([url])

def played(turns, fails=False):
    writer = ServerWriter(trainer, loop.loop, servers, None, nullcontext)

    async def episode(place, count):
        for turn in range(count):
            written = await writer.write(Ask(place, [rank + 5, place + 5], 2, turn))
            assert len(written.ids) == 2
        if fails:
            raise RuntimeError("gone")

    async def batch():
        await asyncio.gather(*(episode(place, count) for place, count in enumerate(turns)))
        return f"{sum(turns)} turns"

    return writer.pump(lambda: loop.submit(batch()))

if rank == 0:
    time.sleep(0.5)  # as while it sends weights: the other one must not ask before
    open(os.path.join(folder, "sent"), "w").close()
try:
    first = played([1] if rank == 0 else [3, 2, 4])
    assert os.path.exists(os.path.join(folder, "sent"))
    second = played([2], fails=rank == 1)
except Exception as exc:
    second = f"{type(exc).__name__}: {exc}"
with open(os.path.join(folder, f"rank{rank}"), "w") as file:
    file.write(f"{first}, {second}")
loop.close()
accelerator.end_training()
"""


@pytest.mark.slow
def test_unequal_numbers_of_episodes_are_played_and_a_failure_is_heard_of(tiny, tmp_path):
    script = tmp_path / "two_ranks.py"
    script.write_text(TWO_RANKS)
    begun = []

    class Watching(VLLMStub):
        async def samples(self, asked):
            begun.append((tmp_path / "sent").exists())
            return await super().samples(asked)

    with Watching(tiny()[0]) as server:
        launch = ["-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2"]
        environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
        done = subprocess.run(
            [sys.executable, *launch, str(script), str(tmp_path), server.base],
            capture_output=True, text=True, env=environment, timeout=900,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert len(begun) == 1 + 9 + 4
    assert all(begun)
    first, second = ((tmp_path / f"rank{rank}").read_text() for rank in (0, 1))
    assert first.startswith("1 turns, EnvironmentFailedError: The episodes of another process failed.")
    assert second == "9 turns, RuntimeError: gone"
