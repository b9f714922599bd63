import asyncio
import gc
import threading
import time
from collections import Counter
from contextlib import asynccontextmanager

import pytest
import torch
from environments import Errands, Letters, rows
from scripted import ScriptedTrainer, StandIn, calls, config, says, tokens, written

from grpo_env_sdk import MultiTurnEnv, ToolEnv, load, reward, tool
from grpo_env_sdk.errors import EnvironmentFailedError
from grpo_env_sdk.rollout.commands import Limits
from grpo_env_trl import ranks
from grpo_env_trl.bridges.batch_player import BatchPlayer
from grpo_env_trl.bridges.trainer_kwargs import trainer_kwargs


class Meeting:
    """Counts how many are inside at once; lets them go once all of a party have come."""

    def __init__(self, party=1):
        self.party, self.inside, self.most = party, 0, 0
        self.lock = threading.Lock()
        self.complete = threading.Event()

    def __enter__(self):
        with self.lock:
            self.inside += 1
            self.most = max(self.most, self.inside)
            if self.inside == self.party:
                self.complete.set()
        self.complete.wait(10)

    def __exit__(self, *_):
        with self.lock:
            self.inside -= 1

    def __deepcopy__(self, memo):
        return self


MEETINGS = {}


class Busy(ToolEnv):
    """Every stage of an episode waits until all episodes of the batch are in it."""

    def build_dataset(self, tokenizer):
        return rows(40)

    def setup(self, row):
        with MEETINGS["reset"]:
            pass

    @tool
    def work(self) -> str:
        """Work."""
        with MEETINGS["tools"]:
            return "done"

    @reward
    def good(self):
        with MEETINGS["score"]:
            return 1.0


class BusySteps(MultiTurnEnv):
    max_turns = 2

    def build_dataset(self, tokenizer):
        return rows(40)

    def step(self, action):
        with MEETINGS["step"]:
            return "on", 0.5, False, False, {}


def bridge_for(env, tiny, folder, script, count=8, **changes):
    """What a batch of episodes came to, played by the rollout bridge."""
    model, tokenizer = tiny()
    kwargs = trainer_kwargs(env, tokenizer, args=config(folder), bridge="rollout", **changes)
    trainer = StandIn(model, tokenizer, script(tokenizer), most=3000)
    return kwargs["rollout_func"](kwargs["train_dataset"]["prompt"][:count], trainer)["episode"], kwargs["rollout_func"]


def calling(name):
    """A script that calls a tool once, then ends."""

    def script(tokenizer):
        call = tokens(tokenizer, written(tokenizer, calls((name, {}))))
        return lambda context, most: (
            tokens(tokenizer, "bye") if "<tool_response>" in tokenizer.decode(context) else call
        )

    return script


@pytest.mark.parametrize(("env", "stages"), [(Busy, ("reset", "tools", "score")), (BusySteps, ("step",))])
def test_a_whole_batch_is_in_each_stage_at_once(tiny, tmp_path, env, stages):
    MEETINGS.update({stage: Meeting(party=8) for stage in stages})
    episodes, _ = bridge_for(env, tiny, tmp_path, calling("work"))
    assert [episode.error for episode in episodes] == [None] * 8
    assert {stage: MEETINGS[stage].most for stage in stages} == dict.fromkeys(stages, 8)


class Patient(Letters):
    """An async scorer, which is concurrent of itself."""

    async def score_episode(self, model, tokenizer, completion, place):
        self.scored.append("in")
        while len(self.scored) < 8:  # until all of the batch are in
            await asyncio.sleep(0.001)
        self.scored.append("out")
        return 0.5


def trained(env, tiny, folder, **changes):
    model, tokenizer = tiny()
    made = env()
    kwargs = trainer_kwargs(made, tokenizer, args=config(folder, per_device_train_batch_size=8), **changes)
    trainer = ScriptedTrainer(model=model, script=says(tokenizer, "yes", "no"), **kwargs)
    trainer.train()
    return made


@pytest.mark.parametrize("bridge", ["native", "rollout"])
def test_an_async_scorer_scores_a_batch_at_once(tiny, tmp_path, bridge):
    assert trained(Patient, tiny, tmp_path, bridge=bridge).scored == ["in"] * 8 + ["out"] * 8


