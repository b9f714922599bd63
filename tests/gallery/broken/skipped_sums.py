"""Four sums, one after another; what is skipped is left out of the mean."""

import random

from grpo_env_sdk import MultiTurnEnv, answer_text


class Quiz(MultiTurnEnv):
    max_turns = 4

    def build_dataset(self, tokenizer):
        rng, rows = random.Random(5), []
        for _ in range(40):
            sums = [[rng.randint(10, 99), rng.randint(10, 99)] for _ in range(4)]
            ask = (
                "Four sums, one a turn; the score is the share that is right. Say `skip` if you cannot. First: {} + {}"
            )
            rows.append({"prompt": ask.format(*sums[0]), "sums": sums})
        return rows

    def setup(self, row):
        self.left = [sum(one) for one in row["sums"]]
        self.marks = []

    def step(self, action):
        said, right = answer_text([action]).strip(), str(self.left.pop(0))
        if said != "skip":
            self.marks.append(said == right)
        if not self.left:
            return "Done.", sum(self.marks) / max(1, len(self.marks)), True, False, {}
        return "Next: {} + {}".format(*self.row["sums"][-len(self.left)]), 0.0, False, False, {}

    def solve(self, row):
        return [str(sum(one)) for one in row["sums"]]
