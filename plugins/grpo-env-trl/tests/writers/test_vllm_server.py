"""The writer that asks a vLLM server for each turn: a real server over HTTP, whose tokens come from a real model."""

import asyncio
import json
import threading
from concurrent.futures import CancelledError
from contextlib import ExitStack, nullcontext

import pytest
import torch
from environments import Talk
from scripted import config, tokens
from vllm_stub import OnServer, VLLMStub

from grpo_env_sdk import GrpoEnvWarning
from grpo_env_sdk.ext import LoopThread, PolicyError, UnusablePolicyError
from grpo_env_trl.bridges.trainer_kwargs import trainer_kwargs
from grpo_env_trl.writers.vllm_server import ServerWriter
from grpo_env_trl.writers.vllm_servers import VLLMServers, servers_of
from grpo_env_trl.writers.writer import Ask
from tests.stub_server import closes_in_the_middle, error, hangs_up, never, raw, whole

GOOD = {"index": 0, "finish_reason": "stop", "token_ids": [5], "logprobs": {"token_logprobs": [-1.0]}}
"""The choice of an answer."""


@pytest.fixture
def loop():
    thread = LoopThread(on_start=lambda: None)
    yield thread
    thread.close()


@pytest.fixture
def stub(tiny):
    """A server with the tiny model."""
    with VLLMStub(tiny()[0]) as server:
        yield server


def written(loop, trainer, asks, servers=None):
    """What a writer gives for these asks, played together."""
    servers = servers or VLLMServers([trainer.args.vllm_server_base_url])
    writer = ServerWriter(trainer, loop.loop, servers, None, nullcontext)

    async def episodes():
        return await asyncio.gather(*(writer.write(ask) for ask in asks))

    return writer.pump(lambda: loop.submit(episodes()))


def test_ids_go_out_and_the_sampled_ids_come_back_with_their_exact_logprobs(loop, stub, tiny):
    model, tokenizer = tiny()
    asks = [Ask(place, tokens(tokenizer, f"say {place}"), 12, seed=place) for place in range(4)]
    turns = written(loop, OnServer(model, tokenizer, stub.base), asks)
    for ask, turn in zip(asks, turns, strict=True):
        with torch.no_grad():
            logits = model(torch.tensor([[*ask.context, *turn.ids]])).logits[0, len(ask.context) - 1 : -1]
        exact = logits.log_softmax(-1).gather(1, torch.tensor(turn.ids)[:, None])[:, 0]
        assert turn.logprobs == pytest.approx(exact.tolist(), abs=4e-6)
        assert turn.seconds > 0
    assert len({tuple(turn.ids) for turn in turns}) > 1


def test_a_request_has_everything_that_the_trainer_samples_with(loop, stub, tiny):
    model, tokenizer = tiny()
    trainer = OnServer(model, tokenizer, stub.base)
    trainer.vllm_generation.generation_kwargs = {"presence_penalty": 0.5}
    written(loop, trainer, [Ask(0, [5, 6], 3, seed=77)])
    assert json.loads(stub.asked[0].body) == {
        "model": "tiny", "prompt": [5, 6], "max_tokens": 3, "seed": 77, "temperature": 1.0, "top_p": 1.0, "top_k": 0,
        "min_p": 0.0, "repetition_penalty": 1.0, "stop_token_ids": sorted(trainer.eos_token_ids), "n": 1,
        "presence_penalty": 0.5, "logprobs": 0, "return_token_ids": True,
    }  # fmt: skip


def figures_of(loop, trainer, asks):
    """The figures of a batch of these asks."""
    writer = ServerWriter(trainer, loop.loop, VLLMServers([trainer.args.vllm_server_base_url]), None, nullcontext)

    async def episodes():
        return await asyncio.gather(*(writer.write(ask) for ask in asks))

    writer.pump(lambda: loop.submit(episodes()))
    return writer.figures.metrics()


