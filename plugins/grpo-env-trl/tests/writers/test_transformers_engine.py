"""transformers' continuous batching as an engine: exact tokens and log-probabilities, and a model as it was before."""

import asyncio
import threading
from contextlib import contextmanager, nullcontext

import pytest
import torch
from environments import rows
from peft import LoraConfig
from scripted import config
from trl import GRPOTrainer

from grpo_env_sdk import MultiTurnEnv
from grpo_env_sdk.ext import UnusablePolicyError
from grpo_env_trl import trainer_kwargs
from grpo_env_trl.bridges.batch_player import jobs_of
from grpo_env_trl.writers.choosing import writer_for
from grpo_env_trl.writers.continuous import ContinuousWriter
from grpo_env_trl.writers.lockstep import LockstepWriter
from grpo_env_trl.writers.token_policy import TokenPolicy
from grpo_env_trl.writers.transformers_engine import batching_of
from grpo_env_trl.writers.writer import Ask

CAP = 24
"""Tokens of a turn."""


class Chats(MultiTurnEnv):
    """Three turns of text."""

    max_turns = 3

    def build_dataset(self, tokenizer):
        return rows(40)

    def step(self, action):
        return "And then?", 0.0, False, False, {}


@pytest.fixture
def trainer_on(tiny, tmp_path):
    def made(family="qwen3", peft_config=None, **settings):
        model, tokenizer = tiny(family)
        args = config(
            tmp_path, use_transformers_continuous_batching=True, max_completion_length=400, top_k=0, **settings
        )
        kwargs = trainer_kwargs(Chats, tokenizer, args=args, max_turn_tokens=CAP)
        return GRPOTrainer(model=model, peft_config=peft_config, **kwargs)

    return made


def writer_of(trainer, cap=CAP):
    bridge = trainer.rollout_func
    return writer_for(trainer, bridge.player.loop.loop, [0], cap, bridge.player.lent)


def played(trainer, kind=None):
    """The tokens of eight episodes, and who wrote them."""
    bridge = trainer.rollout_func
    bridge.renderer.end_turns_with(trainer.eos_token_ids)
    jobs = jobs_of([0, 0, 1, 1, 2, 2, 3, 3])
    writer = kind(trainer, bridge.player.loop.loop, [0], CAP, bridge.player.lent) if kind else writer_of(trainer)
    policy = TokenPolicy(writer, bridge.renderer, jobs, 400, 8192, CAP, seed="0/0/0")
    bridge.player.play(jobs, policy, True, writer=writer)
    return [segments.last for segments in policy.episodes], writer


def largest_difference(trainer, transcripts):
    """Between the sampled tokens' log-probabilities and those of a forward pass."""
    found = []
    for one in transcripts:
        ids = torch.tensor([one.prompt_ids + one.completion_ids])
        with torch.no_grad():
            logits = trainer.model(ids).logits[0, len(one.prompt_ids) - 1 : -1].float() / trainer.temperature
        own = logits.log_softmax(-1).gather(1, ids[0, len(one.prompt_ids) :, None])[:, 0]
        both = zip(own.tolist(), one.logprobs, one.sampled, strict=True)
        found += [abs(mine - sampled) for mine, sampled, counts in both if counts]
    assert len(found) > 50
    return max(found)


def greedy(trainer):
    trainer.generation_config.do_sample = False
    trainer.generation_config.temperature = trainer.generation_config.top_p = trainer.generation_config.top_k = None
    return trainer


@pytest.mark.parametrize("family", ["qwen3", "gemma3"])  # the second one has windows of attention
def test_greedy_turns_are_those_of_the_lockstep_writer(trainer_on, family):
    trainer = greedy(trainer_on(family))
    ours, writer = played(trainer)
    rounds, _ = played(trainer, LockstepWriter)
    assert isinstance(writer, ContinuousWriter)
    assert [one.completion_ids for one in ours] == [one.completion_ids for one in rounds]
    assert [one.sampled for one in ours] == [one.sampled for one in rounds]


