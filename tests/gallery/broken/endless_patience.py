"""Say the days of the week in order; whatever else is said is asked for again."""

from grpo_env_sdk import MultiTurnEnv

DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


class DaysInOrder(MultiTurnEnv):
    max_turns = 100_000
    reward_range = (0, 1)

    def build_dataset(self, tokenizer):
        return [{"prompt": f"The three days after {day}, one a message.", "first": i} for i, day in enumerate(DAYS[:2])]

    def setup(self, row):
        self.reached = 0
        self.wrong = 0

    def step(self, action):
        if action["content"].strip().lower() != DAYS[(self.row["first"] + self.reached + 1) % 7]:
            self.wrong += 1
            return "No, try again.", 0.0, False, False, {}
        self.reached += 1
        complete = self.reached == 3
        return "Good.", complete / (1 + self.wrong), complete, False, {}

    def solve(self, row):
        return [DAYS[(row["first"] + n) % 7] for n in (1, 2, 3)]
