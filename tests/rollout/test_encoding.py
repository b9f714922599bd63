import asyncio
import json
from datetime import date, datetime
from decimal import Decimal

import numpy as np
import pandas
import pytest
from datasets import Dataset
from datasets import Image as ImageFeature
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
    Packet,
    decode,
    decode_event,
    encode,
    encode_event,
)
from grpo_env_sdk.rollout.thread_host import ThreadHosts
from grpo_env_sdk.types import Fault, ToolCall
from tests.environments import ALL
from tests.images.pictures import saved_as
from tests.rollout.worker_processes import untimed

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


@pytest.mark.parametrize("text", ["x" * 5000, 'é\n"' * 2000, "\ud800" * 1024, "x" * 1023])
def test_long_texts_travel_beside_the_text(text):
    packet = encode({"said": text})
    assert (len(packet.text) < 100, len(packet.blobs)) == ((True, 1) if len(text) >= 1024 else (False, 0))
    assert decode(packet) == {"said": text}


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "I;16", "CMYK", "YCbCr", "LAB", "HSV", "I", "F"])
def test_images_of_every_mode_come_back(mode):
    picture = Image.effect_noise((4, 3), 50).convert("RGB" if mode in ("LAB", "HSV", "YCbCr", "CMYK") else "L")
    picture = picture.convert(mode)
    found = decode(encode(picture))
    assert (found.mode, found.size, found.tobytes()) == (picture.mode, picture.size, picture.tobytes())


@pytest.mark.parametrize("array", [
    np.array([], dtype=np.float32).reshape(0, 3), np.array(["2026-01-02", "NaT"], dtype="datetime64[ns]"),
    np.array([1, 2], dtype="timedelta64[ms]"), np.array(["a", "bcd"]), np.array([True, False]), np.array([1 + 2j]),
    np.array(2.5), np.longdouble(1) / 3, np.datetime64("2026-01-02T03:04:05.000000007"),
], ids=str)  # fmt: skip
def test_arrays_of_every_kind_come_back(array):
    found = decode(encode([array]))[0]
    assert np.array_equal(np.asarray(found), np.asarray(array), equal_nan=np.asarray(array).dtype.kind in "fcmM")
    assert np.asarray(found).dtype == np.asarray(array).dtype


@pytest.mark.parametrize("format", ["JPEG", "TIFF", "EPS"])
def test_an_image_that_is_no_png_is_not_opened(format):
    with pytest.raises(ContractError, match="no image"):
        decode(Packet('{"$": "image", "blob": 0}', [saved_as(format)]))


def test_the_bytes_of_a_value_belong_to_no_other():
    for kind in ("image", "text", "bytes"):
        value = {"$": kind, "blob": 0}
        packet = Packet(json.dumps([value, value]), [saved_as("PNG") if kind == "image" else b"x"])
        with pytest.raises(ContractError, match="several values"):
            decode(packet)


def test_an_answer_has_only_so_many_pixels_and_so_much_json(monkeypatch):
    shown = encode_event(Stepped([{"role": "user", "content": [Image.new("L", (10, 10))] * 4}], 0.0, True, False))
    assert isinstance(decode_event(shown), Stepped)
    monkeypatch.setattr("grpo_env_sdk.rollout.encoding._MOST_PIXELS", 399)
    with pytest.raises(ContractError, match="more than 399 pixels"):
        decode_event(shown)
    monkeypatch.setattr("grpo_env_sdk.rollout.encoding._MOST_JSON", 1 << 16)
    with pytest.raises(ContractError, match="MiB of JSON"):
        decode_event(Packet("[" + "[]," * 22_000 + "1]"))
    with pytest.raises(ContractError, match="MiB of JSON"):
        encode_event(Stepped([[]] * 22_000, 0.0, True, False))


def test_columns_of_a_data_set_come_back():
    row = Dataset.from_dict({
        "when": [datetime(2026, 1, 2, 3, 4, 5)], "price": [Decimal("1.50")], "nested": [{"a": [1, None]}],
        "image": [Image.new("CMYK", (2, 2), (1, 2, 3, 4))],
    }).cast_column("image", ImageFeature())[0]  # fmt: skip
    found = decode(encode(row))
    assert {**found, "image": None} == {**row, "image": None}
    assert found["image"].tobytes() == row["image"].tobytes()
    assert decode(encode({"when": pandas.Timestamp("2026-01-02 03:04"), "none": pandas.NaT})) == {
        "when": datetime(2026, 1, 2, 3, 4), "none": None,
    }  # fmt: skip


def test_messages_of_a_command_that_cannot_be_sent_are_sent_with_the_next():
    encoder, decoder = CommandEncoder(), CommandDecoder()
    messages = [{"role": "user", "content": object()}]
    with pytest.raises(ContractError):
        encoder.encode(RunTools([], messages, 1))
    messages[0]["content"] = "text"
    assert decoder.decode(encoder.encode(RunTools([], messages, 1))).messages == messages


@pytest.mark.parametrize("value", [object(), {1, 2}, lambda: None, {(1, 2): 3}])
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
            hosts = hosts_of(loaded)
            return [episode async for episode in drive(hosts, rows, rollout, jobs_for(rows))]

        return {episode.row_index: untimed(episode) for episode in asyncio.run(collect())}

    assert played(EncodedHosts) == played(ThreadHosts)


def test_a_number_that_python_writes_no_text_of_is_refused():
    with pytest.raises(ContractError, match="cannot be written as JSON"):
        encode({"n": 10**5000})
