"""The lockstep writer: one generation for all that wait, in the order of the batch, on every process alike."""

import asyncio
import os
import subprocess
import sys
import time
from contextlib import nullcontext

import pytest
from environments import Errands, Talk, rows
from scripted import StandIn, calls, config, tokens, written

from grpo_env_sdk import Limits, MultiTurnEnv, tool
from grpo_env_sdk.ext import UnusablePolicyError
from grpo_env_sdk.isolation.loops.loop_thread import LoopThread
from grpo_env_trl.bridges.trainer_kwargs import trainer_kwargs
from grpo_env_trl.writers.lockstep import LockstepWriter
from grpo_env_trl.writers.writer import Ask


def bridge_for(env, tiny, folder, **changes):
    model, tokenizer = tiny()
    kwargs = trainer_kwargs(env, tokenizer, args=config(folder), bridge="rollout", **changes)
    return model, tokenizer, kwargs["rollout_func"], kwargs["train_dataset"]["prompt"]


class Arriving(MultiTurnEnv):
    """Episodes that come to the model's turn in the opposite order of the batch."""

    max_turns = 2

    def build_dataset(self, tokenizer):
        return rows(40)

    def setup(self, row):
        time.sleep(0.3 / (1 + row["place"]))

    def step(self, action):
        time.sleep(0.3 / (1 + self.row["place"]))
        return "on", 0.5, False, False, {}


def test_requests_are_in_the_order_of_the_batch_and_not_of_arrival(tiny, tmp_path):
    model, tokenizer, bridge, prompts = bridge_for(Arriving, tiny, tmp_path)
    trainer = StandIn(model, tokenizer, lambda context, most: tokens(tokenizer, "yes"))
    columns = bridge(prompts[:5], trainer)
    for round_ in trainer.spoken.contexts:
        asked = [tokenizer.decode(context) for context in round_]
        assert [episode.row["prompt"] in text for episode, text in zip(columns["episode"], asked, strict=True)] == [
            True
        ] * 5
    assert len(trainer.spoken.contexts) == 2


def test_the_clock_of_an_episode_stands_still_while_the_model_samples(tiny, tmp_path):
    model, tokenizer, bridge, prompts = bridge_for(
        Talk, tiny, tmp_path, limits=Limits(episode_seconds=1.0, policy_seconds=0.5)
    )

    def slowly(context, most):
        time.sleep(0.6)
        return tokens(tokenizer, "yes")

    episodes = bridge(prompts[:2], StandIn(model, tokenizer, slowly))["episode"]
    assert [episode.error for episode in episodes] == [None, None]
    assert all(episode.timings["policy"] >= 1.0 for episode in episodes)


class Waits(Errands):
    """A tool that hangs in one row, so that its episode ends while the others wait for their next turn."""

    hangs = ()

    @tool
    def work(self) -> str:
        """Work."""
        if self.row["prompt"] in self.hangs:
            time.sleep(30)
        return "done"


def test_an_episode_whose_time_is_up_leaves_and_the_round_goes_on_without_it(tiny, tmp_path):
    model, tokenizer, bridge, prompts = bridge_for(Waits, tiny, tmp_path, limits=Limits(call_seconds=1.0))
    call = tokens(tokenizer, written(tokenizer, calls(("work", {}))))
    Waits.hangs = (prompts[1][-1]["content"],)

    def script(context, most):
        return tokens(tokenizer, "bye") if "<tool_response>" in tokenizer.decode(context) else call

    trainer = StandIn(model, tokenizer, script, most=3000)
    episodes = bridge(prompts[:3], trainer)["episode"]
    assert [episode.stop_reason for episode in episodes] == ["terminated", "timeout", "terminated"]
    assert [len(contexts) for contexts in trainer.spoken.contexts] == [3, 2]


def test_what_a_round_sampled_for_somebody_who_left_is_dropped(tiny):
    model, tokenizer = tiny()
    loop = LoopThread()
    writer = LockstepWriter(StandIn(model, tokenizer, lambda context, most: [1]), loop.loop, [0], None, nullcontext)

    async def episodes():
        asked = [asyncio.create_task(writer.write(Ask(place, [5], 4))) for place in range(2)]
        await asyncio.sleep(0)
        writer.when_quiet()
        asked[0].cancel()
        written_to = await asyncio.gather(*asked, return_exceptions=True)
        return [type(written_to[0]), written_to[1].ids]

    assert writer.pump(lambda: loop.submit(episodes())) == [asyncio.CancelledError, [1]]
    loop.close()


