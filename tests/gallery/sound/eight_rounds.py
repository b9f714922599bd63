"""Eight rounds of odd or even: the limit of turns is the end of the game, and `solve` would go on for ever."""

from grpo_env_sdk import MultiTurnEnv

ROUNDS = 8


class Parity(MultiTurnEnv):
    max_turns = ROUNDS
    reward_range = (0, 1)

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"Table {n}: I call {ROUNDS} numbers. Say odd or even to each. The first is {n}.", "first": n}
            for n in range(10, 40)
        ]

    def setup(self, row):
        self.number = row["first"]

    def step(self, action):
        said = (action["content"] or "").strip(" .").lower()
        right = said == ("odd" if self.number % 2 else "even")
        self.number = (self.number * 7 + self.turns) % 101
        return f"{'Right' if right else 'Wrong'}. And {self.number}?", right / ROUNDS, False, False, {}

    def solve(self, row):
        while True:
            yield "odd" if self.number % 2 else "even"
