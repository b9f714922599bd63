import asyncio
import json
from datetime import date, datetime

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from grpo_env_sdk import call_message, load
from grpo_env_sdk.errors import ContractError
from grpo_env_sdk.policies import make_policy
from grpo_env_sdk.rollout.commands import Failed, Limits, Opened, RunTools, ScoreEpisode, Stepped
from grpo_env_sdk.rollout.driver import Rollout, drive, jobs_for
from grpo_env_sdk.rollout.encoding import (
    CommandDecoder,
    CommandEncoder,
    decode,
    decode_event,
    encode,
    encode_event,
)
from grpo_env_sdk.rollout.thread_host import ThreadHosts
from grpo_env_sdk.types import Fault, ToolCall
from tests.environments import ALL

LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary()
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5) | st.integers(), inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(VALUES)
def test_what_was_encoded_comes_back(value):
    assert decode(encode(value)) == value


@pytest.mark.parametrize(
    "value",
    [{"$": "float"}, {"$": 1, "x": [{"$": "image"}]}, float("inf"), -0.0, datetime(2026, 1, 2, 3), date(2026, 1, 2)],
)
def test_values_that_look_like_our_marks_come_back_too(value):
    assert decode(encode(value)) == value


def test_pictures_and_arrays_travel_beside_the_text():
    picture = Image.new("RGB", (3, 2), (1, 2, 3))
    packet = encode({"image": picture, "array": np.arange(6, dtype=np.int16).reshape(2, 3), "scalar": np.float32(0.5)})
    assert len(packet.blobs) == 2
    json.loads(packet.text)
    found = decode(packet)
    assert (found["image"].size, found["image"].getpixel((0, 0))) == ((3, 2), (1, 2, 3))
    assert found["array"].tolist() == [[0, 1, 2], [3, 4, 5]]
    assert (found["array"].dtype, found["scalar"]) == (np.int16, 0.5)


@pytest.mark.parametrize("value", [object(), {1, 2}, lambda: None])
def test_what_has_no_form_is_refused_with_the_value(value):
    with pytest.raises(ContractError, match="cannot be sent to another process"):
        encode({"deep": [value]})


@pytest.mark.parametrize("event", [
    Opened("Go.", 0.5), Stepped([{"role": "user", "content": "x"}], 0.5, False, True, {"near": 1.0}, "max_turns"),
    Failed("timeout", Fault("environment", "step", "ValueError", "no", "trace"), "environment", 2.0),
])  # fmt: skip
def test_events_come_back_as_they_were(event):
    assert decode_event(encode_event(event)) == event


def test_a_command_carries_only_the_messages_that_are_new():
    encoder, decoder = CommandEncoder(), CommandDecoder()
    messages = [{"role": "user", "content": "a" * 1000}, call_message("look")]
    calls = [ToolCall("1", "look", {})]
    first = encoder.encode(RunTools(calls, messages, 1))
    messages.append({"role": "tool", "content": "b"})
    second = encoder.encode(RunTools(calls, messages, 2))
    assert "a" * 1000 in first.text
    assert "a" * 1000 not in second.text
    assert decoder.decode(first) == RunTools(calls, messages[:2], 1)
    assert decoder.decode(second) == RunTools(calls, messages, 2)


class EncodedHosts(ThreadHosts):
    """Hosts that see nothing but what was encoded and decoded again, and whose answers are too."""

    def open(self, job):
        return EncodedHost(super().open(job))


class EncodedHost:
    def __init__(self, host):
        self.host, self.close = host, host.close
        self.encoder, self.decoder = CommandEncoder(), CommandDecoder()
        self.scored = None

    async def perform(self, command):
        arrived = self.decoder.decode(self.encoder.encode(command))
        assert arrived == command
        if isinstance(arrived, ScoreEpisode):
            assert arrived.episode.row == command.episode.row
        return decode_event(encode_event(await self.host.perform(arrived)))


@pytest.mark.parametrize("env", ALL)
@pytest.mark.parametrize("policy", ["gold", "random"])
def test_an_episode_is_the_same_through_the_encoding(env, policy):
    def played(hosts_of):
        loaded = load(env)
        rows = loaded.rows()[:4]
        rollout = Rollout(make_policy(policy), limits=Limits())

        async def collect():
            hosts = hosts_of(loaded, rollout.limits)
            return [episode async for episode in drive(hosts, rows, rollout, jobs_for(rows))]

        return {episode.row_index: untimed(episode) for episode in asyncio.run(collect())}

    assert played(EncodedHosts) == played(ThreadHosts)


def untimed(episode):
    record = {**episode.as_json(), "timings": None}
    return {**record, "tool_calls": [{**call, "seconds": 0} for call in record["tool_calls"]]}