class Keeping(Letters):
    """Scores one after another, and would notice if it were otherwise."""

    def score_episode(self, model, tokenizer, completion, place):
        assert not getattr(self, "inside", False)
        self.inside = True
        time.sleep(0.002)
        self.inside = False
        return super().score_episode(model, tokenizer, completion, place)


@pytest.mark.parametrize("bridge", ["native", "rollout"])
def test_a_plain_class_that_keeps_state_scores_in_the_order_of_the_batch(tiny, tmp_path, bridge):
    seen = []
    made = trained(Keeping, tiny, tmp_path, bridge=bridge, seen=seen.append)
    assert made.scored == [episode.row["place"] for episode in seen[0].episodes]
    assert len(made.scored) == 8


class Shared:
    """A plain class that runs tools and cannot be copied: whole episodes one after another."""

    def __init__(self):
        self.lock = threading.Lock()
        self.log = []

    def build_dataset(self, tokenizer):
        return rows(20)

    def get_tools(self):
        return [{"type": "function", "function": {"name": "work", "parameters": {"type": "object", "properties": {}}}}]

    def work(self):
        self.log.append("work")
        return "done"

    def score_episode(self, model, tokenizer, completion):
        self.log.append("score")
        return 1.0


def test_a_shared_instance_that_runs_tools_plays_one_episode_after_another(tiny, tmp_path):
    made = Shared()
    episodes, bridge = bridge_for(made, tiny, tmp_path, calling("work"), count=4)
    assert bridge.player.loaded.description.one_at_a_time
    assert made.log == ["work", "score"] * 4
    assert [episode.reward for episode in episodes] == [1.0] * 4


class Hanging(Errands):
    """One row's tool never comes back."""

    @tool
    def work(self) -> str:
        """Work."""
        if self.row["place"] % 2:
            time.sleep(1000)
        return "done"


def test_a_tool_that_hangs_costs_its_own_episode(tiny, tmp_path):
    episodes, _ = bridge_for(Hanging, tiny, tmp_path, calling("work"), limits=Limits(call_seconds=1.0))
    for episode in episodes:
        hung = episode.row["place"] % 2 == 1
        assert (episode.stop_reason, episode.reward is None) == (("timeout", True) if hung else ("terminated", False))
        assert not hung or "the tool 'work' did not come back within 1 s" in episode.error.message
    assert {episode.row["place"] % 2 for episode in episodes} == {0, 1}


def test_an_episode_has_so_many_seconds_of_its_environment(tiny, tmp_path):
    class Slow(Errands):
        def setup(self, row):
            time.sleep(2)

    episodes, _ = bridge_for(Slow, tiny, tmp_path, calling("work"), count=2, limits=Limits(episode_seconds=0.1))
    assert [(episode.stop_reason, episode.error.message) for episode in episodes] == [
        ("timeout", "not over within 0.1 s")
    ] * 2


def test_a_training_in_which_nothing_ever_succeeds_ends_with_the_commonest_cause(tiny, tmp_path):
    wanted = r"Every one of 8 episodes failed, 8 with OSError: no office today\. Fix it, then see it run: grpo-env eval"
    with pytest.raises(EnvironmentFailedError, match=wanted):
        bridge_for(Errands, tiny, tmp_path, calling("work"), config={"fails": ("reset",)}, stop_after=8)


def test_a_process_in_which_nothing_ever_succeeds_ends_no_training_in_which_others_do(tiny, tmp_path, monkeypatch):
    monkeypatch.setattr(ranks, "on_any", lambda flag: True)
    failing = {"config": {"fails": ("reset",)}, "stop_after": 8}
    episodes, bridge = bridge_for(Errands, tiny, tmp_path, calling("work"), **failing)
    assert all(episode.error for episode in episodes)
    assert not bridge.player.succeeded


def test_a_process_ends_with_the_others_where_nothing_ever_succeeds_in_any(tiny, tmp_path, monkeypatch):
    monkeypatch.setattr(ranks, "on_any", lambda flag: flag)
    monkeypatch.setattr(ranks, "of_all", lambda mine: [mine, Counter({"OSError: no office today": 3})])
    with pytest.raises(EnvironmentFailedError, match="Every one of 11 episodes failed, 11 with OSError"):
        bridge_for(Errands, tiny, tmp_path, calling("work"), config={"fails": ("reset",)}, stop_after=8)