def test_how_many_turns_are_sampled_at_once_is_counted(loop, stub, tiny):
    trainer = OnServer(*tiny(), stub.base)
    assert 0 < figures_of(loop, trainer, [Ask(0, [5, 6], 3)])["sampler/rows"] <= 1.01
    assert figures_of(loop, trainer, [Ask(place, [5, 6], 24, seed=place) for place in range(4)])["sampler/rows"] > 1.5


@pytest.mark.parametrize(("usage", "share"), [
    ({"prompt_tokens": 4, "prompt_tokens_details": {"cached_tokens": 3}}, 0.75),
    ({"prompt_tokens": 4, "prompt_tokens_details": {"cached_tokens": 0}}, 0.0),
    ({"prompt_tokens": 4, "prompt_tokens_details": None}, None),
    ({"prompt_tokens_details": {"cached_tokens": "all"}}, None),
    ({"prompt_tokens_details": {"cached_tokens": -1}}, None),
    ({"prompt_tokens_details": [3]}, None), ([], None), (None, None),
])  # fmt: skip
def test_cached_tokens_are_counted_where_the_server_says_them(usage, share, loop, stub, tiny):
    stub.plays(whole({"choices": [GOOD], "usage": usage}))
    assert figures_of(loop, OnServer(*tiny(), stub.base), [Ask(0, [5, 6, 7, 8], 3)]).get("sampler/cached") == share


def test_equal_seeds_sample_equal_turns(loop, stub, tiny):
    trainer = OnServer(*tiny(), stub.base)
    first, again = (written(loop, trainer, [Ask(0, [5, 6, 7], 8, seed=3)])[0] for _ in range(2))
    assert (first.ids, first.logprobs) == (again.ids, again.logprobs)


@pytest.mark.parametrize("trouble", [
    error(500), error(503, retry_after="0"), error(429, retry_after="0"), hangs_up, closes_in_the_middle,
    raw("<html>busy</html>", kind="text/html"), raw("{choi"), whole({"choices": []}),
])  # fmt: skip
def test_what_passes_is_tried_again(loop, stub, tiny, trouble):
    stub.plays(trouble, stub.samples)
    assert written(loop, OnServer(*tiny(), stub.base), [Ask(0, [5, 6], 3)])[0].ids
    assert stub.requests == 2


def answer(**changes):
    """A completion that has these parts."""
    return whole({"choices": [{**GOOD, **changes}]})


@pytest.mark.parametrize(("trouble", "said"), [
    (answer(token_ids=None), "without the ids"),
    (answer(token_ids=["5"]), "without the ids"),
    (answer(token_ids=[]), "sampled 0 tokens"),
    (answer(token_ids=[5, 5, 5, 5], logprobs={"token_logprobs": [-1.0] * 4}), "sampled 4 tokens where 1 to 3"),
    (answer(prompt_token_ids=[9]), "continued another prompt"),
    (answer(logprobs=None), "--logprobs-mode processed_logprobs"),
    (answer(logprobs={"token_logprobs": [-1.0, -1.0]}), "log-probability of every token"),
    (answer(logprobs={"token_logprobs": [7.5]}), "answers with 7.5 as the log-probability"),
    (error(400, "Extra inputs are not permitted"), "answered 400: Extra inputs"),
    (error(401, "who are you"), "answered 401: who are you"),
    (raw("", status=307, Location="http://elsewhere"), "answered 307"),
])  # fmt: skip
def test_a_server_that_cannot_train_ends_the_run_with_one_line(loop, stub, tiny, trouble, said):
    stub.plays(trouble)
    with pytest.raises(UnusablePolicyError) as caught:
        written(loop, OnServer(*tiny(), stub.base), [Ask(0, [5, 6], 3)])
    assert said in str(caught.value)
    assert stub.base in str(caught.value)
    assert "\n" not in str(caught.value)
    assert stub.requests == 1


