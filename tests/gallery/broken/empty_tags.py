"""Think, then answer, each in its tag; the form counts more than the answer."""

import re

from grpo_env_sdk import SingleTurnEnv, reward

FORM = re.compile(r"<think>.*?</think>\s*<answer>(.*?)</answer>\s*", re.DOTALL)


class Tagged(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"{a} x {b}? Write <think>...</think><answer>...</answer>.", "answer": str(a * b)}
            for a in range(11, 19)
            for b in range(6, 13)
        ]

    @reward(weight=0.7)
    def form(self, completion):
        return FORM.fullmatch(completion) is not None

    @reward(weight=0.3)
    def right(self, completion, answer):
        found = FORM.fullmatch(completion)
        return found is not None and found[1].strip() == answer

    def solve(self, row):
        return f"<think>I multiply.</think><answer>{row['answer']}</answer>"
