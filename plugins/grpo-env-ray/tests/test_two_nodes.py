"""A real cluster of two nodes: the same records as in threads, also where a node is killed in the middle."""

import asyncio
from collections import Counter

import pytest
from rough_envs import Licensed, Rough, Slow

from grpo_env_ray.actor import EnvActor
from grpo_env_sdk import Limits, Turn, evaluate, load
from grpo_env_sdk.errors import EnvironmentFailedError, UsageError
from grpo_env_sdk.ext import EnvPool, check_pool
from tests.environments import Guess, Phonebook
from tests.rollout.worker_processes import untimed

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]


class Counts:
    """Counts the words of each episode; four wait for each other in their midst, and `then` is called as they go on."""

    name = "counts"

    def __init__(self, then=None):
        self.turns, self.then, self.four = Counter(), then, asyncio.Event()

    async def respond(self, request):
        self.turns[request.row_index] += 1
        if self.then is not None and self.turns[request.row_index] == 3:
            if sum(count == 3 for count in self.turns.values()) == 4:
                then, self.then = self.then, None
                self.four.set()
                await asyncio.to_thread(then)
            await self.four.wait()
        return Turn({"role": "assistant", "content": f"word {request.turn}"})


def played(env, policy, pool="thread", **more):
    found = evaluate(env, policy, split="all", env_pool=pool, **more)
    return {episode.row_index: untimed(episode) for episode in found.kept}


def on(cluster, **more):
    return {"pool": "ray", "env_pool_options": {"ray_address": cluster.address, **more}}


def test_all_episodes_are_scored_where_a_node_is_killed_in_the_middle(cluster, capsys):
    policy = Counts(cluster.kill_node)
    records = played(Slow, policy, **on(cluster), env_workers=4)
    assert policy.then is None
    assert records == played(Slow, Counts())
    assert {record["error"] for record in records.values()} == {None}
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("env", [Guess, Phonebook])
def test_records_are_those_of_threads(cluster, env):
    assert played(env, "random", **on(cluster), rows=6) == played(env, "random", rows=6)


def test_code_that_ends_its_process_or_hangs_costs_its_own_episode(cluster):
    limits = Limits(call_seconds=1.0)
    records = played(Rough, "echo", **on(cluster), env_workers=2, limits=limits)
    assert [records[row]["reward"] for row in range(6)] == [1.0, 1.0, None, 1.0, None, 1.0]
    assert "row 2, sample 0 ended with exit code 3 in score" in records[2]["error"]["message"]
    assert (records[4]["stop_reason"], records[4]["error"]["type"]) == ("timeout", "DeadlineError")


def test_resources_that_no_node_has_are_refused_with_what_there_is(cluster):
    with pytest.raises(UsageError, match="1 CPU, 1 license, which no node") as refused:
        evaluate(Licensed, "echo", env_pool="ray", env_pool_options={"ray_address": cluster.address})
    assert "2 CPU" in str(refused.value)


def test_a_user_s_resources_take_the_place_of_the_class_s(cluster):
    named = on(cluster, ray_resources='{"license": 0}')
    assert played(Licensed, "echo", **named, limits=Limits(call_seconds=1.0))[0]["reward"] == 1.0


def test_one_process_uses_one_cluster(cluster):
    loaded = load(Rough)
    loaded.pool = EnvPool("ray", options={"ray_address": "local"})
    played(Rough, "echo", **on(cluster), rows=1)
    with pytest.raises(UsageError, match=r"--ray-address is local"):
        check_pool(loaded)


ONLY_HERE = """
import os

from rough_envs import Rough

if "IT_IS_HERE" not in os.environ:
    raise ModuleNotFoundError("No module named 'only_here'", name="only_here")

class Absent(Rough):
    pass
"""


def test_a_package_that_a_node_lacks_is_named_with_the_node(cluster, tmp_path, monkeypatch):
    (tmp_path / "only_here.py").write_text(ONLY_HERE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("IT_IS_HERE", "1")  # the nodes began without it
    from only_here import Absent

    with pytest.raises(EnvironmentFailedError, match=r"The Ray node \S+ cannot run .*only_here") as refused:
        played(Absent, "echo", **on(cluster))
    assert "on every node" in refused.value.hint


def test_another_release_of_the_sdk_on_a_node_is_named(cluster):
    import ray

    played(Rough, "echo", **on(cluster), rows=1)
    actor = ray.remote(EnvActor).remote()
    told = ray.get(actor.start.remote({}, "9.9.9", [], None, 1.0))
    ray.kill(actor)
    assert "and this process 9.9.9" in told["wrong"]
    assert "pip install grpo-env-sdk==9.9.9" in told["hint"]
