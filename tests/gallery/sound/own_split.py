"""Powers of two and three, with test rows that no training row is equal to."""

from grpo_env_sdk import SingleTurnEnv, answer_text, reward


class Powers(SingleTurnEnv):
    def build_dataset(self, tokenizer, split="train"):
        exponents = range(2, 14) if split == "train" else range(14, 18)
        return [
            {"prompt": f"{base} to the power of {n}? Digits only.", "answer": str(base**n)}
            for base in (2, 3)
            for n in exponents
        ]

    @reward
    def right(self, completion, answer):
        return answer_text(completion) == answer

    def solve(self, row):
        return row["answer"]
