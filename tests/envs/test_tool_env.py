"""Tasks that a model solves by calling tools."""

import asyncio
import copy
import json
import pickle
import time

import pytest
from gymnasium.utils.env_checker import check_env

from grpo_env_sdk import Injected, ToolEnv, call_message, evaluate, make, reward, tool
from grpo_env_sdk.envs.episode_books import construct_again
from grpo_env_sdk.errors import EpisodeOverError
from grpo_env_sdk.rewards import exact_match, valid_tool_calls
from grpo_env_sdk.types import Episode

ROW = {"prompt": "What is Ada's number?", "numbers": {"Ada": "12", "Bob": "34"}, "answer": "12"}


class Client:
    """A service that the environment talks to."""

    def look(self, name):
        return f"{name} by wire"


class Phonebook(ToolEnv):
    """Look a number up, and say it."""

    max_turns = 4
    tool_timeout = 5.0

    def __init__(self, suffix: str = "") -> None:
        self.suffix = suffix
        self.client = Client()

    def build_dataset(self, tokenizer):
        return [{**ROW, "prompt": f"What is Ada's number, {n}?"} for n in range(3)]

    def setup(self, row):
        self.asked = []

    @tool
    def look_up(self, name: str) -> dict[str, str]:
        """The number of a person.

        Args:
            name: Who it is.
        """
        self.asked.append(name)
        return {"number": self.row["numbers"][name] + self.suffix}

    @tool
    async def look_up_slowly(self, name: str) -> str:
        """The number of a person.

        Args:
            name: Who it is.
        """
        await asyncio.sleep(0)
        return self.row["numbers"][name]

    @tool
    def seen(
        self, row: Injected[dict], episode: Injected[Episode], client: Injected[Client], name: str = "Ada"
    ) -> list:
        """What a tool can be given.

        Args:
            name: Who it is.
        """
        return [row["answer"], len(episode.messages), client.look(name)]

    @reward(weight=3)
    def right(self, messages, answer):
        return messages[-1]["content"] == answer

    @reward
    def asked_once(self):
        return len(self.asked) == 1

    def solve(self, row):
        yield call_message("look_up", name="Ada")
        yield row["answer"]


def began(env=None, row=ROW):
    env = env or Phonebook()
    env.reset(seed=0, options=row)
    return env


def answers(env, *calls):
    """What the tools answer to the calls of one message."""
    message = {"role": "assistant", "content": "", "tool_calls": [call["tool_calls"][0] for call in calls]}
    return [json.loads(told["content"]) for told in env.step(message)[0]]


def test_gymnasiums_own_checker_finds_nothing():
    check_env(Phonebook(), skip_render_check=True)


def test_the_model_is_shown_the_marked_methods_and_no_injected_parameter():
    schemas = {item["function"]["name"]: item["function"]["parameters"] for item in Phonebook().get_tools()}
    assert list(schemas) == ["look_up", "look_up_slowly", "seen"]
    assert list(schemas["seen"]["properties"]) == ["name"]


def test_a_call_is_answered_by_a_tool_message():
    env = began()
    observation, value, terminated, truncated, _ = env.step(call_message("look_up", name="Ada"))
    assert observation == [
        {"role": "tool", "tool_call_id": "call_0_0", "name": "look_up", "content": '{"number": "12"}'}
    ]
    assert (value, terminated, truncated) == (0.0, False, False)


def test_several_calls_are_run_in_order():
    env = began()
    assert answers(env, call_message("look_up", name="Bob"), call_message("look_up", name="Ada")) == [
        {"number": "34"},
        {"number": "12"},
    ]
    assert env.asked == ["Bob", "Ada"]


def test_an_async_tool_is_waited_for():
    env = began()
    assert env.step(call_message("look_up_slowly", name="Ada"))[0][0]["content"] == "12"


def test_a_tool_is_given_the_row_the_episode_and_a_client():
    assert answers(began(), call_message("seen")) == [["12", 2, "Ada by wire"]]


def test_a_model_cannot_send_what_is_injected():
    told = answers(began(), call_message("seen", row={"answer": "99"}))[0]
    assert told["error"]["type"] == "invalid_arguments"
    assert told["error"]["path"] == "row"


def test_what_goes_wrong_is_answered_and_the_episode_goes_on():
    env = began()
    told = answers(env, call_message("look_upp"), call_message("look_up"), call_message("look_up", name="Eve"))
    assert [item["error"]["type"] for item in told] == ["unknown_tool", "invalid_arguments", "tool_failed"]
    assert env.step("12")[4]["rewards"] == {"right": 1.0, "asked_once": 1.0}


