"""What an environment or a policy does wrong is one episode's error, named, and the others go on."""

import asyncio
import math
import os
import sys
import threading
import time
from contextlib import nullcontext

import numpy as np
import pytest

from grpo_env_sdk import ToolEnv, call_message, reward, tool
from grpo_env_sdk.errors import EnvironmentFailedError, ProcessStuckError
from grpo_env_sdk.policies import PolicyError
from grpo_env_sdk.rollout.commands import Limits
from grpo_env_sdk.types import Turn
from tests.environments import Countdown, Guess, Phonebook
from tests.rollout.played import Says, play, untimed
from tests.views_envs import Doors

# What an environment may do wrong.


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


@pytest.mark.parametrize("raised", [EnvironmentFailedError("gone"), MemoryError("full"), SystemExit(3)], ids=repr)
def test_a_tool_that_says_that_the_environment_failed_ends_the_episode_and_another_instance_goes_on(raised):
    left = [raised]

    class Broken(Phonebook):
        @tool
        def look_up(self, name: str) -> str:
            """The number of a person."""
            if left:
                raise left.pop()
            return self.row["answer"]

    (failed,) = play(Broken, Says(call_message("look_up", name="x"), "x"), rows=1)
    assert (failed.stop_reason, failed.reward, failed.tool_calls) == ("env_error", None, [])
    assert (failed.error.stage, failed.error.type) == ("tools", type(raised).__name__)
    left.append(raised)
    limits = Limits(env_retries=1)
    (again,) = play(Broken, Says(call_message("look_up", name="x"), "x"), rows=1, limits=limits)
    assert (again.stop_reason, again.env_retries, again.tool_calls[0]["error"]) == ("terminated", 1, None)


def test_an_async_tool_that_runs_out_of_its_own_time_is_answered_and_out_of_the_runs_ends_the_episode():
    def played(as_tool, limits):
        class Slow(Phonebook):
            @as_tool
            async def look_up(self, name: str) -> str:
                """The number of a person."""
                await asyncio.sleep(30)
                return "never"

        return play(Slow, Says(call_message("look_up", name="x"), "x"), rows=1, limits=limits)[0]

    own = played(tool(timeout=0.5), Limits())
    assert (own.stop_reason, own.tool_calls[0]["error"]) == ("terminated", "timeout")
    of_run = played(tool, Limits(call_seconds=0.5))
    assert (of_run.stop_reason, of_run.reward, of_run.error.stage) == ("timeout", None, "tools")


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
    assert (episode.stop_reason, episode.error.type) == ("env_error", "SystemExit")


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


class Aborted(Says):
    def __init__(self, finish_reason):
        super().__init__()
        self.finish_reason = finish_reason

    async def respond(self, request):
        return Turn({"role": "assistant", "content": "2 1"}, self.finish_reason, 5, 2)


@pytest.mark.parametrize("finish_reason", ["abort", "error"])
def test_a_turn_that_was_given_up_is_no_answer_of_the_model(finish_reason):
    (episode,) = play(Countdown, Aborted(finish_reason), rows=1)
    assert (episode.stop_reason, episode.reward, episode.error.type) == ("policy_error", None, "aborted")
    assert (episode.usage["prompt_tokens"], episode.usage["completion_tokens"]) == (5, 2)


def test_a_policy_that_cancels_the_task_of_its_episode_costs_that_one():
    class Aborting(Says):
        async def respond(self, request):
            if request.row_index == 1:
                asyncio.current_task().cancel()
                await asyncio.sleep(60)
            return await super().respond(request)

    episodes = play(Countdown, Aborting("2 1"), rows=3)
    assert [episode.stop_reason for episode in episodes] == ["terminated", "cancelled", "terminated"]
    assert (episodes[1].reward, episodes[1].error.type) == (None, "CancelledError")


def test_what_a_policy_changes_in_its_request_changes_neither_record_nor_score():
    lengths = []

    class Cheat(Says):
        async def respond(self, request):
            lengths.append(len(request.messages))
            request.row.update(secret=16, prompt=[])
            request.tools.append({"type": "function", "function": {"name": "win"}})
            request.messages[0]["content"] += " 16 wins."
            request.messages.insert(0, {"role": "system", "content": "Win."})
            return Turn("16")

    honest, cheating = play(Guess, Says("16")), play(Guess, Cheat(), concurrency=1)
    assert [untimed(episode) for episode in cheating] == [untimed(episode) for episode in honest]
    assert lengths == [1, 3, 5, 7, 9] * 15


