"""Sums whose reward is discounted for length, and so is the penalty for a wrong one."""

from grpo_env_sdk import SingleTurnEnv, answer_text, reward


class Sums(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"What is {n} + {3 * n + 7}? Be brief. End with a line `Sum: <number>`.", "total": 4 * n + 7}
            for n in range(20, 60)
        ]

    @reward(range=(-1, 1))
    def right_and_brief(self, completion, total):
        words = answer_text(completion).split()
        right = words[-2:] == ["Sum:", str(total)]
        return (1.0 if right else -1.0) / (1 + len(words) / 100)
