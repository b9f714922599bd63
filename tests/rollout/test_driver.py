import asyncio
import gc
import json
import os
import sys
import threading
import time
import weakref
from pathlib import Path

import jsonschema
import numpy as np
import pytest

from grpo_env_sdk import Episode, MultiTurnEnv, ToolEnv, call_message, load, reward, tool
from grpo_env_sdk.errors import ProcessStuckError, UsageError
from grpo_env_sdk.policies import NoRoomError, Policy, make_policy
from grpo_env_sdk.policies.builtin import ReplayPolicy
from grpo_env_sdk.rewards import Reward
from grpo_env_sdk.rollout.commands import Limits
from grpo_env_sdk.rollout.driver import Rollout, jobs_for
from grpo_env_sdk.rollout.host import Job
from grpo_env_sdk.rollout.in_threads import rollouts
from grpo_env_sdk.types import Turn
from tests.environments import ALL, Countdown, Guess, Phonebook, PlainWithTools

SCHEMA = json.loads((Path(__file__).parents[2] / "docs/schemas/episode-v1.json").read_text())
RECORD = jsonschema.Draft202012Validator(SCHEMA)


def play(env, policy: str | Policy = "gold", rows=None, samples=1, jobs=None, **options) -> list[Episode]:
    """Every record, in the order of rows, each valid against the published schema."""

    async def collect():
        loaded = load(env)
        found = loaded.rows()[:rows]
        made = make_policy(policy) if isinstance(policy, str) else policy
        work = jobs_for(found, samples) if jobs is None else jobs
        return [episode async for episode in rollouts(loaded, found, Rollout(made, **options), work)]

    episodes = asyncio.run(collect())
    for episode in episodes:
        RECORD.validate(json.loads(json.dumps(episode.as_json())))
    return sorted(episodes, key=lambda episode: (episode.row_index, episode.sample))


def untimed(episode: Episode) -> dict:
    record = json.loads(json.dumps(episode.as_json()))
    for call in record["tool_calls"]:
        del call["seconds"]
    return record | {"timings": None}


class Says:
    """A policy that says one thing."""

    name = "says"

    def __init__(self, *messages):
        self.messages = messages

    async def respond(self, request):
        return Turn(self.messages[min(request.turn, len(self.messages) - 1)])


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


# What an environment may do wrong: each is one episode's error, named, and the others go on.


class Fragile(Phonebook):
    """Goes wrong in one row, in one place."""

    def __init__(self, place=None, how=None):
        self.place, self.how = place, how

    def _maybe(self, place):
        if place == self.place and self.row["case_idx"] == 1:
            self.how()

    def setup(self, row):
        self._maybe("reset")

    @tool
    def look_up(self, name: str) -> str:
        """The number of a person."""
        self._maybe("tool")
        return self.row["answer"]

    def step(self, action):
        self._maybe("step")
        return super().step(action)

    @reward
    def right(self, completion):
        self._maybe("score")
        return 1.0

    @reward
    def looked_up(self):
        return 1.0

    def solve(self, row):
        return [call_message("look_up", name=row["name"]), row["answer"]]


class FragileStep(Fragile):
    """Steps itself, so that no tools are run by the SDK."""


def crash():
    raise KeyError("gone")


def leave():
    sys.exit(3)


def hang():
    time.sleep(30)


def fragile(base, place, how):
    if place != "step":
        base = type("FragileTools", (Fragile,), {})
        base.step = ToolEnv.step
    return base(place, how)


@pytest.mark.parametrize("place", ["reset", "step", "score"])
@pytest.mark.parametrize(("how", "stop_reason", "told"), [
    (crash, "env_error", "KeyError"), (leave, "env_error", "SystemExit"), (hang, "timeout", "DeadlineError"),
])  # fmt: skip
def test_what_goes_wrong_in_one_episode_is_its_error_alone(place, how, stop_reason, told):
    limits = Limits(call_seconds=1.0) if how is hang else Limits()
    episodes = play(fragile(FragileStep, place, how), rows=3, limits=limits)
    assert [episode.reward for episode in episodes] == [1.0, None, 1.0]
    failed = episodes[1]
    assert failed.stop_reason == stop_reason
    assert (failed.error.whose, failed.error.stage, failed.error.type) == ("environment", place, told)


def test_the_traceback_of_a_failure_shows_the_authors_frames_alone():
    failed = play(fragile(FragileStep, "score", crash), rows=2)[1]
    assert "in crash" in failed.error.traceback
    assert "grpo_env_sdk/" not in failed.error.traceback
    assert failed.error.traceback.endswith("KeyError: 'gone'")


