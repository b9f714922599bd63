"""The page of some owners is cut off before the name that is asked for."""

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
        rows = []
        for n in range(50):
            rng = random.Random(n)
            rows.append(
                {
                    "prompt": f"Who owns house {n}? Only the name.",
                    "n": n,
                    "owners": rng.sample(NAMES, rng.choice((3, 4, 5, 6))),
                }
            )
        for row in rows:
            row["answer"] = row["owners"][-1]
        return rows

    @tool
    def page(self, house: int) -> str:
        """The owners of a house, oldest first; the last one owns it now.

        Args:
            house: The number.
        """
        return ", ".join(self.row["owners"][:5]) if house == self.row["n"] else "no such house"

    @reward
    def right(self, completion, answer):
        return answer_text(completion).strip() == answer

    def solve(self, row):
        yield call_message("page", house=row["n"])
        yield row["answer"]
