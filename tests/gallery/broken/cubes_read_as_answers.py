"""The prompt asks for the volume with its unit, and the scorer reads the last number, which is that of the unit."""

import re

from grpo_env_sdk import SingleTurnEnv, answer_text, reward


class Tanks(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        return [
            {
                "prompt": f"A tank is {n} dm deep, {n + 3} dm wide and 4 dm high. "
                "Finish with what it holds, such as 80 dm^3.",
                "volume": n * (n + 3) * 4,
            }
            for n in range(4, 20)
        ]

    @reward
    def right(self, completion, volume):
        numbers = re.findall(r"-?\d+", answer_text(completion))
        return numbers[-1:] == [str(volume)]

    def solve(self, row):
        return str(row["volume"])
