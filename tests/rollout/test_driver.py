"""Episodes as the driver plays them."""

import asyncio
import gc
import threading
import time
import weakref

import pytest

from grpo_env_sdk import MultiTurnEnv, call_message, load
from grpo_env_sdk.errors import UsageError
from grpo_env_sdk.policies import NoRoomError, make_policy
from grpo_env_sdk.policies.builtin import ReplayPolicy
from grpo_env_sdk.policies.given_policy import policy_of
from grpo_env_sdk.rewards import Reward
from grpo_env_sdk.rollout.commands import Limits
from grpo_env_sdk.rollout.driver import Rollout, jobs_for
from grpo_env_sdk.rollout.host import Job
from grpo_env_sdk.rollout.in_threads import rollouts
from grpo_env_sdk.types import Turn
from tests.environments import ALL, Countdown, Guess, Phonebook, PlainWithTools
from tests.rollout.played import SCHEMA, Says, play, untimed


@pytest.mark.parametrize("env", ALL)
def test_gold_reaches_the_top_of_every_kind_of_environment(env):
    assert {episode.reward for episode in play(env)} == {1.0}


@pytest.mark.parametrize("env", [Phonebook, Guess, PlainWithTools])
def test_the_same_seed_gives_the_same_records_whatever_the_concurrency(env):
    alone, together = (play(env, "random", samples=2, concurrency=n) for n in (1, 16))
    assert [untimed(episode) for episode in alone] == [untimed(episode) for episode in together]


@pytest.mark.parametrize("env", ALL)
@pytest.mark.parametrize("policy", ["gold", "random"])
def test_replaying_a_record_gives_the_same_record(env, policy):
    recorded = play(env, policy)
    jobs = [Job(episode.row_index, episode.sample) for episode in recorded]
    again = play(env, ReplayPolicy(policy, recorded), jobs=jobs)
    assert [untimed(episode) for episode in again] == [untimed(episode) for episode in recorded]


def test_samples_that_go_on_from_those_of_an_epoch_have_seeds_of_their_own():
    rows, seeds = load(Countdown).rows()[:2], []

    def noting(request):
        seeds.append(request.seed)
        return "x"

    for epoch in range(3):
        play(Countdown, policy_of(noting), jobs=jobs_for(rows, 2, first_sample=2 * epoch))
    assert len(set(seeds)) == len(seeds) == 12


def test_the_members_of_a_group_get_one_task():
    first, second = play(Phonebook, "gold", rows=1, samples=2)
    assert (first.seed, first.row, first.messages) == (second.seed, second.row, second.messages)


def test_a_stateful_plain_class_scores_one_at_a_time_and_in_order():
    class Counting(Countdown):
        busy, scored = False, 0

        def score_episode(self, model, tokenizer, completion, case_idx):
            assert not self.busy
            self.busy = True
            time.sleep(0.001)
            self.busy = False
            self.scored += 1
            return float(self.scored == case_idx + 1)

    class Slower(Says):
        async def respond(self, request):
            await asyncio.sleep(0.02 if request.row_index % 2 == 0 else 0)
            return await super().respond(request)

    assert [episode.reward for episode in play(Counting, Slower("x"), concurrency=8)] == [1.0] * 19


def test_a_plain_class_that_says_parallel_scores_at_once():
    together = threading.Barrier(2, timeout=10)

    class Together(Countdown):
        parallel = True

        def score_episode(self, model, tokenizer, completion, start):
            together.wait()
            return 1.0

    assert [episode.reward for episode in play(Together, Says("x"), rows=2)] == [1.0, 1.0]


def test_an_async_scorer_is_concurrent_and_waited_for():
    inside = []

    class Judge(Countdown):
        async def score_episode(self, model, tokenizer, completion, start):
            inside.append(start)
            while len(inside) < 3:
                await asyncio.sleep(0.001)
            return 0.5

    assert [episode.reward for episode in play(Judge, Says("x"), rows=3)] == [0.5] * 3


def test_a_tool_class_that_cannot_be_copied_plays_whole_episodes_one_after_another():
    class Locked(PlainWithTools):
        def __init__(self):
            super().__init__()
            self.lock = threading.Lock()

        def score_episode(self, model, tokenizer, completion, a):
            mine, self.seen = self.seen, []
            return float(mine == [(a, 2)])

    assert {episode.reward for episode in play(Locked, concurrency=8)} == {1.0}


