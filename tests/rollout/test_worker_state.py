"""The state of the one instance that episodes share, asked of the worker where it lives, and given back."""

import asyncio
import json
import socket

import numpy
import pytest

from grpo_env_sdk import Limits, load
from grpo_env_sdk.envs.state import EnvState, give_state, state_of
from grpo_env_sdk.errors import EnvironmentFailedError
from grpo_env_sdk.isolation.processes.env_pool import EnvPool
from grpo_env_sdk.rollout.encoding import encode
from grpo_env_sdk.rollout.process_host import ProcessHosts
from grpo_env_sdk.rollout.worker_state import give_to_worker, state_in_worker
from tests.rollout.hostile_envs import Counting, Keeping
from tests.rollout.worker_processes import Forging

STATE = {"scored": 7, "seen": (1, 2), "levels": numpy.arange(6, dtype="int16").reshape(2, 3)}


def with_hosts(env, work, config=None, seconds=60.0):
    """What a coroutine gives that is called with the hosts of an environment in worker processes."""

    async def done():
        loaded = load(env, config)
        loaded.pool = EnvPool("process", 2)
        hosts = ProcessHosts(loaded, Limits(call_seconds=seconds).call_seconds)
        try:
            return await work(hosts)
        finally:
            await hosts.end()
            hosts.close()

    return asyncio.run(done())


async def given_and_asked(hosts, state):
    await give_to_worker(hosts, state)
    return await state_in_worker(hosts)


@pytest.mark.parametrize(
    ("env", "key", "more"), [(Counting, "attributes", {}), (Keeping, "environment", {"restored": True})]
)
def test_the_state_that_a_worker_is_given_is_the_state_that_it_has(env, key, more):
    kept = with_hosts(env, lambda hosts: given_and_asked(hosts, EnvState.of({key: STATE})))
    assert repr(kept.values()) == repr({key: STATE | more})
    here = load(env)
    give_state(here, kept)
    assert repr(state_of(here).values()) == repr(kept.values())


def test_a_worker_that_follows_one_that_was_killed_begins_anew():
    async def killed(hosts):
        await give_to_worker(hosts, EnvState.of({"attributes": {"scored": 7}}))
        (await hosts.worker()).kill()
        return await state_in_worker(hosts)

    assert with_hosts(Counting, killed).values() == {"attributes": {"scored": 0}}


@pytest.mark.parametrize(
    ("act", "told"),
    [
        ("raise", "state_dict of .*Keeping raised ValueError: not today"),
        ("exit", "its process ended with exit code 3 in state_dict"),
        ("hang", "state_dict did not come back within 0.5 s"),
    ],
)
def test_a_state_that_does_not_come_is_one_line(act, told):
    with pytest.raises(EnvironmentFailedError, match=told) as caught:
        with_hosts(Keeping, state_in_worker, {"act": act}, 0.5 if act == "hang" else 60.0)
    assert "\n" not in str(caught.value)


def test_what_has_no_form_is_named_by_the_worker():
    assert with_hosts(Keeping, state_in_worker, {"act": "open"}).left == ["what state_dict() returns"]


ARRAY = '{"$": "EnvState", "fields": {"text": "{}", "left": [], "arrays": {"%s": {"$": "RawArray", "fields": %s}}}}'


@pytest.mark.parametrize(
    "forged",
    [
        "[]", "not json", '{"$": "EnvState", "fields": {"text": 5}}',
        *(encode(EnvState(text)).text for text in ("", "[]", "{", '{"weights": {}}')),
        encode(EnvState(left=[5])).text, encode(EnvState(arrays={"0": 5})).text,
        ARRAY % ("0", '{"dtype": "O", "shape": [1], "data": {"$": "bytes", "blob": 0}}'),
        ARRAY % ("0", '{"dtype": "int64", "shape": [-1, -1], "data": {"$": "bytes", "blob": 0}}'),
        ARRAY % ("0", '{"dtype": "int64", "shape": [1000000000], "data": {"$": "bytes", "blob": 0}}'),
        ARRAY % ("__metadata__", '{"dtype": "int64", "shape": [1], "data": {"$": "bytes", "blob": 0}}'),
    ],
)  # fmt: skip
def test_a_forged_state_is_refused(forged):
    async def answered():
        theirs, ours = socket.socketpair()
        with theirs, ours:
            return await state_in_worker(Forging(Counting, ours, theirs, forged))

    with pytest.raises(EnvironmentFailedError, match="sent no state"):
        asyncio.run(answered())


def test_an_honest_array_adds_up():
    state = EnvState.of({"attributes": {"a": numpy.ones((0, 3)), "b": numpy.float16(1), "c": numpy.array([1], ">i4")}})
    assert state.adds_up
    assert repr(state.values()["attributes"]["c"]) == repr(numpy.array([1], "int32"))
    assert json.loads(state.text)["attributes"].keys() == {"a", "b", "c"}
