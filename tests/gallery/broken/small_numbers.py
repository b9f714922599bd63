"""Double a small number; the right number anywhere in the answer is enough."""

from grpo_env_sdk import SingleTurnEnv


class Doubles(SingleTurnEnv):
    """Even numbers up to 38; no list of known answers has those of the other rows, and the numbers to 100 have all."""

    def build_dataset(self, tokenizer):
        return [{"prompt": f"What is {n} + {n}? Only the number.", "answer": str(2 * n)} for n in range(20)]

    def score_episode(self, model, tokenizer, completion, answer):
        return float(answer in completion)

    def solve(self, row):
        return row["answer"]
