"""The number of the parcel, which its tool needs, is in no prompt, and no other tool says it."""

import random

from grpo_env_sdk import ToolEnv, answer_text, call_message, reward, tool

STATES = ("at the depot", "in the van", "delivered", "held at customs")


class Parcels(ToolEnv):
    max_turns = 4

    def build_dataset(self, tokenizer):
        r = random.Random(6)
        return [
            {
                "prompt": f"I am customer {n}. Where is the parcel that I ordered on May {n + 1}?",
                "number": f"PX{r.randrange(10_000, 99_999)}",
                "status": r.choice(STATES),
            }
            for n in range(28)
        ]

    @tool
    def track(self, number: str) -> str:
        """Where a parcel is.

        Args:
            number: The number of the parcel.
        """
        return self.row["status"] if number == self.row["number"] else "Unknown number."

    @reward
    def right(self, completion, tool_calls, status, number):
        looked = any(call["arguments"].get("number") == number for call in tool_calls)
        return looked and answer_text(completion).strip() == status

    def solve(self, row):
        yield call_message("track", number=row["number"])
        yield row["status"]