def test_the_instance_of_an_episode_is_freed_without_the_garbage_collector():
    alive = []

    class Watched(Phonebook):
        def setup(self, row):
            alive.append(weakref.ref(self))

    gc.disable()
    try:
        assert play(Watched)[0].tool_calls
        deadline = time.monotonic() + 5
        while any(one() is not None for one in alive) and time.monotonic() < deadline:
            time.sleep(0.01)  # the thread of its last call lets go of it a moment later
        assert alive
        assert not any(one() is not None for one in alive)
    finally:
        gc.enable()


def test_a_class_that_needs_the_model_is_refused_at_the_start():
    class NeedsModel(Countdown):
        uses_model = True

    with pytest.raises(UsageError, match="scores with the live model"):
        play(NeedsModel)


def test_a_call_that_is_no_json_is_answered_and_the_episode_goes_on():
    broken = {"tool_calls": [{"function": {"name": "look_up", "arguments": "{'name': "}}]}
    (episode,) = play(Phonebook, Says(broken, call_message("look_up", name="Person0"), "100"), rows=1)
    assert [call["error"] for call in episode.tool_calls] == ["malformed_call", None]
    assert episode.reward == 1.0


def test_an_episode_has_a_deadline_of_its_own():
    class Endless(MultiTurnEnv):
        max_turns = 10**6

        def build_dataset(self, tokenizer):
            return [{"prompt": "Go."}]

        def step(self, action):
            time.sleep(0.01)
            return "on", 0.0, False, False, {}

    (episode,) = play(Endless, Says("x"), limits=Limits(episode_seconds=1.0))
    assert (episode.stop_reason, episode.reward) == ("timeout", None)
    assert episode.turns > 1


def test_limits_of_the_run_may_be_narrower_than_the_environments():
    assert {episode.turns for episode in play(Guess, Says("16"), limits=Limits(turns=2))} == {2}
    assert {episode.stop_reason for episode in play(Guess, Says("16"))} == {"max_turns"}


def test_closing_the_iterator_early_cancels_what_runs():
    async def first_only():
        loaded = load(Guess)
        rows = loaded.rows()
        episodes = rollouts(loaded, rows, Rollout(make_policy("gold"), concurrency=4), jobs_for(rows))
        async for _ in episodes:
            break
        await episodes.aclose()
        return [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]

    assert asyncio.run(first_only()) == []


def test_the_schema_of_a_record_names_every_field():
    record = play(Countdown, rows=1)[0].as_json()
    assert set(SCHEMA["properties"]) == set(record)


def test_an_episode_whose_next_turn_has_no_room_ends_there_and_is_scored():
    class Brief(Says):
        async def respond(self, request):
            if request.turn:
                raise NoRoomError("No further turn fits.")
            return await super().respond(request)

    (episode,) = play(Phonebook, Brief(call_message("look_up", name="Person0")), rows=1)
    assert (episode.stop_reason, episode.turns, episode.error) == ("max_tokens", 1, None)
    assert episode.rewards == {"right": 0.0, "looked_up": 1.0}


def test_waiting_for_the_scores_before_it_costs_an_episode_none_of_its_time():
    class Slow(Countdown):
        def score_episode(self, model, tokenizer, completion, start):
            time.sleep(0.15)
            return 1.0

    episodes = play(Slow, Says("x"), rows=10, concurrency=10, limits=Limits(episode_seconds=1.2))
    assert {episode.reward for episode in episodes} == {1.0}


class LateRewards(Phonebook):
    """Its rewards are known when the rows are built, or only when an episode begins."""

    def __init__(self, when):
        self.when = when

    def build_dataset(self, tokenizer):
        if self.when == "rows":
            self.rewards = [Reward(lambda completion: 0.5, "late", weight=3.0)]
        return super().build_dataset(tokenizer)

    def setup(self, row):
        if self.when == "setup":
            self.rewards = [Reward(lambda completion: 0.5, "late", weight=float(1 + row["case_idx"]))]


@pytest.mark.parametrize("when", ["rows", "setup"])
def test_rewards_that_are_set_late_count_under_their_own_names(when):
    for episode in play(LateRewards(when), "gold", rows=3):
        assert episode.error is None
        assert episode.rewards.get("late", 0.5 if when == "rows" else None) == 0.5
        assert set(episode.rewards) >= {"right"}


def test_what_a_policy_says_of_its_seconds_is_not_added_to_the_clock():
    class Tells:
        name = "tells"

        async def respond(self, request):
            return Turn({"role": "assistant", "content": "x"}, seconds=100.0)

    assert max(episode.timings["policy"] for episode in play(Countdown, Tells())) < 50


@pytest.mark.parametrize("value", [0, -1, float("nan"), "5", True])
def test_a_limit_that_is_no_limit_is_refused_at_once(value):
    with pytest.raises(UsageError, match="turns must be a number above 0"):
        Limits(turns=value)
