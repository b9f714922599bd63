"""A class with a `view`: what the model reads at each turn, in every place that plays episodes."""

import asyncio
import copy
import time

import numpy
import pytest

from grpo_env_sdk import Limits, ToolEnv, Turn, call_message, evaluate, load, reward, tool
from grpo_env_sdk.data.viewed import messages_read
from grpo_env_sdk.errors import ContractError
from grpo_env_sdk.ext import CommandDecoder, CommandEncoder, Rollout, ThreadHosts, drive, jobs_for
from grpo_env_sdk.policies import make_policy
from grpo_env_sdk.rollout.commands import View, Viewed
from grpo_env_sdk.rollout.encoding import decode_event, encode_event
from grpo_env_sdk.types import Episode
from grpo_env_sdk.views import chain, keep_last_turns
from tests.rollout.played import RECORD, play, untimed
from tests.views_envs import Countdown, Doors


def with_view(view):
    """The environment with this as its `view`."""
    return type("Viewing", (Doors,), {"view": view})


class Reading:
    """Another policy, and what each of its requests showed."""

    name = "reading"

    def __init__(self, policy="gold"):
        self.policy = make_policy(policy)
        self.read = {}

    async def respond(self, request):
        assert request.transcript is request.whole is not None
        self.read.setdefault((request.row_index, request.sample), []).append(copy.deepcopy(request.messages))
        return await self.policy.respond(request)


@pytest.mark.parametrize("env", [Doors, Countdown])
@pytest.mark.parametrize("policy", ["gold", "random"])
def test_the_record_says_exactly_what_was_read_at_each_turn(env, policy):
    reading = Reading(policy)
    for episode in play(env, reading, samples=3):
        assert episode.error is None
        assert messages_read(episode) == reading.read[episode.row_index, episode.sample]
        assert Episode.from_json(episode.as_json()) == episode


def test_the_model_reads_the_window_and_the_transcript_stays_whole():
    reading = Reading()
    episode = play(Doors, reading, rows=1)[0]
    assert (episode.reward, episode.turns, len(episode.messages)) == (1.0, 6, 12)
    assert [len(messages) for messages in reading.read[0, 0]] == [1, 3, 5, 5, 5, 5]
    assert reading.read[0, 0][-1] == [episode.messages[0], *episode.messages[7:11]]
    assert episode.views == [[0, 0], [1, 1, 2], [3, 3, 4], [1, 3, 4, 5, 6], [1, 5, 6, 7, 8], [1, 7, 8, 9, 10]]


def test_the_environment_sees_its_whole_transcript_in_step_and_in_view():
    episode = play(Countdown, rows=1)[0]
    assert [message["content"] for message in episode.messages[2::2]] == [
        f"{2 + 2 * turn} messages, {3 - turn} to go." for turn in range(4)
    ]


def test_a_view_of_tools_sees_the_whole_transcript_and_the_turns_in_self():
    seen = []

    class Looks(Doors):
        def view(self, messages):
            seen.append((self.turns, self.messages == messages))
            return keep_last_turns(1)(messages)

    play(Looks, rows=1)
    assert seen == [(turn, True) for turn in range(6)]


def test_a_view_that_shows_everything_leaves_no_trace_in_the_record():
    class All(Doors):
        def view(self, messages):
            return messages

    found, plain = play(All), play(with_view(None))
    assert all(episode.views is None for episode in found)
    assert [untimed(one) | {"env": ""} for one in found] == [untimed(one) | {"env": ""} for one in plain]


def test_messages_that_are_not_in_the_transcript_are_recorded_themselves():
    class Summed(Doors):
        def view(self, messages):
            if len(messages) < 4:
                return messages
            said = f"{messages[0]['content']} So far you made {len(messages) // 2} calls."
            return [{"role": "user", "content": said}, *messages[-2:]]

    episode = play(Summed, rows=1)[0]
    summary = {"role": "user", "content": "Open the doors from 1 on. So far you made 2 calls."}
    assert episode.views[2] == [0, summary, 3, 4]
    assert messages_read(episode)[2][1:] == episode.messages[3:5]


def test_the_first_words_of_a_user_belong_to_the_opening():
    class Asked(Doors):
        view = keep_last_turns(1)

        def build_dataset(self, tokenizer):
            rows = super().build_dataset(tokenizer)
            return [{**row, "prompt": [{"role": "system", "content": "Open doors."}]} for row in rows]

        def user(self, messages):
            return f"Open the doors from {self.row['start']} on." if len(messages) == 1 else None

    episode = play(Asked, rows=1)[0]
    assert (episode.error, episode.opening) == (None, 2)
    assert messages_read(episode)[-1] == [*episode.messages[:2], *episode.messages[-3:-1]]


