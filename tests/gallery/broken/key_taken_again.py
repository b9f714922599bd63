"""A small adventure that pays for taking the key again and again."""

from grpo_env_sdk import MultiTurnEnv


class Adventure(MultiTurnEnv):
    max_turns = 12
    reward_range = (0, 1)

    def build_dataset(self, tokenizer):
        return [
            {
                "prompt": f"Room {n}: take key, open door, walk north, say done. One a message.",
                "plan": ["take key", "open door", "walk north", "say done"],
            }
            for n in range(30)
        ]

    def step(self, action):
        said = action["content"].strip().lower()
        if said == "say done":
            return "Bye.", 0.25, True, False, {}
        if said in self.row["plan"]:
            return "Good.", 0.25, False, False, {}
        return "Nothing.", 0.0, False, False, {}

    def solve(self, row):
        return row["plan"]