def test_a_view_is_a_copy_for_the_policy_too():
    class Cheat(Says):
        async def respond(self, request):
            for message in request.messages + request.whole:
                message["content"] = "changed"
            return await super().respond(request)

    honest, cheating = (play(Doors, policy("left"), rows=2) for policy in (Says, Cheat))
    assert [untimed(episode) for episode in cheating] == [untimed(episode) for episode in honest]


def test_a_policy_that_blocks_the_event_loop_runs_out_of_time_unless_it_is_off_the_clock():
    class Blocking(Says):
        async def respond(self, request):
            with request.off_the_clock() if request.row_index == 2 else nullcontext():
                time.sleep(1.2 if request.row_index else 0)
            return await super().respond(request)

    episodes = play(Countdown, Blocking("x"), rows=3, limits=Limits(policy_seconds=1.0), concurrency=1)
    assert [episode.stop_reason for episode in episodes] == ["terminated", "timeout", "terminated"]
    assert "says gave no answer within 1 s: it blocks the event loop" in episodes[1].error.message


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
                return 7
            if request.row_index == 2:
                sys.exit(0)
            return await super().respond(request)

    episodes = play(Countdown, Odd("x"), rows=4)
    assert [episode.stop_reason for episode in episodes] == ["terminated", "policy_error", "policy_error", "terminated"]
    assert "which is no Turn" in episodes[1].error.message


@pytest.mark.parametrize(("answer", "told"), [
    (Turn({"content": "x"}, prompt_tokens="12"), "'12' as prompt_tokens"),
    (Turn({"content": "x"}, completion_tokens=-1), "-1 as completion_tokens"),
    (Turn({"content": "x"}, seconds=math.nan), "nan as seconds"),
    (Turn({"content": "x"}, seconds=None), "None as seconds"),
    (Turn({"content": "x"}, finish_reason=5), "5 as finish_reason"),
    (Turn({"content": "x"}, token_ids=[1, 2, 3], logprobs=[-0.5]), "3 token_ids and 1 logprobs"),
    (Turn({"content": "x"}, token_ids=["one"]), "as token_ids"),
    ({"content": 5}, "5 as content"),
    ({"content": ["x"]}, "as content"),
    ({"content": "", "tool_calls": "search"}, "'search' as tool_calls"),
    (PolicyError("no", kind=404, usage={"prompt_tokens": "12"}), "no"),
])  # fmt: skip
def test_a_turn_that_no_record_could_keep_costs_its_episode(answer, told):
    class Odd(Says):
        async def respond(self, request):
            if request.row_index == 1 and isinstance(answer, Exception):
                raise answer
            return answer if request.row_index == 1 else await super().respond(request)

    episodes = play(Countdown, Odd("x"), rows=3)
    assert [episode.stop_reason for episode in episodes] == ["terminated", "policy_error", "terminated"]
    assert told in episodes[1].error.message


def test_numbers_and_lists_of_a_turn_become_those_of_the_record():
    ids = np.array([1, 2])

    class Counting(Says):
        async def respond(self, request):
            ids[0] = request.row_index
            return Turn({"content": "x"}, "stop", np.int64(3), token_ids=ids, logprobs=np.float32([0.5, 0.25]))

    episodes = play(Countdown, Counting(), rows=2, concurrency=1)
    assert [(one.token_ids, one.logprobs) for one in episodes] == [([[n, 2]], [[0.5, 0.25]]) for n in (0, 1)]
    assert {type(one.usage["prompt_tokens"]) for one in episodes} == {int}


def test_an_async_scorer_that_is_cancelled_by_its_own_code_costs_its_episode():
    class Cancelling(Countdown):
        async def score_episode(self, model, tokenizer, completion, start):
            task = asyncio.ensure_future(asyncio.sleep(10))
            task.cancel()
            await task

    assert [episode.stop_reason for episode in play(Cancelling, Says("x"), rows=2)] == ["env_error", "env_error"]


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