@pytest.mark.parametrize("settings", [{}, {"temperature": 0.7, "gradient_checkpointing": True}])
def test_the_logprobs_are_those_of_a_forward_pass_also_once_the_weights_changed(trainer_on, settings):
    trainer = trainer_on(**settings)
    assert largest_difference(trainer, played(trainer)[0]) < 1e-5
    with torch.no_grad(), torch.random.fork_rng():
        for weight in trainer.model.parameters():
            weight.add_(torch.randn_like(weight) * 0.05)
    assert largest_difference(trainer, played(trainer)[0]) < 1e-5  # the same prompts: no cached tokens of old weights


def test_weights_that_are_cast_for_a_batch_come_back_exactly(trainer_on):
    trainer = trainer_on()
    before = [weight.clone() for weight in trainer.model.parameters()]
    trainer.args.bf16 = True
    assert all(one.logprobs for one in played(trainer)[0])
    assert all(map(torch.equal, before, trainer.model.parameters()))


def test_an_adapter_samples_with_its_weights(trainer_on):
    lora = LoraConfig(r=4, target_modules="all-linear", init_lora_weights=False, task_type="CAUSAL_LM")
    trainer = trainer_on(peft_config=lora)
    assert largest_difference(trainer, played(trainer)[0]) < 1e-5


def test_each_turn_ends_at_its_own_cap_or_at_a_stop_token(trainer_on):
    trainer = trainer_on()
    writer = writer_of(trainer, cap=8)
    ends = set(trainer.eos_token_ids)

    async def batch():
        asked = [Ask(place, [5, 6, 7 + place], most) for place, most in enumerate((1, 3, 30, 30, 30, 30))]
        return await asyncio.gather(*map(writer.write, asked))

    turns = writer.pump(lambda: trainer.rollout_func.player.loop.submit(batch()))
    for turn, most in zip(turns, (1, 3, 8, 8, 8, 8), strict=True):
        assert len(turn.ids) == len(turn.logprobs) <= most
        assert not ends & set(turn.ids[:-1])
        assert len(turn.ids) == most or turn.ids[-1] in ends


def turns_of(trainer, batches):
    """The turns of these batches of requests; the next one is asked for when one of the batch before it is done."""

    async def all_of_them():
        turns = []
        for asks in batches:
            turns += [asyncio.ensure_future(writer.write(ask)) for ask in asks]
            await asyncio.wait(turns[-len(asks) :], return_when=asyncio.FIRST_COMPLETED)
        return await asyncio.gather(*turns)

    writer = writer_of(trainer, cap=None)
    return writer.pump(lambda: trainer.rollout_func.player.loop.submit(all_of_them()))