def test_a_view_sees_the_same_when_a_call_that_hung_is_played_again():
    hung = []

    class Hangs(Doors):
        def view(self, messages):
            assert self.messages == messages
            return keep_last_turns(1)(messages)

        @tool
        def open_door(self, number: int) -> str:
            """Open a door."""
            if number == 3 and not hung:
                hung.append(number)
                time.sleep(3)
            return "Open."

    episode = play(Hangs, rows=1, limits=Limits(call_seconds=1, env_retries=1))[0]
    assert (episode.error, episode.env_retries) == (None, 1)


@pytest.mark.parametrize("isolated", [False, True])
def test_an_async_view_is_awaited(isolated):
    class Slow(Doors):
        isolate_globals = isolated

        async def view(self, messages):
            await asyncio.sleep(0)
            return keep_last_turns(1)(messages)

    assert [len(read) for read in messages_read(play(Slow, rows=1)[0])] == [1, 3, 3, 3, 3, 3]


def test_async_views_of_all_episodes_share_the_event_loop_of_the_run():
    loops = set()

    class Slow(Doors):
        async def view(self, messages):
            loops.add(asyncio.get_running_loop())
            return messages

    play(Slow, samples=2)
    assert len(loops) == 1


def test_an_async_view_that_returns_something_else_fails_the_episode():
    class Slow(Doors):
        async def view(self, messages):
            return None

    assert "returned None, which is not a list" in play(Slow, rows=1)[0].error.message


def test_a_view_of_an_instance_may_come_from_its_constructor():
    class Chosen(Doors):
        def __init__(self, turns=1):
            self.view = keep_last_turns(turns)

    assert max(map(len, messages_read(evaluate(Chosen, "gold", config={"turns": 3}, rows=1).episodes[0]))) == 7


def test_what_a_view_does_to_its_messages_changes_neither_the_transcript_nor_the_record():
    class Vandal(Doors):
        kept = ()

        def view(self, messages):
            for message in self.kept:
                message["content"] = "changed later"
            for message in messages[2:]:
                if message["role"] == "tool":
                    message["content"] = "changed"
                else:
                    message["tool_calls"][0]["function"]["arguments"]["number"] = -1
            self.kept = messages
            return messages

    reading = Reading()
    episode = play(Vandal, reading, rows=1)[0]
    assert "changed" not in str(episode.messages)
    assert episode.reward == 1.0
    assert "changed" in str(reading.read)
    assert "changed later" not in str(reading.read)
    assert messages_read(episode) == reading.read[0, 0]


@pytest.mark.parametrize(("view", "told"), [
    (lambda self, messages: None, "returned None, which is not a list of messages"),
    (lambda self, messages: "text", "returned 'text'"),
    (lambda self, messages: [], "returned no messages"),
    (lambda self, messages: [{"content": "x"}], "has no role"),
    (lambda self, messages: [messages[0], {"role": "robot", "content": "x"}], "has none of the roles"),
    (lambda self, messages: [messages[0], {"role": "user"}], "has no content"),
    (lambda self, messages: ["text"], "'text', which has no role"),
    (lambda self, messages: messages[-2:], "begin with a message of the assistant"),
    (lambda self, messages: [{"role": "system", "content": "x"}], "left out the question"),
    (lambda self, messages: [*messages, {"role": "system", "content": "x"}], "a system message after other"),
    (lambda self, messages: messages[:1] + messages[2:], "a tool result without the call"),
    (lambda self, messages: messages[:2], "a tool call without its result"),
    (lambda self, messages: 1 / 0, "division by zero"),
    (chain(keep_last_turns(1), lambda messages: messages.reverse()), "chain(...) returned None"),
])  # fmt: skip
def test_a_view_that_no_model_could_read_fails_the_episode_with_one_line(view, told):
    episode = play(with_view(view), rows=1)[0]
    assert (episode.stop_reason, episode.error.whose, episode.error.stage) == ("env_error", "environment", "view")
    assert told in episode.error.message
    assert "\n" not in episode.error.message


