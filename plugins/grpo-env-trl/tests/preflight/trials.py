"""Environments with which something is wrong, and one with which nothing is."""

import re
import threading

from environments import rows

from grpo_env_sdk import MultiTurnEnv, ToolEnv, reward, tool
from grpo_env_sdk.data.messages import call_message
from grpo_env_sdk.views import cap_observations, chain, drop_old_tool_results, keep_last_turns


class Sums(ToolEnv):
    """Add two numbers by a tool, and say the sum; `faults` makes it fail."""

    def __init__(self, fault="", many=24, words=1):
        self.fault, self.many, self.words = fault, many, words

    def build_dataset(self, tokenizer):
        return [{**row, "prompt": f"Add {row['place']} and 2. " + "Please. " * self.words} for row in rows(self.many)]

    def setup(self, row):
        if self.fault == "always":
            raise OSError("no abacus today")
        if self.fault == "sometimes" and row["place"] % 2:
            raise OSError("no abacus today")

    @tool
    def add(self, x: int, y: int) -> int:
        """Add two numbers.

        Args:
            x: One.
            y: The other.
        """
        return x + y

    @reward
    def right(self, completion, messages, place):
        if self.fault == "nan":
            return float("nan")
        return 0.5 if self.fault == "constant" else float(messages[-1]["content"] == str(place + 2))

    def solve(self, row):
        yield call_message("add", x=row["place"], y=2)
        yield str(row["place"] + 2)


class OneRow(Sums):
    """Too few rows to hold any out."""

    def __init__(self):
        super().__init__(many=1)


class Blind:
    """A plain class without a solution, whose score is always nothing."""

    def build_dataset(self, tokenizer):
        return rows(24)

    def score_episode(self, model, tokenizer, completion):
        return 0.0


class Endless(Blind):
    """Rows that never come, and a file with a line for each time that they were asked for."""

    def build_dataset(self, tokenizer):
        with open("asked.txt", "a") as file:
            file.write("once\n")
        threading.Event().wait()


class Asks(Blind):
    """A plain class that scores with the live model, and does not say so."""

    def score_episode(self, model, tokenizer, completion):
        return float(model.config.vocab_size > 0)


class Searches(Blind):
    """A plain class whose scorer finds nothing in most answers, and fails."""

    def score_episode(self, model, tokenizer, completion):
        return float(re.search(r"answer: (\d+)", completion).group(1))


class Chats(Blind):
    """Prompts of chat messages, one of a role that not every template takes."""

    def build_dataset(self, tokenizer):
        said = [{"role": "user", "content": "a"}, {"role": "user", "content": "b"}]
        return [{"prompt": said if row["place"] == 5 else said[:1], "place": row["place"]} for row in rows(24)]


class Developer(Blind):
    """Prompts as the Responses API has them, with what to do in a role that few templates know."""

    def build_dataset(self, tokenizer):
        told = {"role": "developer", "content": "Answer in JSON: city, people."}
        return [{**row, "prompt": [told, {"role": "user", "content": "Lyon?"}]} for row in rows(24)]


class Walk(MultiTurnEnv):
    """Many turns, each answered at length."""

    def __init__(self, turns=120, letters=500, view="none"):
        self.max_turns, self.letters = turns, letters
        self.view = {
            "none": None, "last": keep_last_turns(4), "capped": cap_observations(100),
            "results": drop_old_tool_results(1), "both": chain(cap_observations(20), keep_last_turns(30)),
            "own": lambda messages: messages[:3],
        }[view]  # fmt: skip

    def build_dataset(self, tokenizer):
        return rows(24)

    def step(self, action):
        return "x " * (self.letters // 2), 0.0, self.turns == 3, False, {}

    @reward
    def short(self, messages):
        return 1 / len(str(messages))
