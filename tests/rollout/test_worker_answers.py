"""Whatever a worker sends is an event or an error."""

import asyncio
import socket
from dataclasses import replace

import pytest

from grpo_env_sdk import load
from grpo_env_sdk.envs.own_limits import OwnLimits
from grpo_env_sdk.rewards.score_rule import RewardPart, ScoreRule
from grpo_env_sdk.rollout.commands import RunTools, Scored, Step, Stepped
from grpo_env_sdk.rollout.encoding import decode_event, encode, encode_event
from grpo_env_sdk.rollout.episode import LiveEpisode
from grpo_env_sdk.rollout.event_types import adds_up, fits
from grpo_env_sdk.rollout.host import Job
from grpo_env_sdk.rollout.process_frames import BadFrameError, Frame, Packet, Unpacker
from grpo_env_sdk.rollout.process_host import ProcessHost
from grpo_env_sdk.types import ToolCall
from tests.environments import Guess
from tests.rollout.worker_processes import Forging

STEPPED = (
    '{"$": "Stepped", "fields": {"observation": "", "reward": 1, "terminated": true, "truncated": false, '
    '"metrics": {"m": %s}}}'
)

FAILED = (
    '{{"$": "Failed", "fields": {{"reason": "env_error", "stage": "{stage}", "fault": {{"$": "Fault", "fields": '
    '{{"whose": "{whose}", "stage": "step", "type": "X", "message": "", "traceback": ""}}}}}}}}'
)


@pytest.mark.parametrize(
    "forged",
    [
        "[]", "not json", '"text"', "{}", '{"$": "array", "dtype": "O", "shape": [1], "blob": 0}',
        '{"$": "os.system", "fields": {"command": "true"}}', '{"$": "Stepped", "fields": {"reward": "high"}}',
        '{"$": "Stepped", "fields": {"observation": "", "reward": "high", "terminated": true, "truncated": false}}',
        '{"$": "Stepped", "fields": {"observation": "", "reward": 1, "terminated": 7, "truncated": false}}',
        '{"$": "Scored", "fields": {"values": [1.0]}}',
        '{"$": "Failed", "fields": {"reason": "magic", "fault": null}}', STEPPED % f"1{'0' * 400}", STEPPED % "NaN",
        STEPPED % '{"$": "array", "dtype": "u1", "shape": [9], "blob": 1}',
        STEPPED.replace('"reward": 1', f'"reward": 1{"0" * 400}') % "1",
        STEPPED.replace('"metrics"', '"stop_reason": "cancelled", "metrics"') % "1",
        FAILED.format(stage="environment", whose="policy"), FAILED.format(stage="environment", whose="sdk"),
        FAILED.replace("env_error", "policy_error").format(stage="environment", whose="environment"),
    ],
)  # fmt: skip
def test_whatever_a_worker_answers_is_an_event_or_an_error(forged):
    async def answered():
        theirs, ours = socket.socketpair()
        hosts = Forging(Guess, ours, theirs, forged)
        try:
            return await ProcessHost(hosts, Job(3), 1).perform(Step({"role": "assistant", "content": "1"}))
        finally:
            theirs.close()

    event = asyncio.run(answered())
    assert (event.reason, event.fault.type) == ("env_error", "ProcessEndedError")
    assert "row 3, sample 0 was ended, as it sent no answer but" in event.fault.message


def test_a_stage_that_no_episode_has_counts_as_the_environment():
    failed = decode_event(Packet(FAILED.format(stage="nowhere", whose="environment")))
    live = LiveEpisode(load(Guess).description, load(Guess).rows("all")[0])
    live.start()
    assert live.feed(replace(failed, seconds=2.0)).episode.timings["environment"] == 2.0


@pytest.mark.parametrize("weight", ["1" + "0" * 400, "NaN", "Infinity"])
def test_a_rule_whose_weights_are_no_numbers_is_an_error(weight):
    rule = encode(ScoreRule((RewardPart("right", 77.0),))).text.replace("77.0", weight)
    event = decode_event(Packet(f'{{"$": "Scored", "fields": {{"values": [1.0], "rule": {rule}}}}}'))
    assert not adds_up(event)


@pytest.mark.parametrize("value", ["0", "-1", "1" + "0" * 400, "NaN", "Infinity"])
@pytest.mark.parametrize("name", ["max_turns", "call_seconds", "episode_seconds"])
def test_a_limit_of_an_episode_that_no_class_could_have_is_an_error(name, value):
    limits = encode(OwnLimits(**{name: 77})).text.replace("77", value)
    event = decode_event(Packet(f'{{"$": "Opened", "fields": {{"limits": {limits}}}}}'))
    assert not adds_up(event)


@pytest.mark.parametrize(
    ("calls", "time", "said"),
    [(0, "60", "more time"), *((1, time, "it sent a time that") for time in ("null", "1e300", "NaN", '"long"', "["))],
)
def test_a_worker_gives_itself_no_more_time_than_its_calls_have(calls, time, said):
    async def answered():
        theirs, ours = socket.socketpair()
        hosts = Forging(Guess, ours, theirs, time, "clock")
        try:
            return await ProcessHost(hosts, Job(3), 1).perform(RunTools([ToolCall("1", "dig", {})] * calls, [], 0))
        finally:
            theirs.close()

    assert said in asyncio.run(answered()).fault.message


def test_every_event_of_an_honest_host_has_the_types_that_it_declares():
    honest = Stepped("x", 1, True, False, {"near": 0.5}, "max_turns", [{"name": "look"}])
    assert fits(decode_event(encode_event(honest)), Stepped)
    assert not fits(honest, Scored)


def test_frames_come_back_however_they_are_cut():
    sent = [Frame("perform", 7, Packet('{"a": "é"}', [b"", b"blob" * 100])), Frame("quit", 0, Packet("null"))]
    data, unpacker, found = b"".join(frame.packed() for frame in sent), Unpacker(), []
    for at in range(len(data)):
        unpacker.feed(data[at : at + 1])
        while frame := unpacker.next():
            found.append(frame)
    assert found == sent


@pytest.mark.parametrize(
    "junk",
    [
        b"\xff" * 64,
        b"\x01\x00\x00\x00\x00\xff\xff\xff\xff\x00\x00\x00\x00",
        b"\x05\x00\x00\x00\x01\x00\x00\x00\x04\x00\x10\x00\x00",
    ],
)
def test_junk_is_no_frame(junk):
    unpacker = Unpacker()
    unpacker.feed(junk)
    with pytest.raises(BadFrameError):
        unpacker.next()