class Odd(MultiTurnEnv):
    """Says something that a chat template refuses."""

    max_turns = 3

    def build_dataset(self, tokenizer):
        return rows(40)

    def step(self, action):
        return "boom" if self.row["place"] % 2 else "on", 0.5, False, False, {}


def test_a_turn_that_cannot_be_rendered_ends_the_training_and_not_one_episode(tiny, tmp_path):
    model, tokenizer = tiny("llama3.2")
    found = "{% if message.content is string and 'boom' in message.content %}"
    refused = f"{found}{{{{ raise_exception('not here') }}}}{{% endif %}}"
    tokenizer.chat_template = f"{{% for message in messages %}}{refused}{{% endfor %}}{tokenizer.chat_template}"
    kwargs = trainer_kwargs(Odd, tokenizer, args=config(tmp_path), bridge="rollout")
    trainer = StandIn(model, tokenizer, lambda context, most: tokens(tokenizer, "yes"))
    with pytest.raises(UnusablePolicyError, match="cannot render what follows"):
        kwargs["rollout_func"](kwargs["train_dataset"]["prompt"][:4], trainer)


TWO_RANKS = """
import asyncio, os, sys
import torch
from types import SimpleNamespace
from contextlib import nullcontext
from accelerate import Accelerator
from grpo_env_sdk.isolation.loops.loop_thread import LoopThread
from grpo_env_trl.writers.lockstep import LockstepWriter
from grpo_env_trl.writers.writer import Ask

accelerator = Accelerator(cpu=True)
rank = accelerator.process_index
sizes = []

def generate(contexts, **given):
    assert accelerator.gather(torch.tensor([len(contexts)])).unique().numel() == 1  # equal sizes, and all are here
    sizes.append(len(contexts))
    return [[rank + 1]] * len(contexts), None

trainer = SimpleNamespace(
    accelerator=accelerator, max_completion_length=8, generation_config=SimpleNamespace(max_new_tokens=8),
    _generate_single_turn=lambda prompt_ids: generate(prompt_ids),
)

def played(turns, fails=False):
    loop = LoopThread()
    writer = LockstepWriter(trainer, loop.loop, [0], None, nullcontext)

    async def episode(place, count):
        for _ in range(count):
            asked = asyncio.ensure_future(writer.write(Ask(place, [7], 4)))
            await asyncio.sleep(0)
            if place == 0:
                asyncio.get_running_loop().call_soon(writer.when_quiet)
            assert (await asked).ids == [rank + 1]
        if fails:
            raise RuntimeError("gone")

    async def batch():
        await asyncio.gather(*(episode(place, count) for place, count in enumerate(turns)))
        return "played"

    return writer.pump(lambda: loop.submit(batch()))

played([1, 1] if rank == 0 else [4])
first = list(sizes)
try:
    outcome = played([5], fails=False) if rank == 0 else played([1], fails=True)
except Exception as exc:
    outcome = f"{type(exc).__name__}: {exc}"
with open(os.path.join(sys.argv[1], f"rank{rank}"), "w") as file:
    file.write(f"{first} {outcome}")
accelerator.end_training()
"""


def test_every_process_takes_part_until_all_are_done_and_hears_of_a_failure(tmp_path):
    script = tmp_path / "two_ranks.py"
    script.write_text(TWO_RANKS)
    run = [
        sys.executable,
        "-m",
        "torch.distributed.run",
        "--standalone",
        "--nproc_per_node",
        "2",
        str(script),
        str(tmp_path),
    ]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(run, capture_output=True, text=True, env=environment, timeout=900)
    assert done.returncode == 0, done.stderr
    first, second = ((tmp_path / f"rank{rank}").read_text() for rank in (0, 1))
    assert first.startswith("[2, 1, 1, 1] EnvironmentFailedError: The episodes of another process failed.")
    assert second == "[2, 1, 1, 1] RuntimeError: gone"