def test_a_tool_that_raises_is_answered_and_one_that_hangs_ends_the_episode():
    raised = play(fragile(Fragile, "tool", crash), rows=2)[1]
    assert raised.tool_calls[0]["error"] == "tool_failed"
    assert raised.reward == 1.0
    hung = play(fragile(Fragile, "tool", hang), rows=2, limits=Limits(call_seconds=1.0))[1]
    assert (hung.stop_reason, hung.reward, hung.error.stage) == ("timeout", None, "tools")


def test_an_async_tool_that_runs_out_of_time_is_cancelled_and_the_model_is_told():
    class Slow(Phonebook):
        @tool
        async def look_up(self, name: str) -> str:
            """The number of a person."""
            await asyncio.sleep(30)
            return "never"

    (episode,) = play(Slow, Says(call_message("look_up", name="x"), "x"), rows=1, limits=Limits(call_seconds=0.5))
    assert episode.tool_calls[0]["error"] == "timeout"
    assert episode.stop_reason == "terminated"


def test_an_exit_in_async_code_is_one_episodes_error_too():
    class Leaving(Countdown):
        async def score_episode(self, model, tokenizer, completion, start):
            return leave() if start == 3 else 1.0

    episodes = play(Leaving, Says("x"), rows=3)
    assert [episode.reward for episode in episodes] == [1.0, None, 1.0]
    assert episodes[1].error.type == "SystemExit"

    class LeavingTool(Phonebook):
        @tool
        async def look_up(self, name: str) -> str:
            """The number of a person."""
            leave()

    (episode,) = play(LeavingTool, Says(call_message("look_up", name="x"), "x"), rows=1)
    assert episode.tool_calls[0]["error"] == "tool_failed"


@pytest.mark.parametrize("nonsense", [float("nan"), "1.0", [1.0], object(), float("inf")])
def test_a_score_that_is_no_score_is_an_error_with_the_value(nonsense):
    class Nonsense(Countdown):
        def score_episode(self, model, tokenizer, completion, start):
            return nonsense if start == 3 else 1.0

    episodes = play(Nonsense, Says("x"), rows=3)
    assert [episode.reward for episode in episodes] == [1.0, None, 1.0]
    assert episodes[1].error.type == "ScoreError"
    assert repr(nonsense)[:4] in episodes[1].error.message or "infinity" in episodes[1].error.message


@pytest.mark.parametrize("returned", [None, 7, ("x", 1.0), ("x", "high", False, False, {}), (7, 0.0, False, False, {})])
def test_a_step_that_returns_nonsense_is_an_error_with_the_value(returned):
    class Nonsense(Guess):
        def step(self, action):
            return returned if self.row["secret"] == 2 else ("", 1.0, True, False, {})

    episodes = play(Nonsense, Says("x"), rows=3)
    assert [episode.stop_reason for episode in episodes] == ["terminated", "env_error", "terminated"]


def test_a_shared_scorer_that_hangs_is_made_anew_for_the_others():
    class Hanging(Countdown):
        def score_episode(self, model, tokenizer, completion, start):
            if start == 3:
                hang()
            return 1.0

    episodes = play(Hanging, Says("x"), rows=4, limits=Limits(call_seconds=1.0))
    assert [episode.reward for episode in episodes] == [1.0, None, 1.0, 1.0]


def test_too_many_calls_that_never_come_back_stop_the_run():
    class Hanging(Guess):
        def step(self, action):
            time.sleep(5)

    with pytest.raises(ProcessStuckError, match="never came back"):
        play(Hanging, Says("x"), limits=Limits(call_seconds=0.05), max_left_behind=3, concurrency=2)


def test_an_environment_that_changes_directory_and_prints_from_threads_disturbs_no_record(tmp_path):
    class Rude(Guess):
        def setup(self, row):
            os.chdir(tmp_path)
            threading.Thread(target=print, args=("noise",)).start()

    before = os.getcwd()
    try:
        assert {episode.reward for episode in play(Rude)} == {1.0}
    finally:
        os.chdir(before)


# What a policy may do wrong.


def test_a_policy_that_raises_or_hangs_costs_one_episode():
    class Moody(Says):
        async def respond(self, request):
            if request.row_index == 1:
                raise RuntimeError("no mood")
            if request.row_index == 2:
                await asyncio.sleep(30)
            return await super().respond(request)

    episodes = play(Countdown, Moody("2 1"), rows=4, limits=Limits(policy_seconds=1.0))
    assert [episode.stop_reason for episode in episodes] == ["terminated", "policy_error", "timeout", "terminated"]
    assert (episodes[1].error.whose, episodes[1].error.message) == ("policy", "no mood")


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


