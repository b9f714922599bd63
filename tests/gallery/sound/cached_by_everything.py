"""Verdicts are cached by the whole question and the whole answer."""

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

VERDICTS = {}


class Products(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"What is the product of {n} and {n * 7 % 31}?", "answer": str(n * (n * 7 % 31))}
            for n in range(40, 90)
        ]

    @reward
    def right(self, completion, prompt, answer):
        said = answer_text(completion).strip()
        if len(VERDICTS) > 1000:
            VERDICTS.clear()
        return VERDICTS.setdefault((prompt, said), float(said == answer))

    def solve(self, row):
        return row["answer"]
