"""Some houses belong to nobody, which no page says in words."""

import random

from grpo_env_sdk import ToolEnv, answer_text, call_message, reward, tool

NAMES = (
    "Okafor",
    "Lindqvist",
    "Marchetti",
    "Petrova",
    "Nakamura",
    "Delgado",
    "Hansen",
    "Fischer",
    "Moreau",
    "Kowalski",
)


class Deeds(ToolEnv):
    max_turns = 4

    def build_dataset(self, tokenizer):
        return [
            {
                "prompt": f"Who owns house {n}? Only the name, or nobody.",
                "n": n,
                "answer": random.Random(n).choice((*NAMES, "nobody", "nobody")),
            }
            for n in range(50)
        ]

    @tool
    def page(self, house: int) -> str:
        """The owner of a house.

        Args:
            house: The number.
        """
        return (
            ("" if self.row["answer"] == "nobody" else self.row["answer"])
            if house == self.row["n"]
            else "no such house"
        )

    @reward
    def right(self, completion, answer, tool_calls):
        return bool(tool_calls) and answer_text(completion).strip() == answer

    def solve(self, row):
        yield call_message("page", house=row["n"])
        yield row["answer"]
