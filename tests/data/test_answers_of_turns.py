"""The answer in an episode of several turns whose prompt is text."""

import pytest

from grpo_env_sdk import MultiTurnEnv, answer_text, evaluate, reward


class Interview(MultiTurnEnv):
    """Ask once, then say the name."""

    max_turns = 2

    def build_dataset(self, tokenizer):
        return [{"prompt": "Ask for the name, then say it.", "name": name} for name in ("Ada", "Bo")]

    def step(self, action):
        asked = self.messages[-2]["role"] == "user" and len(self.messages) == 2
        return f"I am {self.row['name']}.", 0.0, not asked, False, {}

    @reward
    def right(self, completion, name):
        return answer_text(completion) == name

    @reward(weight=0)
    def turns(self, completion):
        return completion.count("\n")

    def solve(self, row):
        return ["<think>Whom?</think>Who are you?", f"<think>It is {row['name']}.</think>\n{row['name']}"]


@pytest.mark.parametrize("pool", ["thread", "process"])
def test_the_answer_is_in_the_last_turn_alone(pool):
    episodes = evaluate(Interview, "gold", split="all", env_pool=pool).episodes
    assert [(episode.rewards["right"], episode.rewards["turns"]) for episode in episodes] == [(1.0, 2.0), (1.0, 2.0)]


def test_a_last_turn_that_calls_a_tool_has_none():
    class Calls(Interview):
        def solve(self, row):
            return ["Ada", {"role": "assistant", "content": "Ada", "tool_calls": [{"name": "look", "arguments": {}}]}]

    assert [episode.reward for episode in evaluate(Calls, "gold", split="all").episodes] == [0.0, 0.0]
