from functools import cache
from unittest.mock import patch

from theirs.capitals_env import load_environment

from grpo_env_sdk import Toolbox, ToolEnv, call_message
from grpo_env_sdk.rewards import from_verifiers


@cache
def their_environment():
    with patch("signal.signal"):  # verifiers sets handlers in its constructor, which only the main thread may
        return load_environment()


class Capitals(ToolEnv):
    """Count the letters of a capital, with the tools and the rubric of an environment of verifiers."""

    runs_tools = True

    def __init__(self):
        self.theirs = their_environment()
        self.max_turns = self.theirs.max_turns
        self.rewards = from_verifiers(self.theirs.rubric)

    def build_dataset(self, tokenizer):
        return [{"prompt": row["prompt"], "answer": row["answer"]} for row in self.theirs.get_dataset()]

    def setup(self, row):
        self.toolbox = Toolbox.from_functions(self.theirs.tools)

    def solve(self, row):
        country = row["prompt"][0]["content"].removesuffix("?").split(" of ")[1]
        answered = yield call_message("capital_of", country=country)
        answered = yield call_message("length_of", word=answered[-1]["content"])
        yield answered[-1]["content"]
