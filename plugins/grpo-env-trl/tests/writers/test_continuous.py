"""The continuous writer: a turn begins when it is asked for, ends when it is sampled, and nothing stays behind."""

import asyncio
import os
import subprocess
import sys
import threading
import time
from contextlib import contextmanager, nullcontext
from functools import partial
from types import SimpleNamespace

import pytest
from accelerate import Accelerator
from environments import Errands, Talk
from scripted import config, tokens
from step_engine import StepEngine

from grpo_env_sdk import Limits
from grpo_env_sdk.isolation.loops.loop_thread import LoopThread
from grpo_env_trl.bridges.batch_player import jobs_of
from grpo_env_trl.bridges.trainer_kwargs import trainer_kwargs
from grpo_env_trl.writers.choosing import writer_for
from grpo_env_trl.writers.continuous import ContinuousWriter
from grpo_env_trl.writers.lockstep import LockstepWriter
from grpo_env_trl.writers.token_policy import TokenPolicy
from grpo_env_trl.writers.writer import Ask

ENDLESS = 1_000_000
"""Tokens of a turn that is never done."""


@pytest.fixture
def loop():
    thread = LoopThread()
    yield thread
    thread.close()


def writer_of(engine, loop, most=None, lend=nullcontext, opened=None):
    trainer = SimpleNamespace(accelerator=Accelerator(cpu=True))
    return ContinuousWriter(trainer, opened or (lambda: nullcontext(engine)), most, lend)


def of_length(ask, rng):
    """As many tokens as the first token of the context says."""
    return [7] * ask.context[0]


async def turns(writer, place, *lengths):
    """An episode whose turns have these lengths; what it got."""
    return [await writer.write(Ask(place, [length, 1], ENDLESS)) for length in lengths]


def test_an_episode_goes_on_while_the_turn_of_another_is_sampled(loop):
    engine = StepEngine(of_length)
    writer = writer_of(engine, loop)

    async def batch():
        long = asyncio.create_task(turns(writer, 0, ENDLESS))
        short = await turns(writer, 1, 2, 2, 2)
        long.cancel()
        return short

    assert [len(turn.ids) for turn in writer.pump(lambda: loop.submit(batch()))] == [2, 2, 2]
    assert engine.steps < ENDLESS
    assert writer.figures.rows > engine.steps  # both ran at once


def test_while_nothing_is_open_the_engine_rests(loop):
    engine = StepEngine(of_length)
    writer = writer_of(engine, loop)

    async def batch():
        await turns(writer, 0, 2)
        await asyncio.sleep(0.2)
        return await turns(writer, 0, 3)

    writer.pump(lambda: loop.submit(batch()))
    assert engine.steps == 5
    assert writer.figures.busy + 0.2 <= writer.figures.wall + 0.01


def test_a_turn_gets_its_seed_and_at_most_its_room_and_the_cap(loop):
    engine = StepEngine(lambda ask, rng: [1] * 100)
    writer = writer_of(engine, loop, most=8)

    async def batch():
        asked = [Ask(0, [5], 30, seed=11), Ask(1, [5], 3, seed=12)]
        return [len((await writer.write(ask)).ids) for ask in asked]

    assert writer.pump(lambda: loop.submit(batch())) == [8, 3]
    assert [(ask.most, ask.seed) for ask in engine.asked] == [(8, 11), (3, 12)]


def test_a_turn_that_nobody_waits_for_any_more_is_aborted_and_the_others_go_on(loop):
    engine = StepEngine(of_length)
    writer = writer_of(engine, loop)

    async def batch():
        given_up = asyncio.create_task(turns(writer, 0, ENDLESS))
        await turns(writer, 1, 2)
        given_up.cancel()
        return await turns(writer, 1, 5)

    assert len(writer.pump(lambda: loop.submit(batch()))[0].ids) == 5
    assert len(engine.aborted) == writer.figures.aborted == 1
    assert engine.open == {}


def test_where_the_batch_fails_its_turns_are_aborted(loop):
    engine = StepEngine(of_length)
    writer = writer_of(engine, loop)

    async def batch():
        other = asyncio.create_task(turns(writer, 0, ENDLESS))
        await turns(writer, 1, 1)
        assert not other.done()
        raise RuntimeError("gone")

    with pytest.raises(RuntimeError, match="gone"):
        writer.pump(lambda: loop.submit(batch()))
    assert engine.open == {}


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
def test_an_error_of_the_engine_or_ctrl_c_leaves_nothing_behind(loop, error):
    def fails(engine):
        if engine.steps == 3:
            raise error("now")

    engine, closed, ended = StepEngine(of_length, fails), [], threading.Event()

    @contextmanager
    def opened():
        try:
            yield engine
        finally:
            closed.append(dict(engine.open))

    writer = writer_of(engine, loop, opened=opened)

    async def batch():
        try:
            await asyncio.gather(*(turns(writer, place, 50) for place in range(3)))
        finally:
            ended.set()

    with pytest.raises(error, match="now"):
        writer.pump(lambda: loop.submit(batch()))
    assert closed == [{}]
    assert ended.wait(5)


def test_scorers_have_the_model_from_the_first_episode_to_the_last(loop):
    lent = []

    @contextmanager
    def lend():
        lent.append("lent")
        yield
        lent.append("back")

    engine = StepEngine(of_length, lambda engine: lent.append("step"))
    writer = writer_of(engine, loop, lend=lend)
    writer.pump(lambda: loop.submit(turns(writer, 0, 2, 1)))
    assert lent == ["lent", "step", "step", "step", "back"]