def test_a_view_may_hold_an_array_which_equals_nothing():
    def view(self, messages):
        return [{"role": "user", "content": "x", "more": numpy.array([1, 2])}]

    found = evaluate(with_view(view), "echo", split="all")
    assert found.summary["errors"] == {}
    assert messages_read(found.episodes[0])[0][0]["content"] == "x"


def test_a_view_that_hangs_ends_its_episode_by_the_deadline_of_a_call():
    class Stuck(Doors):
        def view(self, messages):
            time.sleep(5)

    episode = play(Stuck, rows=1, limits=Limits(call_seconds=0.5))[0]
    assert (episode.stop_reason, episode.error.stage) == ("timeout", "view")


def test_a_prompt_without_a_user_may_stay_so():
    class Told(Doors):
        def build_dataset(self, tokenizer):
            opening = [{"role": "system", "content": "Open the doors."}, {"role": "assistant", "content": "Yes."}]
            return [{**row, "prompt": opening} for row in super().build_dataset(tokenizer)]

    Told.view = lambda self, messages: keep_last_turns(1)(messages, opening=2)
    assert [episode.error for episode in play(Told)] == [None] * 12


@pytest.mark.parametrize("view", ["front", None, 3])
def test_an_attribute_of_the_same_name_stays_the_authors(view):
    assert not load(with_view(view)).traits.has_view
    assert all(episode.reward == 1.0 and episode.views is None for episode in play(with_view(view)))


def test_a_tool_of_the_same_name_is_a_tool():
    class Gallery(ToolEnv):
        def build_dataset(self, tokenizer):
            return [{"prompt": "What is on picture 1?"}]

        @tool
        def view(self, number: int) -> str:
            """Look at a picture."""
            return "A boat."

        @reward
        def right(self, completion):
            return 1.0

    class ByName(Gallery):
        def get_tools(self):
            return load(Gallery).tools

        def view(self, number):
            return "A boat."

    assert [load(env).traits.has_view for env in (Gallery, ByName)] == [False, False]
    assert [episode.error for env in (Gallery, ByName) for episode in play(env, "random")] == [None, None]


@pytest.mark.parametrize("view", [lambda self: [], lambda self, messages, turn: messages])
def test_a_view_with_other_parameters_is_refused_when_it_is_loaded(view):
    with pytest.raises(ContractError, match=r"\.view takes \(.*called as view\(messages\)"):
        load(with_view(view))


def test_a_class_without_a_view_is_never_asked():
    asked = []

    class Watched(ThreadHosts):
        def open(self, job):
            host = super().open(job)
            perform = host.perform

            async def noted(command):
                asked.append(type(command))
                return await perform(command)

            host.perform = noted
            return host

    def played(env):
        loaded = load(env)
        rows = loaded.rows()[:1]

        async def collect():
            return [one async for one in drive(Watched(loaded), rows, Rollout(make_policy("gold")), jobs_for(rows))]

        return asyncio.run(collect())[0].turns

    assert played(with_view(None)) == 6
    assert View not in asked
    assert played(Doors) == asked.count(View) == 6


def test_a_view_and_its_answer_come_through_the_encoding():
    messages = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]
    encoder, decoder = CommandEncoder(), CommandDecoder()
    assert decoder.decode(encoder.encode(View(messages[:1], 0))) == View(messages[:1], 0)
    packet = encoder.encode(View(messages, 1))
    assert '"a"' not in packet.text
    assert decoder.decode(packet) == View(messages, 1)
    assert decode_event(encode_event(Viewed(messages, 0.5))) == Viewed(messages, 0.5)


def test_results_with_a_view_are_equal_at_any_concurrency_and_in_a_replay(tmp_path):
    def played(policy, **options):
        found = evaluate(Doors, policy, samples=4, split="all", **options).episodes
        return sorted((untimed(one) for one in found), key=lambda one: (one["row_index"], one["sample"]))

    one_by_one = played("random", concurrency=1, out=tmp_path / "run")
    assert any(record["views"] for record in one_by_one)
    assert played("random", concurrency=64) == one_by_one
    assert played(f"replay:{tmp_path / 'run'}") == one_by_one


def test_a_policy_that_fails_after_its_view_leaves_what_it_was_shown():
    class Stops:
        name = "stops"

        async def respond(self, request):
            if request.turn == 4:
                raise RuntimeError("no more")
            return Turn(call_message("open_door", number=1))

    episode = play(Doors, Stops(), rows=1)[0]
    RECORD.validate(episode.as_json())
    assert episode.stop_reason == "policy_error"
    assert len(messages_read(episode)) == episode.turns + 1
