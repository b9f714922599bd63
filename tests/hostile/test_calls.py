"""What one model calls costs its own episode: arguments that take long to check, and 100,000 calls in one message."""

import asyncio
from typing import ClassVar

import pytest

from grpo_env_sdk import load
from grpo_env_sdk.data.messages import MAX_CALLS, call_message
from grpo_env_sdk.policies.openai_policy import OpenAIPolicy
from grpo_env_sdk.rollout.commands import Limits
from grpo_env_sdk.rollout.driver import Rollout, jobs_for
from grpo_env_sdk.rollout.in_threads import rollouts
from grpo_env_sdk.types import Turn
from tests.hostile.test_schemas import HOSTILE
from tests.stub_server import StubServer, calls, says

TURNS = 5


class Looks:
    """Two rows; the tools are those of the test."""

    parallel = True
    parameters: ClassVar = {}

    def build_dataset(self, tokenizer):
        return [{"prompt": [{"role": "user", "content": name}]} for name in ("attacked", "harmless")]

    def get_tools(self):
        function = {"name": "look", "description": "Look.", "parameters": {"type": "object", **self.parameters}}
        return [{"type": "function", "function": function}]

    def call_tool(self, name, arguments):
        return "seen"

    def score_episode(self, model, tokenizer, completion):
        return 1.0


class Attacks:
    """Makes the calls of an attack in one row, and then ends it; in the other row it makes one call in each turn."""

    name = "attacks"

    def __init__(self, *attack):
        self.attack = {"role": "assistant", "tool_calls": [call["tool_calls"][0] for call in attack]}

    async def respond(self, request):
        attacked = request.messages[0]["content"] == "attacked"
        if attacked and request.turn == 0:
            return Turn(self.attack)
        return Turn({"content": "done"} if attacked or request.turn == TURNS else call_message("look"))

    async def close(self):
        pass


def played(policy, parameters=None, **limits):
    """The episodes, in the order in which they ended."""
    loaded = load(type("LooksAt", (Looks,), {"parameters": parameters or {}}))
    rows = loaded.rows("all")

    async def play():
        rollout = Rollout(policy, limits=Limits(**limits))
        try:
            return [episode async for episode in rollouts(loaded, rows, rollout, jobs_for(rows))]
        finally:
            await policy.close()

    return asyncio.run(play())


@pytest.mark.parametrize("kind", ["patterns", "references", "unique", "names"])
def test_a_check_that_takes_long_holds_up_no_other_episode(kind):
    parameters, arguments = HOSTILE[kind]
    harmless, attacked = played(Attacks(call_message("look", **arguments)), parameters)
    assert (harmless.row_index, harmless.stop_reason, harmless.turns) == (1, "terminated", TURNS + 1)
    assert attacked.tool_calls[0]["error"] == "invalid_arguments"


def test_of_a_hundred_thousand_calls_none_is_run_and_the_episode_is_over():
    with StubServer() as server:
        server.when("attacked", calls(*[("look", {})] * 100_000))
        server.when("harmless", says("done"))
        episodes = played(OpenAIPolicy("x", server.url), tool_calls=None)
    attacked = min(episodes, key=lambda episode: episode.row_index)
    assert (attacked.stop_reason, attacked.reward, attacked.tool_calls) == ("max_tool_calls", 1.0, [])
    assert len(attacked.messages[-1]["tool_calls"]) == MAX_CALLS + 1


def test_a_limit_of_calls_that_is_higher_lets_a_message_have_more():
    many = 2 * MAX_CALLS
    episodes = played(Attacks(*[call_message("unknown")] * many), tool_calls=many)
    attacked = min(episodes, key=lambda episode: episode.row_index)
    assert attacked.stop_reason == "terminated"
    assert [outcome["error"] for outcome in attacked.tool_calls] == ["unknown_tool"] * many
