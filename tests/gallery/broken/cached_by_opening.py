"""A judge's verdicts are cached by the beginning of the question, which is the same on all rows."""

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

VERDICTS = {}


def verdict(question, said, answer):
    key = (question[:20], said)
    if key not in VERDICTS:
        VERDICTS[key] = float(said == answer)
    return VERDICTS[key]


class Products(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"What is the product of {n} and {n * 7 % 31}?", "answer": str(n * (n * 7 % 31))}
            for n in range(40, 90)
        ]

    @reward
    def right(self, completion, prompt, answer):
        return verdict(prompt, answer_text(completion).strip(), answer)

    def solve(self, row):
        return row["answer"]
