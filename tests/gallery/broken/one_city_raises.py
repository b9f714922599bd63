"""Local times of offices."""

from typing import Literal

from grpo_env_sdk import ToolEnv, call_message, reward, tool

OFFSETS = {"London": "0", "Oslo": "1", "Cairo": "2", "Tokyo": "9", "Lima": "-5", "Delhi": "5.5", "Karachi": "5"}
Office = Literal["London", "Oslo", "Cairo", "Tokyo", "Lima", "Delhi", "Karachi"]


class LocalTimes(ToolEnv):
    max_turns = 3

    def build_dataset(self, tokenizer):
        return [
            {
                "prompt": f"It is {hour} o'clock UTC. What hour is it in {city}? Only the number.",
                "hour": hour,
                "city": city,
                "answer": str((hour + int(offset)) % 24),
            }
            for city, offset in OFFSETS.items()
            if "." not in offset
            for hour in range(6, 20, 2)
        ]

    @tool
    def offset(self, city: Office) -> int:
        """How many hours a city is ahead of UTC.

        Args:
            city: Where the office is.
        """
        return int(OFFSETS[city])

    @reward
    def right(self, messages, answer):
        return messages[-1]["content"] == answer

    def solve(self, row):
        answered = yield call_message("offset", city=row["city"])
        yield str((row["hour"] + int(answered[-1]["content"])) % 24)