def test_a_tool_that_hangs_is_answered():
    class Hanging(Phonebook):
        tool_timeout = 0.05

        @tool
        def sleep(self) -> str:
            """Never comes back."""
            time.sleep(1)
            return "late"

    assert answers(began(Hanging()), call_message("sleep"))[0]["error"]["type"] == "timeout"


def test_an_answer_without_a_call_ends_the_episode():
    env = began()
    env.step(call_message("look_up", name="Ada"))
    observation, value, terminated, _, info = env.step("12")
    assert (observation, value, terminated) == ([], 1.0, True)
    assert info == {"rewards": {"right": 1.0, "asked_once": 1.0}, "score": 1.0}
    with pytest.raises(EpisodeOverError):
        env.step("12")


def test_max_turns_truncates():
    env = began()
    for _ in range(3):
        assert not env.step(call_message("look_up", name="Ada"))[3]
    _, value, terminated, truncated, info = env.step(call_message("look_up", name="Ada"))
    assert (value, terminated, truncated, info["stop_reason"]) == (0.0, False, True, "max_turns")


def test_every_call_is_kept_for_the_rewards():
    class Judged(Phonebook):
        rewards = (valid_tool_calls(),)

    env = began(Judged())
    env.step(call_message("look_up", name="Ada"))
    env.step(call_message("look_upp"))
    assert env.step("12")[4]["rewards"]["valid_tool_calls"] == 0.5


def test_a_replay_runs_the_tools_again_on_a_fresh_instance():
    env = began(Phonebook(suffix="!"))
    env.step(call_message("look_up", name="Ada"))
    score = env.step("12")[4]["score"]
    other = Phonebook(suffix="!")
    assert other.score_episode(None, None, env.messages[1:], **ROW) == score == 1.0
    assert not hasattr(other, "asked")


def test_the_gold_solution_is_driven_to_the_same_score():
    summary = evaluate(Phonebook, "gold", split="all").summary
    assert (summary["reward"]["mean"], summary["errors"], summary["turns"]) == (1.0, {}, 2.0)


def test_ready_rewards_work_with_text_prompts():
    class Ready(Phonebook):
        right = None
        rewards = (exact_match(),)

    assert evaluate(Ready, "gold", split="all").summary["reward"]["mean"] == 1.0


def test_instances_share_neither_tools_nor_state():
    first, second = began(Phonebook("!")), began(Phonebook("?"))
    assert answers(first, call_message("look_up", name="Ada")) == [{"number": "12!"}]
    assert answers(second, call_message("look_up", name="Ada")) == [{"number": "12?"}]
    assert (first.asked, second.asked) == (["Ada"], ["Ada"])


@pytest.mark.parametrize(
    "through", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["copy", "pickle"]
)
def test_an_instance_in_the_middle_of_an_episode_can_be_copied(through):
    env = began(Phonebook("!"))
    env.step(call_message("look_up", name="Ada"))
    other = through(env)
    assert answers(other, call_message("look_up", name="Bob")) == [{"number": "34!"}]
    assert (env.asked, other.asked) == (["Ada"], ["Ada", "Bob"])
    assert construct_again(other).suffix == "!"


def test_an_env_made_with_config_passes_it_on():
    env = make("tests.envs.test_tool_env:Phonebook", suffix="#", rewards=[exact_match()])
    other = construct_again(env)
    assert (other.suffix, other.rewards) == ("#", env.rewards)


def test_step_may_be_overridden_and_call_super():
    class Charging(Phonebook):
        def step(self, action):
            observation, value, terminated, truncated, info = super().step(action)
            return observation, value - 0.1, terminated, truncated, info

    env = began(Charging())
    assert env.step(call_message("look_up", name="Ada"))[1] == -0.1
    assert env.step("12")[4]["score"] == pytest.approx(1 - 0.2)


def test_setup_is_all_that_an_author_needs_to_write():
    class Least(ToolEnv):
        def build_dataset(self, tokenizer):
            return [ROW]

        @tool
        def look_up(self, name: str) -> str:
            """The number of a person."""
            return self.row["numbers"][name]

        @reward
        def right(self, completion, answer):
            return answer in completion

    env = began(Least())
    env.step(call_message("look_up", name="Ada"))
    assert env.step("It is 12.")[1] == 1.0


class OfCars(ToolEnv):
    """Its columns have the names of what `score_episode` is given by position."""

    def build_dataset(self, tokenizer):
        return [{"prompt": "Say T.", "model": "T", "tokenizer": 1, "self": 2}]

    @reward
    def right(self, messages, model):
        return messages[-1]["content"] == model


def test_columns_may_have_the_names_of_what_scores_are_given_by_position():
    row = OfCars().build_dataset(None)[0]
    assert OfCars().score_episode(None, None, [{"role": "assistant", "content": "T"}], **row, row=row) == 1.0