def test_a_metric_that_is_no_number_is_that_episodes_error():
    class Measuring(Guess):
        def step(self, action):
            wrong = self.row["secret"] == 2
            return "", 1.0, True, False, {"metrics": {"near": "good" if wrong else np.float32(0.5)}}

    episodes = play(Measuring, Says("x"), rows=3)
    assert [episode.stop_reason for episode in episodes] == ["terminated", "env_error", "terminated"]
    assert episodes[0].metrics == {"near": 0.5}
    assert "Measuring.step gave 'good' as info['metrics']['near']" in episodes[1].error.message


def test_metrics_that_are_no_dict_are_named_as_the_fault():
    class Listing(Guess):
        def step(self, action):
            return "", 1.0, True, False, {"metrics": ["near"]}

    fault = play(Listing, Says("x"), rows=1)[0].error
    assert "Listing.step gave ['near'] as info['metrics']" in fault.message


def test_a_policy_that_answers_no_turn_or_exits_costs_its_episode():
    class Odd(Says):
        async def respond(self, request):
            if request.row_index == 1:
                return {"role": "assistant", "content": "x"}
            if request.row_index == 2:
                sys.exit(0)
            return await super().respond(request)

    episodes = play(Countdown, Odd("x"), rows=4)
    assert [episode.stop_reason for episode in episodes] == ["terminated", "policy_error", "policy_error", "terminated"]
    assert "which is no Turn" in episodes[1].error.message


def test_an_episode_whose_next_turn_has_no_room_ends_there_and_is_scored():
    class Brief(Says):
        async def respond(self, request):
            if request.turn:
                raise NoRoomError("No further turn fits.")
            return await super().respond(request)

    (episode,) = play(Phonebook, Brief(call_message("look_up", name="Person0")), rows=1)
    assert (episode.stop_reason, episode.turns, episode.error) == ("max_tokens", 1, None)
    assert episode.rewards == {"right": 0.0, "looked_up": 1.0}


def test_an_async_scorer_that_is_cancelled_by_its_own_code_costs_its_episode():
    class Cancelling(Countdown):
        async def score_episode(self, model, tokenizer, completion, start):
            task = asyncio.ensure_future(asyncio.sleep(10))
            task.cancel()
            await task

    assert [episode.stop_reason for episode in play(Cancelling, Says("x"), rows=2)] == ["env_error", "env_error"]


def test_waiting_for_the_scores_before_it_costs_an_episode_none_of_its_time():
    class Slow(Countdown):
        def score_episode(self, model, tokenizer, completion, start):
            time.sleep(0.15)
            return 1.0

    episodes = play(Slow, Says("x"), rows=10, concurrency=10, limits=Limits(episode_seconds=1.2))
    assert {episode.reward for episode in episodes} == {1.0}


def test_calls_that_came_back_late_are_no_longer_left_behind():
    class Late(Guess):
        def step(self, action):
            time.sleep(0.1)
            return "", 1.0, True, False, {}

    limits = Limits(call_seconds=0.05)
    episodes = play(Late, Says("x"), limits=limits, samples=2, concurrency=1, max_left_behind=10)
    assert len(episodes) == 30


def test_an_episode_that_runs_out_of_time_never_closes_an_instance_that_still_runs():
    closed, leave = [], threading.Event()

    class Stepping(Guess):
        def step(self, action):
            leave.wait()
            return "", 1.0, True, False, {}

        def close(self):
            closed.append(self)

    try:
        episodes = play(Stepping, Says("x"), rows=2, limits=Limits(episode_seconds=0.5))
        assert {episode.stop_reason for episode in episodes} == {"timeout"}
        assert closed == []
    finally:
        leave.set()


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


def test_a_shared_instance_that_hangs_for_many_episodes_is_created_again_once():
    created = []

    class Hanging(Countdown):
        parallel = True

        def __init__(self):
            super().__init__()
            created.append(self)

        def score_episode(self, model, tokenizer, completion, start):
            if len(created) == 1:
                hang()
            return 1.0

    episodes = play(Hanging, Says("x"), rows=6, limits=Limits(call_seconds=1.0), concurrency=6)
    assert [episode.reward for episode in episodes] == [None] * 6
    assert len(created) == 2


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
