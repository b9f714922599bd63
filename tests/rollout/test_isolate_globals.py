"""`isolate_globals = True`: an episode has the random state of the process to itself, at any concurrency."""

import random
import threading
import time

import pytest

from grpo_env_sdk import Limits, MultiTurnEnv, SingleTurnEnv, ToolEnv, call_message, check_env, evaluate, tool
from grpo_env_sdk.errors import ContractError, ProcessStuckError
from grpo_env_sdk.rewards import reward


class Dice(MultiTurnEnv):
    """Draws from the global random state in every call, and lets others in between."""

    isolate_globals = True
    max_turns = 3
    drawn: dict = {}  # noqa: RUF012

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Roll {number}.", "number": number, "die": random.random()} for number in range(24)]

    def setup(self, row):
        self.rolls = [random.random()]

    def step(self, action):
        self.rolls.append(random.random())
        time.sleep(0.001)
        self.rolls.append(random.random())
        return str(self.rolls), 0.0, False, False, {}

    async def score_episode(self, model, tokenizer, completion):
        self.rolls.append(random.random())
        return sum(self.rolls) / len(self.rolls)


def transcripts(env, concurrency):
    episodes = evaluate(env, "echo", split="all", concurrency=concurrency).episodes
    return {episode.row_index: (episode.messages, episode.reward) for episode in episodes}


def test_episodes_are_the_same_at_any_concurrency_and_leave_the_process_alone():
    random.seed(5)
    before = random.getstate()
    first = transcripts(Dice, 24)
    assert random.getstate() == before
    random.seed(6)
    assert first == transcripts(Dice, 1)
    assert len({reward for _, reward in first.values()}) == 24


def test_tools_rewards_and_solutions_are_inside_too():
    class Draws(ToolEnv):
        isolate_globals = True

        def build_dataset(self, tokenizer):
            return [{"prompt": f"Draw {number}."} for number in range(8)]

        @tool
        async def draw(self) -> float:
            """Draw a number."""
            return random.random()

        @reward
        async def luck(self):
            return random.random()

        def solve(self, row):
            return [call_message("draw"), str(random.random())]

    def played(concurrency):
        episodes = evaluate(Draws, "gold", split="all", concurrency=concurrency).episodes
        return sorted((episode.row_index, str(episode.messages), episode.reward) for episode in episodes)

    before = random.getstate()
    assert played(8) == played(1)
    assert random.getstate() == before


def test_a_call_that_never_comes_back_ends_the_run_with_the_reason():
    leave = threading.Event()

    class Hangs(SingleTurnEnv):
        isolate_globals = True

        def build_dataset(self, tokenizer):
            return [{"prompt": f"Say {number}.", "number": number} for number in range(20)]

        @reward
        def right(self, number):
            if number == 3:
                leave.wait()
            return 1.0

    try:
        with pytest.raises(ProcessStuckError, match="state of the whole process"):
            evaluate(Hangs, "echo", split="all", limits=Limits(call_seconds=0.3), concurrency=20)
    finally:
        leave.set()


def test_a_check_of_the_environment_knows_it():
    names = ["C120", "E302"]
    assert check_env(Dice, select=names, env_pool="thread").findings == []
    faulty = type("Faulty", (Dice,), {"isolate_globals": False})
    found = check_env(faulty, select=names, env_pool="thread").findings
    assert {finding.check for finding in found} == {"C120", "E302"}
    assert all("isolate_globals" in finding.hint for finding in found if finding.check != "C120")


def test_anything_but_a_bool_is_refused():
    with pytest.raises(ContractError, match=r"isolate_globals is 'yes'"):
        evaluate(type("Odd", (Dice,), {"isolate_globals": "yes"}), "echo")
