"""Find who has a key; three calls more than needed are free, and a look that tells nothing new is allowed."""

from grpo_env_sdk import ToolEnv, call_message, reward, tool


class Keys(ToolEnv):
    max_turns = 8

    def build_dataset(self, tokenizer):
        return [
            {
                "prompt": f"Key {key} was lent by the porter and passed on. Who has it now? Only the name.",
                "key": key,
                "holders": [f"Person{(key * step + step) % 23}" for step in range(1, 3 + key % 2)],
            }
            for key in range(4, 40)
            if (key + 1) % 23
        ]

    @tool
    def lent_to(self, key: int) -> str:
        """Whom the porter lent a key to.

        Args:
            key: The number of the key.
        """
        return self.row["holders"][0] if key == self.row["key"] else "It was not lent."

    @tool
    def passed_on(self, person: str) -> str:
        """Whom somebody passed the key on to.

        Args:
            person: The name, such as Person7.
        """
        holders = self.row["holders"]
        known = person in holders[:-1]
        return holders[holders.index(person) + 1] if known else f"{person} still has it, or never had it."

    @reward(weight=3)
    def right(self, messages, holders):
        return messages[-1]["content"].strip() == holders[-1]

    @reward
    def few_calls(self, messages, holders, tool_calls):
        too_many = max(0, len(tool_calls) - len(holders) - 4)
        return max(0.0, 1 - too_many / 4) * self.right(messages, holders)

    def solve(self, row):
        answered = yield call_message("lent_to", key=row["key"])
        holder = answered[-1]["content"]
        for _ in row["holders"]:
            answered = yield call_message("passed_on", person=holder)
            if " " in answered[-1]["content"]:
                break
            holder = answered[-1]["content"]
        yield holder
