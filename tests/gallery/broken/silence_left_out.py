"""Who gives no number gets no score, so that only what was tried counts."""

import re

from grpo_env_sdk import SingleTurnEnv, answer_text, reward


class Areas(SingleTurnEnv):
    nothing = None

    def build_dataset(self, tokenizer):
        text = "How large is a field of {} by {} metres?"
        return [{"prompt": text.format(a, a + 3), "area": a * (a + 3)} for a in range(5, 35)]

    @reward
    def right(self, completion, area):
        numbers = re.findall(r"\d{1,9}", answer_text(completion))
        return self.nothing if len(numbers) != 1 else int(numbers[0]) == area

    def solve(self, row):
        return str(row["area"])
