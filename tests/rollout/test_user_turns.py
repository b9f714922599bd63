"""A user who answers in an environment with tools: asked after each message without a call."""

import asyncio
import threading

import pytest

from grpo_env_sdk import Limits, ModelUser, ToolEnv, call_message, evaluate, load, reward, tool
from grpo_env_sdk.errors import ContractError
from grpo_env_sdk.rollout.commands import AskUser, Generate, Generated, Opened, ScoreEpisode, UserSaid
from grpo_env_sdk.rollout.encoding import CommandDecoder, CommandEncoder, decode_event, encode_event
from grpo_env_sdk.rollout.episode import LiveEpisode
from grpo_env_sdk.types import Turn
from tests.talking import DRINKS, AsyncShop, QuietShop, Shop

TEXT = Generated(Turn({"content": "What would you like?"}))


def roles(episode):
    return [message["role"] for message in episode.messages]


def played(env, policy="gold", **more):
    return evaluate(env, policy, split="all", **more).episodes


def first(env, policy="gold", **more):
    return played(env, policy, rows=1, **more)[0]


def begun(**limits):
    row = Shop().build_dataset(None)[0]
    episode = LiveEpisode(load(Shop).description, row, limits=Limits(**limits))
    episode.start()
    assert isinstance(episode.feed(Opened()), Generate)
    return episode


@pytest.mark.parametrize("env", [Shop, AsyncShop])
def test_the_user_answers_each_message_without_a_call_and_ends_the_episode(env):
    episodes = played(env)
    assert [episode.reward for episode in episodes] == [1.0] * len(DRINKS)
    episode = episodes[0]
    assert roles(episode) == ["system", "user", "assistant", "user", "assistant", "tool", "assistant"]
    assert episode.messages[3]["content"] == "Tea, please."
    assert (episode.stop_reason, episode.turns, episode.timings["user"] > 0) == ("terminated", 3, True)


def test_the_machine_asks_the_user_and_goes_on_with_what_was_said():
    episode = begun()
    asked = episode.feed(TEXT)
    assert isinstance(asked, AskUser)
    assert (asked.turns, asked.asked, asked.prompt, asked.messages[-1]["role"]) == (1, 0, None, "assistant")
    assert isinstance(episode.feed(UserSaid("Tea.")), Generate)
    assert episode.feed(TEXT).asked == 1
    scored = episode.feed(UserSaid(None))
    assert isinstance(scored, ScoreEpisode)
    assert scored.episode.stop_reason == "terminated"


def test_last_words_are_kept_and_end_the_episode():
    episode = begun()
    episode.feed(TEXT)
    scored = episode.feed(UserSaid("Thank you.", ended=True, usage={"user_prompt_tokens": 3}))
    assert scored.episode.messages[-1] == {"role": "user", "content": "Thank you."}
    assert (scored.episode.stop_reason, scored.episode.usage) == ("terminated", {"user_prompt_tokens": 3})


def test_a_user_who_never_ends_is_ended_by_the_turns():
    class Chatty(Shop):
        def user(self, messages):
            return "And then?"

    episode = first(Chatty)
    assert (episode.stop_reason, episode.turns, episode.messages[-1]["content"]) == ("max_turns", 6, "And then?")
    assert first(Chatty, limits=Limits(turns=2)).turns == 2


def test_a_user_speaks_first_where_the_prompt_has_only_rules():
    episode = first(QuietShop)
    assert roles(episode) == ["system", "user", "assistant", "tool", "assistant"]
    assert (episode.opening, episode.reward, episode.turns) == (2, 1.0, 2)


def test_no_first_words_leave_them_to_the_assistant():
    class Shy(QuietShop):
        def user(self, messages):
            return None if messages[-1]["role"] == "system" else super().user(messages)

    episode = first(Shy)
    assert (roles(episode)[:3], episode.opening) == (["system", "assistant", "tool"], 1)


