"""Guess a number of eggs; the guess and the number are compared as texts, so 9 is more than 30."""

from grpo_env_sdk import MultiTurnEnv, answer_text


class Eggs(MultiTurnEnv):
    max_turns = 9
    EGGS = (31, 58, 46, 27, 64, 39, 52, 73, 48, 22, 67, 35)

    def build_dataset(self, tokenizer):
        ask = "Basket {}: how many eggs are in it, from 1 to 150? I say whether your number is too high or too low."
        return [{"prompt": ask.format(n), "eggs": eggs} for n, eggs in enumerate(self.EGGS)]

    def is_more(self, said, eggs):
        return said > str(eggs)

    def step(self, action):
        said, eggs = answer_text([action]).strip(), self.row["eggs"]
        if not said.isdecimal() or len(said) > 3:
            return "A number, please.", 0.0, False, False, {}
        if said == str(eggs):
            return "That is it.", 1.0, True, False, {}
        return "Too high." if self.is_more(said, eggs) else "Too low.", 0.0, False, False, {}

    def solve(self, row):
        return [str(row["eggs"])]