def test_failures_among_successes_never_end_a_training(tiny, tmp_path):
    episodes, bridge = bridge_for(
        Errands, tiny, tmp_path, calling("work"), config={"fails": ("reset", "")}, stop_after=1
    )
    assert {bool(episode.error) for episode in episodes} == {True, False}
    assert bridge.player.succeeded


def test_members_of_a_group_are_samples_of_one_row(tiny, tmp_path):
    model, tokenizer = tiny()
    kwargs = trainer_kwargs(Errands, tokenizer, args=config(tmp_path))
    prompts = [kwargs["train_dataset"]["prompt"][place] for place in (3, 3, 5, 3)]
    bridge = kwargs["rollout_func"]
    episodes = bridge(prompts, StandIn(model, tokenizer, calling("work")(tokenizer), most=2000))["episode"]
    assert [episode.sample for episode in episodes] == [0, 1, 0, 2]
    assert len({episode.row_index for episode in episodes}) == 2
    assert len({episode.seed for episode in episodes}) == 2


def test_the_environment_never_builds_gradients(tiny, tmp_path):
    found = []

    class Tensors(Errands):
        @tool
        def work(self) -> str:
            """Work."""
            found.append(torch.is_grad_enabled())
            return "done"

        async def slow(self) -> str:
            return ""

        @reward
        async def waited(self):
            found.append(torch.is_grad_enabled())
            return 1.0

    bridge_for(Tensors, tiny, tmp_path, calling("work"), count=1)
    assert found[-1] is False


def test_threads_end_with_the_trainer_that_needed_them(tiny, tmp_path):
    def ours():
        return {thread for thread in threading.enumerate() if thread.name.startswith("grpo-env")}

    gc.collect()
    before = ours()
    model, tokenizer = tiny()
    for env, bridge in ((Letters, "native"), (Errands, "rollout")):
        kwargs = trainer_kwargs(env, tokenizer, args=config(tmp_path), bridge=bridge)
        trainer = ScriptedTrainer(model=model, script=says(tokenizer, "yes"), **kwargs)
        trainer.train()
        assert ours() - before
        del trainer, kwargs
        gc.collect()
        deadline = time.monotonic() + 30
        while ours() - before and time.monotonic() < deadline:
            time.sleep(0.01)
        assert ours() - before == set()


class Shares(Errands):
    """Begins an episode with a client of the whole training, on the loop that the client belongs to."""

    opened: list = []  # noqa: RUF012

    @asynccontextmanager
    async def open_shared(self):
        self.opened.append("opened")
        yield asyncio.get_running_loop()
        self.opened.append("closed")

    async def setup(self, row):
        await asyncio.sleep(0)
        assert asyncio.get_running_loop() is self.shared

    @tool
    async def work(self) -> str:
        """Work."""
        assert asyncio.get_running_loop() is self.shared
        return "done"

    async def close(self):
        assert asyncio.get_running_loop() is self.shared
        self.opened.append("episode")


@pytest.mark.parametrize("bridge", ["rollout", "environment_factory"])
def test_what_episodes_share_is_open_for_the_whole_training(tiny, tmp_path, bridge):
    model, tokenizer = tiny()
    Shares.opened.clear()
    played = []
    args = config(tmp_path, max_steps=2, per_device_train_batch_size=8)
    kwargs = trainer_kwargs(
        Shares, tokenizer, args=args, bridge=bridge, seen=lambda batch: played.extend(batch.episodes)
    )
    ScriptedTrainer(model=model, script=calling("work")(tokenizer), **kwargs).train()
    assert Shares.opened == ["opened", *["episode"] * 16, "closed"]
    assert [episode.error for episode in played] == [None] * 16
    assert {call["error"] for episode in played for call in episode.tool_calls} <= {None}


def test_rows_are_found_by_their_place_in_the_whole_dataset():
    loaded = load(Letters)
    player = BatchPlayer(loaded, [loaded.rows("train"), loaded.rows("test")], Limits())
    test_rows = list(loaded.rows("test").indices)
    assert [player.row(index)["place"] for index in test_rows] == test_rows
    assert sorted(player.indices) == list(loaded.rows().indices)