def test_what_it_did_is_counted(loop):
    engine = StepEngine(of_length)
    writer = writer_of(engine, loop)
    writer.pump(lambda: loop.submit(turns(writer, 0, 4, 4)))
    found = writer.figures.metrics()
    assert found["sampler/rows"] == 1
    assert found["sampler/cached"] == 0.5
    assert found["sampler/aborted"] == 0
    assert 0 < found["time/sampler_busy"] <= 1


def test_each_process_with_a_whole_vllm_plays_on_and_all_others_in_rounds(loop):
    def chosen(**settings):
        trainer = SimpleNamespace(**settings)
        return type(writer_for(trainer, loop.loop, [0], None, nullcontext))

    alone, shared = (SimpleNamespace(tensor_parallel_size=size) for size in (1, 2))
    assert chosen(use_vllm=True, vllm_mode="colocate", vllm_generation=alone) is ContinuousWriter
    assert chosen(use_vllm=True, vllm_mode="colocate", vllm_generation=shared) is LockstepWriter
    assert chosen(use_vllm=False) is LockstepWriter


class Slow(Talk):
    """Takes its time, which differs from run to run."""

    naps = (0.0,)

    def step(self, action):
        time.sleep(self.naps[self.row["place"] % len(self.naps)])
        return super().step(action)


def played(env, tiny, folder, says, limits=None, at_step=lambda engine: None):
    """Six episodes of an environment, with their tokens and what the engine did."""
    tokenizer = tiny()[1]
    bridge = trainer_kwargs(env, tokenizer, args=config(folder), bridge="rollout", limits=limits)["rollout_func"]
    engine = StepEngine(partial(says, tokenizer), at_step)
    writer = writer_of(engine, bridge.player.loop)
    jobs = jobs_of([0, 0, 1, 1, 2, 2])
    policy = TokenPolicy(writer, bridge.renderer, jobs, 3000, None, None, seed="0/0/0")
    bridge.renderer.end_turns_with([tokenizer.eos_token_id])
    return bridge.player.play(jobs, policy, True, writer=writer), policy.episodes, engine


def drawn(tokenizer, ask, rng):
    """Letters, as many as the seed says."""
    return tokens(tokenizer, "".join(rng.choice("abc") for _ in range(rng.randint(1, 9))))


def test_equal_seeds_are_equal_episodes_whoever_is_faster(tiny, tmp_path):
    runs = []
    for naps in ((0.0,), (0.03, 0.0, 0.01), (0.0, 0.02)):
        Slow.naps = naps
        episodes, transcripts, engine = played(Slow, tiny, tmp_path, drawn)
        runs.append(
            [(one.reward, segments.last.completion_ids) for one, segments in zip(episodes, transcripts, strict=True)]
        )
        assert engine.open == {}
    assert runs[0] == runs[1] == runs[2]
    assert len({str(ids) for _, ids in runs[0]}) == 6  # samples of one row differ, too


def test_the_tokens_and_logprobs_that_come_back_are_those_that_were_sampled(tiny, tmp_path):
    _, transcripts, engine = played(Talk, tiny, tmp_path, drawn)
    assert len(engine.asked) > 6
    for segments in transcripts:
        one = segments.last
        kept = zip(one.completion_ids, one.sampled, one.logprobs, strict=True)
        assert all(logprob == (-token if sampled else 0.0) for token, sampled, logprob in kept)


class Stuck(Errands):
    """Its score never comes, in one row."""

    def setup(self, row):
        if row["place"] == 1:
            time.sleep(30)


def test_an_episode_out_of_time_costs_the_others_nothing(tiny, tmp_path):
    said = lambda tokenizer, ask, rng: tokens(tokenizer, "bye")  # noqa: E731
    episodes, _, engine = played(Stuck, tiny, tmp_path, said, Limits(call_seconds=1.0))
    assert [episode.error is None for episode in episodes] == [True, True, False, False, True, True]
    assert engine.open == {}


TWO_RANKS = """
import asyncio, os, sys
from types import SimpleNamespace
from contextlib import nullcontext
from accelerate import Accelerator
from grpo_env_sdk.isolation.loops.loop_thread import LoopThread
from grpo_env_trl.writers.continuous import ContinuousWriter
from grpo_env_trl.writers.writer import Ask
from step_engine import StepEngine

accelerator = Accelerator(cpu=True)
rank = accelerator.process_index

def played(turns, fails=False):
    loop, engine = LoopThread(), StepEngine(lambda ask, rng: [rank] * 3)
    trainer = SimpleNamespace(accelerator=accelerator)
    writer = ContinuousWriter(trainer, lambda: nullcontext(engine), None, nullcontext)

    async def batch():
        for _ in range(turns):
            await writer.write(Ask(0, [7], 4))
        if fails:
            raise RuntimeError("gone")

    try:
        writer.pump(lambda: loop.submit(batch()))
    except Exception as exc:
        return f"{engine.steps} {type(exc).__name__}: {exc}"
    return f"{engine.steps} well"

outcomes = [played(1 if rank == 0 else 30), played(5, fails=rank == 1)]
with open(os.path.join(sys.argv[1], f"rank{rank}"), "w") as file:
    file.write("; ".join(outcomes))
accelerator.end_training()
"""


@pytest.mark.slow
def test_processes_play_without_each_other_and_hear_of_a_failure(tmp_path):
    script = tmp_path / "two_ranks.py"
    script.write_text(TWO_RANKS)
    run = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2"]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [*run, str(script), str(tmp_path)], capture_output=True, text=True, env=environment, timeout=900
    )
    assert done.returncode == 0, done.stderr
    first, second = ((tmp_path / f"rank{rank}").read_text() for rank in (0, 1))
    assert first.startswith("3 well; 15 EnvironmentFailedError: The episodes of another process failed.")
    assert second == "90 well; 15 RuntimeError: gone"