@pytest.mark.parametrize("said", ["", " \n", 3, {"role": "user", "content": "Tea."}, ["Tea."]])
def test_what_is_no_text_is_an_error_of_the_environment(said):
    class Odd(Shop):
        def user(self, messages):
            return said

    episode = first(Odd)
    assert (episode.stop_reason, episode.error.whose, episode.error.stage) == ("env_error", "environment", "user")
    assert "Odd.user returned" in episode.error.message
    assert "None ends the episode" in episode.error.message
    with pytest.raises(ContractError, match="None ends the episode"):
        stepped(Odd(), "Hello.")


@pytest.mark.parametrize("env", [Shop, AsyncShop])
def test_a_user_that_raises_fails_its_own_episode_with_the_traceback(env):
    class Raising(env):
        def user(self, messages):
            if self.row["wish"] == "tea":
                raise LookupError("no such customer")
            return super().user(messages)

    failed, *others = played(Raising)
    assert (failed.stop_reason, failed.error.type) == ("env_error", "LookupError")
    assert "no such customer" in failed.error.traceback
    assert {episode.reward for episode in others} == {1.0}


def test_a_user_that_hangs_is_a_timeout_of_its_own_episode():
    done = threading.Event()

    class Hanging(Shop):
        def user(self, messages):
            done.wait()

    class HangingAsync(Shop):
        async def user(self, messages):
            await asyncio.Event().wait()

    try:
        for env in (Hanging, HangingAsync):
            episode = first(env, limits=Limits(call_seconds=0.5))
            assert (episode.stop_reason, episode.error.stage) == ("timeout", "user")
    finally:
        done.set()


def stepped(env, *actions, row=0):
    env.reset(options=env.build_dataset(None)[row])
    return [env.step(action) for action in actions]


@pytest.mark.parametrize("env", [Shop, AsyncShop])
def test_by_hand_the_user_answers_in_step(env):
    asked, _, ended = stepped(env(), "What would you like?", call_message("sell", drink="tea"), "Here you are.")
    assert asked[:4] == ("Tea, please.", 0.0, False, False)
    assert ended[1:3] == (1.0, True)


def test_by_hand_the_user_speaks_first_too():
    env = QuietShop()
    observation, _ = env.reset(options=env.build_dataset(None)[0])
    assert [message["role"] for message in observation] == ["system", "user"]
    assert env.messages == observation


@pytest.mark.parametrize("env", [Shop, AsyncShop, QuietShop])
def test_a_stored_transcript_scores_again_as_it_did(env):
    for episode in played(env):
        assert env().score_episode(None, None, episode.completion, row=episode.row) == episode.reward == 1.0


def test_a_user_without_tools_is_a_conversation_of_several_turns():
    class Talk(ToolEnv):
        max_turns = 3

        def build_dataset(self, tokenizer):
            return [{"prompt": "Say yes to whatever comes."}] * 2

        def user(self, messages):
            return "Really?"

        @reward
        def agreed(self, messages):
            return all(message["content"] == "yes" for message in messages if message["role"] == "assistant")

        def solve(self, row):
            return ["yes"] * 3

    assert load(Talk).traits.kind == "tools"
    assert [(episode.turns, episode.reward) for episode in played(Talk)] == [(3, 1.0)] * 2


def test_an_attribute_or_a_tool_named_user_is_the_authors_own():
    class Named(Shop):
        user = None

        def setup(self, row):
            super().setup(row)
            self.user = "Ada"

    class Tool(Shop):
        @tool
        def user(self) -> str:
            """Who is there."""
            return "Ada"

    for env in (Named, Tool):
        assert load(env).traits.user == "none"
        assert first(env).turns == 1


def test_a_user_that_is_the_class_of_one_is_refused():
    with pytest.raises(ContractError, match=r"Uncalled.user is the class ModelUser\. Write user = ModelUser\(policy"):
        load(type("Uncalled", (Shop,), {"user": ModelUser}))


def test_commands_and_events_of_users_travel_as_json():
    episode = begun()
    asked = episode.feed(TEXT)
    assert CommandDecoder().decode(CommandEncoder().encode(asked)) == asked
    said = UserSaid("Tea.", True, {"user_prompt_tokens": 3}, seconds=0.5)
    assert decode_event(encode_event(said)) == said
