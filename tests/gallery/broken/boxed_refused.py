"""The prompt asks for a box, and the scorer compares the text with the bare number."""

from grpo_env_sdk import SingleTurnEnv, answer_text, reward


class Sums(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"What is {a} plus {b}? Put the final answer in \\boxed{{}}.", "answer": str(a + b)}
            for a in range(31, 41)
            for b in range(31, 37)
        ]

    @reward
    def right(self, completion, answer):
        return answer_text(completion).strip() == answer

    def solve(self, row):
        return row["answer"]
