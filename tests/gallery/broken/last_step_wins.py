"""A stair that two climb by turns; the prompt says that the last step loses, and the code pays for it."""

from grpo_env_sdk import MultiTurnEnv, answer_text


class Stair(MultiTurnEnv):
    max_turns = 12
    reward_range = (0, 1)

    def build_dataset(self, tokenizer):
        asked = "We climb {0} steps by turns, 1 or 2 at a time, and say the step. Who says {0} loses. You begin at {1}."
        tops = [(top, start) for top in range(11, 19) for start in (0, 1) if (top - start) % 3]
        return [{"prompt": asked.format(top, start), "top": top, "start": start} for top, start in tops]

    def setup(self, row):
        self.at = row["start"]

    def step(self, action):
        said = answer_text([action]).strip()
        if not said.isdecimal() or not 1 <= int(said) - self.at <= 2 or int(said) > self.row["top"]:
            return f"We are at {self.at}.", 0.0, False, False, {}
        self.at = int(said)
        if self.at == self.row["top"]:
            return "The top.", 1.0, True, False, {}
        self.at += min(2, self.row["top"] - self.at)
        return f"I say {self.at}.", 0.0, self.at == self.row["top"], False, {}

    def solve(self, row):
        while self.at < row["top"]:
            yield str(self.at + ((row["top"] - self.at) % 3 or 1))