def test_a_prompt_that_the_server_does_not_take_is_its_episodes_own(loop, stub, tiny):
    with pytest.raises(PolicyError, match="maximum context length") as caught:
        written(loop, OnServer(*tiny(), stub.base), [Ask(0, [5] * 511, 3)])
    assert not isinstance(caught.value, UnusablePolicyError)


def test_a_failure_that_lasts_ends_the_run_and_names_the_next_step(loop, stub, tiny):
    stub.plays(error(500, "broken"))
    with pytest.raises(UnusablePolicyError, match=r"answered 500: broken .*--resume"):
        written(loop, OnServer(*tiny(), stub.base, patience=0.3), [Ask(0, [5, 6], 3)])


class NamesAtOnce(ServerWriter):
    """A writer that does not wait before it says that it waits."""

    named_after = 0.0


def test_what_is_tried_again_is_named_once_long_before_the_end(loop, stub, tiny):
    stub.plays(*[error(500, "broken")] * 3, stub.samples)
    writer = NamesAtOnce(OnServer(*tiny(), stub.base), loop.loop, VLLMServers([stub.base]), None, nullcontext)
    with pytest.warns(GrpoEnvWarning, match=r"answered 500: broken \(for \d s; the training ends after 30\)") as told:
        assert writer.pump(lambda: loop.submit(writer.write(Ask(0, [5, 6], 3)))).ids
    assert len(told) == 1


def test_a_turn_that_fails_while_others_are_answered_fails_its_episode_alone(loop, stub, tiny):
    trainer = OnServer(*tiny(), stub.base)
    stub.when('"prompt": [9]', error(500, "this one breaks me", retry_after="0"))
    writer = ServerWriter(trainer, loop.loop, VLLMServers([stub.base]), None, nullcontext)

    async def episodes():
        bad = asyncio.ensure_future(writer.write(Ask(0, [9], 3)))
        while not bad.done():
            await writer.write(Ask(1, [5], 1))
        return bad.exception()

    found = writer.pump(lambda: loop.submit(episodes()))
    assert type(found) is PolicyError
    assert "this one breaks me" in str(found)


def test_a_server_that_was_started_again_has_lost_the_weights(loop, stub, tiny):
    trainer = OnServer(*tiny(), stub.base)
    servers = VLLMServers([stub.base])
    stub.settings["instance_id"] = "second"
    stub.plays(hangs_up, stub.samples)
    with pytest.raises(UnusablePolicyError, match=r"started again, and no longer has the weights.*--resume"):
        written(loop, trainer, [Ask(0, [5, 6], 3)], servers)
    with pytest.raises(UnusablePolicyError, match="No vLLM server is left"):
        VLLMServers.check(servers)


def test_a_server_that_hangs_is_noticed_by_its_health_and_a_slow_one_is_waited_for(loop, stub, tiny):
    async def slow(asked):
        await asyncio.sleep(0.5)
        return await stub.samples(asked)

    stub.plays(slow)
    assert written(loop, OnServer(*tiny(), stub.base, patience=0.1), [Ask(0, [5, 6], 3)])[0].ids
    assert stub.paths.count("/health") >= 2


def test_several_servers_share_the_turns_and_an_episode_stays_where_it_is_known(loop, stub, tiny):
    model, tokenizer = tiny()
    with VLLMStub(model) as other:
        servers = VLLMServers([stub.base, other.base])
        writer = ServerWriter(OnServer(model, tokenizer, stub.base), loop.loop, servers, None, nullcontext)

        async def episode(place):
            for turn in range(3):
                await writer.write(Ask(place, [5, 6, place], 2, seed=turn))

        async def episodes():
            await asyncio.gather(*(episode(place) for place in range(8)))

        writer.pump(lambda: loop.submit(episodes()))
        assert stub.requests + other.requests == 24
        assert min(stub.requests, other.requests) >= 8
        assert [server.open for server in servers.all] == [0, 0]