def test_equal_seeds_sample_equal_turns_whatever_runs_beside_them(trainer_on):
    trainer = trainer_on(temperature=0.9)
    asks = [Ask(place, [5, 6, 7 + place], 10 + place, seed=place // 2) for place in range(6)]
    together = turns_of(trainer, [asks])
    apart = turns_of(trainer, [[ask] for ask in reversed(asks)])
    assert [turn.ids for turn in together] == [turn.ids for turn in reversed(apart)]
    (other,) = turns_of(trainer, [[Ask(0, [5, 6, 7], 10, seed=99)]])
    assert other.ids != together[0].ids


def test_seeded_draws_follow_the_model(trainer_on):
    trainer, many = trainer_on(temperature=0.7), 1500
    turns = turns_of(trainer, [[Ask(0, [5, 6, 7], 1, seed=seed) for seed in range(many)]])
    with torch.no_grad():
        expected = (trainer.model(torch.tensor([[5, 6, 7]])).logits[0, -1].float() / 0.7).softmax(-1)
    drawn = torch.bincount(torch.tensor([turn.ids[0] for turn in turns]), minlength=len(expected)) / many
    assert (drawn - expected).abs().max() < 4 * (expected.max() / many).sqrt()
    assert len({turn.ids[0] for turn in turns}) > 20


def test_a_cache_that_is_too_small_for_all_makes_turns_wait(trainer_on):
    trainer = trainer_on()
    before, _ = played(trainer)
    config = trainer.continuous_batching_config
    setattr(config, "page_size" if hasattr(config, "page_size") else "block_size", 32)  # block_size up to 5.17
    config.num_blocks = 12
    assert [one.completion_ids for one in played(trainer)[0]] == [one.completion_ids for one in before]


def _samples():
    """Whether a thread of transformers samples."""
    return any("generation" in thread.name for thread in threading.enumerate())


def state_of(trainer):
    model = trainer.model
    modes = [module.training for module in model.modules()]
    return modes, model.config._attn_implementation, torch.get_rng_state().tolist(), _samples()


class Failing:
    """An engine whose third step fails."""

    def __init__(self, engine, error):
        self.add, self.abort, self._engine, self._error, self._left = engine.add, engine.abort, engine, error, 2

    def step(self):
        if not self._left:
            raise self._error("now")
        self._left -= 1
        return self._engine.step()


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
def test_an_error_or_ctrl_c_leaves_the_model_as_it_was(trainer_on, error):
    trainer = trainer_on()
    trainer.model.train()
    loop = trainer.rollout_func.player.loop
    before = state_of(trainer)

    @contextmanager
    def opened():
        with batching_of(trainer) as engine:
            yield Failing(engine, error)

    writer = ContinuousWriter(trainer, opened, None, nullcontext)
    with pytest.raises(error, match="now"):
        writer.pump(lambda: loop.submit(writer.write(Ask(0, [5, 6], 8000))))
    assert writer.figures.aborted == 1
    assert state_of(trainer) == before


@pytest.mark.parametrize("fails", [True, False])
def test_what_a_batch_leaves_open_is_dropped_and_the_next_batch_plays(trainer_on, fails):
    trainer = trainer_on()
    trainer.model.train()
    loop = trainer.rollout_func.player.loop
    before, writer = state_of(trainer), writer_of(trainer, cap=None)

    async def batch():
        long = asyncio.create_task(writer.write(Ask(0, [5, 6], 8000)))
        await writer.write(Ask(1, [5, 7], 2))
        if fails:
            raise RuntimeError("gone")
        long.cancel()
        await asyncio.wait([long])

    with pytest.raises(RuntimeError, match="gone") if fails else nullcontext():
        writer.pump(lambda: loop.submit(batch()))
    assert writer.figures.aborted == 1
    assert state_of(trainer) == before
    assert largest_difference(trainer, played(trainer)[0]) < 1e-5


def test_an_error_of_the_model_is_one_line(trainer_on):
    trainer = trainer_on()
    before = state_of(trainer)
    outside = trainer.model.config.vocab_size
    writer = writer_of(trainer)
    with pytest.raises(UnusablePolicyError, match=r"continuous batching failed: .*index") as caught:
        writer.pump(lambda: trainer.rollout_func.player.loop.submit(writer.write(Ask(0, [outside], 8))))
    assert "\n" not in str(caught.value)
    assert "--use-transformers-continuous-batching" in caught.value.hint
    assert state_of(trainer) == before


def test_a_cache_that_has_no_room_at_all_is_one_line(trainer_on):
    trainer = trainer_on()
    trainer.continuous_batching_config.max_memory_percent = 1e-9
    before = state_of(trainer)
    writer = writer_of(trainer)
    with pytest.raises(UnusablePolicyError, match=r"num_(sectors|blocks)") as caught:
        writer.pump(lambda: trainer.rollout_func.player.loop.submit(writer.write(Ask(0, [5], 8))))
    assert "max_memory_percent" in caught.value.hint
    assert state_of(trainer) == before
