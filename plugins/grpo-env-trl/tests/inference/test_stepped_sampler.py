"""A policy over an engine that is stepped in a thread: turns begin at once, and its errors end the run."""

import asyncio
import gc
import threading
from functools import partial

import pytest
from asking import answers, ask
from step_engine import StepEngine
from tiny_models import tiny_model

from grpo_env_sdk import MultiTurnEnv, evaluate
from grpo_env_sdk.policies import UnusablePolicyError
from grpo_env_trl.inference.local_policy import LocalPolicy
from grpo_env_trl.inference.sampling import Answer
from grpo_env_trl.inference.sampling_params import SamplingParams
from grpo_env_trl.inference.vllm_sampler import SteppedSampler

ENDLESS = 1_000_000


class Chat(MultiTurnEnv):
    """Row i lasts i + 1 turns."""

    max_turns = 9

    def build_dataset(self, tokenizer):
        return [{"prompt": "Talk.", "turns": turns} for turns in range(1, 7)]

    def step(self, action):
        return "Go on.", 1.0, len(self.messages) >= 2 * self.row["turns"], False, {}


def policy_over(engine, ended=lambda: None):
    _, tokenizer = tiny_model("qwen3")
    usual = SamplingParams(max_turn_tokens=ENDLESS)
    return LocalPolicy(
        SteppedSampler(engine, ended), tokenizer, name="stepped", usual=usual, ends=[tokenizer.eos_token_id], reads=None
    )


def drawn(tokenizer, answer, rng):
    return [rng.randrange(5, 60) for _ in range(rng.randrange(3, 9))] + [tokenizer.eos_token_id]


def test_episodes_go_on_by_themselves_and_equal_seeds_are_equal_turns():
    said = []
    for _ in range(2):
        engine = StepEngine(partial(drawn, tiny_model("qwen3")[1]))
        result = evaluate(Chat, policy_over(engine), split="all")
        assert all(episode.error is None for episode in result.episodes)
        assert len(engine.asked) == 1 + 2 + 3 + 4 + 5 + 6
        assert engine.open == {}
        said.append({episode.row_index: episode.messages for episode in result.episodes})
    assert said[0] == said[1]


def test_a_turn_that_nobody_waits_for_any_more_is_dropped():
    engine = StepEngine(lambda answer, rng: [7] * (ENDLESS if answer.seed else 3))
    sampler = SteppedSampler(engine)

    async def two():
        long, short = Answer([1], 1, frozenset(), seed=1), Answer([1], 1, frozenset())
        long.most = short.most = ENDLESS
        waiting = asyncio.create_task(sampler.written(long))
        await sampler.written(short)
        waiting.cancel()
        await sampler.written(short)
        return short

    assert asyncio.run(two()).ids == [7, 7, 7]
    assert len(engine.aborted) == 1


def test_an_engine_that_fails_ends_the_run_with_its_own_words():
    def fails(engine):
        raise RuntimeError("no memory\nfor that")

    policy = policy_over(StepEngine(partial(drawn, tiny_model("qwen3")[1]), fails))
    for _ in range(2):  # and whoever asks later
        with pytest.raises(UnusablePolicyError, match="vLLM failed: RuntimeError: no memory for that"):
            answers(policy, ask("one"), ask("two"))


def test_the_engine_ends_with_the_policy():
    ended = threading.Event()
    policy = policy_over(StepEngine(drawn), ended.set)
    assert not ended.is_set()
    del policy
    gc.collect()
    assert ended.wait(10)


def test_images_are_refused():
    request = ask("")
    request.messages[0]["content"] = [{"type": "image", "image": object()}]
    with pytest.raises(UnusablePolicyError, match="reads no images here"):
        answers(policy_over(StepEngine(drawn)), request)
