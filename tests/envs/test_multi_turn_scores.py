"""The score of an episode of several turns, by stepping, by a driver, and by replaying."""

import asyncio

import pytest

from grpo_env_sdk import MultiTurnEnv, ToolEnv, call_message, evaluate, reward, tool
from grpo_env_sdk.data.messages import assistant_message
from grpo_env_sdk.envs.episode_books import books_of
from grpo_env_sdk.rewards import exact_match
from grpo_env_sdk.types import Turn

ROW = {"prompt": "Count to three.", "answer": "3"}


class Count(MultiTurnEnv):
    """A quarter for each number in order; two rewards at the end."""

    max_turns = 4

    def build_dataset(self, tokenizer):
        return [{**ROW, "prompt": f"Count to three, {n}."} for n in range(3)]

    def setup(self, row):
        self.reached = 0

    def step(self, action):
        right = action["content"] == str(self.reached + 1)
        self.reached += right
        return "Go on.", 0.25 * right, self.reached == 3, False, {"metrics": {"reached": self.reached}}

    @reward(weight=3)
    def whole(self, completion, answer):
        return self.reached == int(answer)

    @reward
    async def polite(self, messages):
        return "please" in messages[-2]["content"]

    def solve(self, row):
        return ["1", "2", "3"]


class Unweighted(Count):
    whole = None
    polite = None


class Abstaining(Count):
    whole = None

    @reward
    def polite(self):
        return None


class Lookup(ToolEnv):
    """Scores what was called and what was said."""

    def build_dataset(self, tokenizer):
        return [ROW]

    @tool
    def number(self, name: str) -> str:
        """The number of a name."""
        return {"three": "3"}[name]

    @reward
    def looked(self, tool_calls):
        return [call["error"] for call in tool_calls] == ["tool_failed", None]

    @reward
    def right(self, completion, answer):
        return completion.endswith(answer)


class AbstainingLookup(Lookup):
    looked = None

    @reward
    def right(self):
        return None


def played(env, *actions):
    """The rewards of the steps and the last info."""
    env.reset(seed=0, options=ROW)
    rewards = []
    for action in actions:
        _, value, terminated, truncated, info = env.step(action)
        rewards.append(value)
    assert terminated or truncated
    return rewards, info


class Scripted:
    """A policy that plays the same messages for every row."""

    name = "scripted"

    def __init__(self, *messages):
        self.messages = messages

    async def respond(self, request):
        return Turn(assistant_message(self.messages[request.turn], request.turn))


CALLS = (call_message("number", name="four"), call_message("number", name="three"), "It is 3")
TRANSCRIPTS = [
    (Count, ("1", "2", "3"), 0.75 + 0.75),
    (Count, ("1", "x", "x", "x"), 0.25),
    (Unweighted, ("1", "2", "3"), 0.75),
    (Unweighted, ("x", "x", "x", "x"), 0.0),
    (Abstaining, ("1", "2", "3"), 0.75),
    (Lookup, CALLS, 1.0),
    (Lookup, ("It is 3",), 0.5),
    (AbstainingLookup, CALLS, None),
]


@pytest.mark.parametrize(("cls", "actions", "score"), TRANSCRIPTS)
def test_stepping_driving_and_replaying_come_to_one_score(cls, actions, score):
    env = cls()
    rewards, info = played(env, *actions)
    assert info["score"] == pytest.approx(score) if score is not None else info["score"] is None
    assert sum(rewards) == pytest.approx(score or 0.0)
    driven = evaluate(cls, Scripted(*actions), split="all").summary
    assert driven["errors"] == {}
    assert driven["reward"]["mean"] == (pytest.approx(score) if score is not None else None)
    completion = env.messages[1:]
    assert cls().score_episode(None, None, completion, **ROW) == score
    assert cls().score_episode(None, None, completion, row=ROW) == score


def test_the_parts_are_told_when_the_episode_ends_and_only_then():
    env = Count()
    env.reset(options=ROW)
    assert "rewards" not in env.step("1")[4]
    env.step("2")
    info = env.step("3")[4]
    assert info == {"metrics": {"reached": 3}, "rewards": {"whole": 1.0, "polite": 0.0}, "score": 1.5}


def test_the_last_reward_holds_the_weighted_rewards():
    assert played(Count(), "1", "2", "3")[0] == pytest.approx([0.25, 0.25, 0.25 + 0.75])


def test_whoever_computes_the_rewards_itself_gets_the_step_rewards_alone():
    env = Count()
    books_of(env).scored_by_caller = True
    rewards, info = played(env, "1", "2", "3")
    assert rewards == [0.25, 0.25, 0.25]
    assert "rewards" not in info


def test_rewards_given_to_an_instance_count_in_every_replay():
    env = Unweighted()
    env.rewards = [exact_match()]
    assert played(env, "1", "2", "3")[1]["rewards"] == {"exact_match": 1.0}
    assert env.score_episode(None, None, env.messages[1:], **ROW) == 1.75


def test_a_replay_leaves_the_instance_alone():
    env = Count()
    env.reset(options=ROW)
    env.step("1")
    env.score_episode(None, None, [{"role": "assistant", "content": "x"}], **ROW)
    assert (env.turns, env.reached) == (1, 1)


def test_a_transcript_that_stops_early_is_scored_as_far_as_it_goes():
    assert Count().score_episode(None, None, "1", **ROW) == 0.25
    assert Unweighted().score_episode(None, None, [], **ROW) == 0.0


def test_a_transcript_that_goes_on_too_long_is_scored_to_its_end():
    said = [{"role": "assistant", "content": text} for text in ("1", "2", "3", "4")]
    assert Count().score_episode(None, None, said, **ROW) == 1.5


def test_a_replay_works_inside_a_running_loop():
    async def scored():
        return Count().score_episode(None, None, [{"role": "assistant", "content": "1"}], **ROW)

    assert asyncio.run(scored()) == 0.25


def test_a_column_named_row_does_not_confuse_a_replay():
    assert Count().score_episode(None, None, "1", **ROW, row=3) == 0.25


def test_the_fresh_instance_of_a_replay_is_closed():
    closed = []

    class Closing(Count):
        def close(self):
            closed.append(self)

    env = Closing()
    env.score_episode(None, None, "1", **ROW)
    assert closed
    assert closed[0] is not env


def test_metrics_of_the_steps_reach_the_summary():
    summary = evaluate(Count, "gold", split="all").summary
    assert summary["metrics"]["reached"] == 3.0
    assert summary["reward"]["mean"] == 1.5