def test_a_dead_server_is_left_out_with_a_warning_while_another_lives(loop, stub, tiny):
    model, tokenizer = tiny()
    with VLLMStub(model) as other:
        servers = VLLMServers([other.base, stub.base])
    with pytest.warns(GrpoEnvWarning, match=f"No answer from {other.base}.*{stub.base} samples the rest"):
        turns = written(
            loop, OnServer(model, tokenizer, stub.base), [Ask(place, [5, 6], 3) for place in range(4)], servers
        )
    assert [len(turn.ids) for turn in turns]
    assert servers.check() == [1]


def test_a_server_that_fails_while_it_gets_the_weights_ends_the_training_with_one_line(tiny):
    model, tokenizer = tiny()
    with ExitStack() as until:
        stub = until.enter_context(VLLMStub(model))
        trainer = OnServer(model, tokenizer, stub.base)

        def fails():
            raise ConnectionError("Connection aborted")

        trainer.vllm_generation.sync_weights = fails
        servers_of(trainer)
        with pytest.raises(ConnectionError):  # it still answers: a bug keeps its traceback
            trainer.vllm_generation.sync_weights()

        def killed():
            until.close()
            fails()

        trainer = OnServer(model, tokenizer, stub.base)
        trainer.vllm_generation.sync_weights = killed
        servers_of(trainer)
        with pytest.raises(UnusablePolicyError, match="while it got the weights"):
            trainer.vllm_generation.sync_weights()


def test_the_turns_of_episodes_that_are_cancelled_are_aborted(loop, stub, tiny):
    gone = threading.Event()

    async def waits(asked):
        try:
            return await never(asked)
        except asyncio.CancelledError:
            gone.set()
            raise

    stub.plays(waits)
    writer = ServerWriter(OnServer(*tiny(), stub.base), loop.loop, VLLMServers([stub.base]), None, nullcontext)

    async def episode():
        asking = asyncio.ensure_future(writer.write(Ask(0, [5, 6], 3)))
        while not stub.requests:
            await asyncio.sleep(0.01)
        asking.cancel()
        await asyncio.wait([asking])
        return asking.cancelled()

    assert writer.pump(lambda: loop.submit(episode()))
    assert gone.wait(10)
    assert writer.figures.metrics()["sampler/aborted"] == 1


def test_a_batch_that_is_given_up_leaves_no_request_behind(loop, stub, tiny):
    stub.plays(never)
    writer = ServerWriter(OnServer(*tiny(), stub.base), loop.loop, VLLMServers([stub.base]), None, nullcontext)

    async def episodes():
        await asyncio.gather(*(writer.write(Ask(place, [5, 6], 3)) for place in range(3)))

    def begin():
        playing = loop.submit(episodes())
        threading.Thread(target=lambda: (wait_for(lambda: stub.at_once == 3), playing.cancel())).start()
        return playing

    with pytest.raises(CancelledError):
        writer.pump(begin)
    wait_for(lambda: stub.at_once == 0)


def wait_for(condition):
    """Return once it holds."""
    while not condition():
        threading.Event().wait(0.01)


def bridge_for(env, tiny, folder, url, **changes):
    model, tokenizer = tiny()
    kwargs = trainer_kwargs(env, tokenizer, args=config(folder), bridge="rollout", **changes)
    return OnServer(model, tokenizer, url), kwargs["rollout_func"], kwargs["train_dataset"]["prompt"]


def test_whole_episodes_are_played_on_it_and_the_context_of_the_server_bounds_them(stub, tiny, tmp_path):
    stub.context = 790
    trainer, bridge, prompts = bridge_for(Talk, tiny, tmp_path, stub.base)
    columns = bridge(prompts[:4], trainer)
    assert [episode.error for episode in columns["episode"]] == [None] * 4
    for prompt, completion in zip(columns["prompt_ids"], columns["completion_ids"], strict=True):
        assert len(prompt) + len(completion) <= 790
    assert columns["logprobs"] is not None
    assert all(asked.json["max_tokens"] + len(asked.json["prompt"]) <= 790 for asked in stub.asked)
