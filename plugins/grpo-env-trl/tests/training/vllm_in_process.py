"""What `test_vllm_in_process.py` looks at: one process, one vLLM, and what happened in it as JSON."""

import asyncio
import json
import sys
import time
from functools import partial
from pathlib import Path

HERE = Path(__file__).parents[1]
sys.path.insert(0, str(HERE))
import vllm_on_cpu  # noqa: E402

FOLDER = Path(sys.argv[1])
vllm_on_cpu.prepare(FOLDER / "metadata")

import torch  # noqa: E402
from environments import rows  # noqa: E402
from trl.generation import vllm_generation  # noqa: E402

from grpo_env_sdk import MultiTurnEnv  # noqa: E402
from grpo_env_trl import trl_vllm  # noqa: E402
from grpo_env_trl.bridges.batch_player import jobs_of  # noqa: E402
from grpo_env_trl.writers.choosing import writer_for  # noqa: E402
from grpo_env_trl.writers.token_policy import TokenPolicy  # noqa: E402
from grpo_env_trl.writers.writer import Ask  # noqa: E402

CAP = 300
"""Tokens of a turn; most end before."""


class Chats(MultiTurnEnv):
    """Three turns, answered after a while that differs from run to run."""

    max_turns = 3
    naps = (0.0,)

    def build_dataset(self, tokenizer):
        return rows(40)

    def step(self, action):
        time.sleep(self.naps[self.row["place"] % len(self.naps)])
        return "And then?", len(action["content"]) % 7 / 7, False, False, {}


def played(trainer, naps):
    """Eight episodes: their tokens, which of them were sampled, and the logprobs."""
    Chats.naps = naps
    bridge = trainer.rollout_func
    bridge.renderer.end_turns_with(trainer.eos_token_ids)
    jobs = jobs_of([0, 0, 1, 1, 2, 2, 3, 3])
    writer = writer_for(trainer, bridge.player.loop.loop, [0], CAP, bridge.player.lent)
    policy = TokenPolicy(writer, bridge.renderer, jobs, 2000, 4096, CAP, seed="0/0/0")
    bridge.player.play(jobs, policy, True, writer=writer)
    return [segments.last for segments in policy.episodes], writer


def differences(trainer, transcripts):
    """The mean and the largest one between the sampled tokens' logprobs and those of a forward pass."""
    found = []
    for one in transcripts:
        ids = torch.tensor([one.prompt_ids + one.completion_ids])
        with torch.no_grad():
            logits = trainer.model(ids).logits[0, len(one.prompt_ids) - 1 : -1].float()
        own = logits.log_softmax(-1).gather(1, ids[0, len(one.prompt_ids) :, None])[:, 0]
        both = zip(own.tolist(), one.logprobs, one.sampled, strict=True)
        found += [abs(mine - sampled) for mine, sampled, counts in both if counts]
    return [sum(found) / len(found), max(found)]


def left_behind(trainer, writer, fails):
    """Whether vLLM is idle, forgets its cache and generates for TRL after a batch was cut off."""
    llm = trainer.vllm_generation.llm

    async def batch():
        long = asyncio.create_task(writer.write(Ask(0, [5, 6], 3000, seed=1)))
        await writer.write(Ask(1, [5, 7], 2, seed=2))
        if fails:
            raise RuntimeError("gone")
        long.cancel()

    try:
        writer.pump(lambda: trainer.rollout_func.player.loop.submit(batch()))
    except RuntimeError:
        assert fails
    idle, forgets = not llm.llm_engine.has_unfinished_requests(), llm.reset_prefix_cache()
    return [idle, forgets, len(trainer.vllm_generation.generate([[5, 6]], None, 1)[1]), writer.figures.aborted]


def asked_of_vllm(trainer):
    """The parameters of a request by TRL, and by us, where they are unusual."""
    given, generation = [], trainer.vllm_generation
    before, llm = dict(vars(generation)), generation.llm
    generation.temperature, generation.min_p, generation.generation_kwargs = 0.9, 0.01, {"presence_penalty": 0.1}
    generate = llm.generate
    llm.generate = lambda *args, **kwargs: given.append(kwargs["sampling_params"]) or generate(*args, **kwargs)
    generation.generate([[5, 6]], None, 1)
    llm.generate = generate
    names = (
        "temperature",
        "top_p",
        "top_k",
        "min_p",
        "repetition_penalty",
        "logprobs",
        "presence_penalty",
        "max_tokens",
    )
    ours = trl_vllm.sampling_of(trainer)(generation.max_completion_length, 3)
    vars(generation).update(before)
    return [{name: getattr(one, name) for name in names} for one in (given[0], ours)]


def main():
    """Play, cut off, train; everything is written as JSON at the end."""
    started = vllm_generation.LLM
    trainer = vllm_on_cpu.trainer_on(Chats, FOLDER, {"max_turn_tokens": CAP}, max_steps=2, learning_rate=1e-2)
    found = {"untouched": vllm_generation.LLM is started}
    found["dtype"] = str(trainer.vllm_generation.llm.llm_engine.model_config.dtype)
    found["asked"] = asked_of_vllm(trainer)
    first, writer = played(trainer, (0.0,))
    again, _ = played(trainer, (0.05, 0.0, 0.02))
    found["tokens"] = [[one.completion_ids for one in run] for run in (first, again)]
    found["logprobs"] = differences(trainer, first)
    found["writer"], found["figures"] = type(writer).__name__, writer.figures.metrics()
    new = partial(
        writer_for, trainer, trainer.rollout_func.player.loop.loop, [0], None, trainer.rollout_func.player.lent
    )
    found["left"] = [left_behind(trainer, new(), fails) for fails in (False, True)]
    trainer.train()
    found["log"] = trainer.state.log_history[:2]
    (FOLDER / "found.json").write_text(json.dumps(found))


main()
