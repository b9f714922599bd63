"""Small real environments that several tests use."""

import re
from collections.abc import Iterator
from typing import Any

from grpo_env_sdk import MultiTurnEnv, ToolEnv, call_message, reward, tool


class Countdown:
    """The plain class of the documentation."""

    def __init__(self, longest=20):
        self.starts = list(range(2, longest + 1))

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Count down from {start} to 1.", "start": start} for start in self.starts]

    def score_episode(self, model, tokenizer, completion, start):
        return float(re.findall(r"\d+", completion) == [str(n) for n in range(start, 0, -1)])

    def solve(self, row):
        return " ".join(str(n) for n in range(row["start"], 0, -1))


class Phonebook(ToolEnv):
    """Look a number up, and say it."""

    max_turns = 4

    def build_dataset(self, tokenizer):
        names = [f"Person{i}" for i in range(30)]
        return [
            {"prompt": f"What is the number of {name}?", "name": name, "answer": str(100 + i), "half": i % 2}
            for i, name in enumerate(names)
        ]

    @tool
    def look_up(self, name: str) -> dict[str, str]:
        """The number of a person.

        Args:
            name: Who it is.
        """
        if name != self.row["name"]:
            raise LookupError(f"nobody is called {name}")
        return {"number": self.row["answer"]}

    @reward(weight=3)
    def right(self, messages, answer):
        return messages[-1]["content"] == answer

    @reward
    def looked_up(self, tool_calls):
        return any(call["error"] is None for call in tool_calls)

    def solve(self, row: dict[str, Any]) -> Iterator[Any]:
        answered = yield call_message("look_up", name=row["name"])
        yield re.findall(r"\d+", answered[-1]["content"])[0]


class Guess(MultiTurnEnv):
    """Guess a number, told higher or lower."""

    max_turns = 5
    reward_range = (0.0, 1.0)

    def build_dataset(self, tokenizer):
        return [{"prompt": [{"role": "user", "content": "Guess, 1 to 15."}], "secret": n} for n in range(1, 16)]

    def step(self, action):
        guess = int("".join(re.findall(r"\d", action["content"]))[:9] or 0)
        info = {"metrics": {"distance": float(abs(guess - self.row["secret"]))}}
        if guess == self.row["secret"]:
            return "Right.", 1.0, True, False, info
        return ("Higher." if guess < self.row["secret"] else "Lower."), 0.0, False, False, info

    def solve(self, row: dict[str, Any]) -> Iterator[str]:
        low, high = 1, 15
        while True:
            middle = (low + high) // 2
            answer = (yield str(middle))[-1]["content"]
            low, high = (middle + 1, high) if answer == "Higher." else (low, middle - 1)


class PlainWithTools:
    """A plain class that runs tools by methods of their names, and keeps state."""

    def __init__(self):
        self.seen = []

    def build_dataset(self, tokenizer):
        return [{"prompt": [{"role": "user", "content": f"Add {a} and 2."}], "a": a} for a in range(12)]

    def get_tools(self):
        schema = {"type": "object", "properties": {"x": {"type": "integer"}, "y": {"type": "integer"}}}
        return [{"type": "function", "function": {"name": "add", "parameters": schema | {"required": ["x", "y"]}}}]

    def add(self, x, y):
        self.seen.append((x, y))
        return x + y

    def score_episode(self, model, tokenizer, completion, a):
        return float(self.seen == [(a, 2)] and completion[-1]["content"] == str(a + 2))

    def solve(self, row):
        return [call_message("add", x=row["a"], y=2), str(row["a"] + 2)]


ALL = (Countdown, Phonebook, Guess, PlainWithTools)
