"""Five guesses are promised, and the fifth is not looked at."""

from grpo_env_sdk import MultiTurnEnv


class Weights(MultiTurnEnv):
    max_turns = 9
    reward_range = (0, 1)

    def build_dataset(self, tokenizer):
        asked = "Melon {} weighs 1 to 31 kilograms. You have five guesses, and get 'more' or 'less'."
        return [{"prompt": asked.format(n), "kg": n * 7 % 31 + 1} for n in range(24)]

    def setup(self, row):
        self.count = 0

    def step(self, action):
        said = (action["content"] or "").strip()
        self.count += 1
        if self.count == 5:
            return "That was the last guess.", 0.0, True, False, {}
        if said == str(self.row["kg"]):
            return "Yes.", 1.0, True, False, {}
        if not said.isdecimal() or len(said) > 2:
            return "A number from 1 to 31.", 0.0, False, False, {}
        return "more" if int(said) < self.row["kg"] else "less", 0.0, False, False, {}

    def solve(self, row):
        return [str(row["kg"])]
