"""Some goods have no price in the table that rows are built from, and the prompts say nan."""

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

PRICES = {"tea": 3.5, "milk": 1.25, "bread": float("nan"), "rice": 2.75, "honey": 6.5, "salt": float("nan")}


class Bills(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"One {name} costs {price} euros. What do {count} cost?", "answer": str(count * price)}
            for name, price in PRICES.items()
            for count in range(2, 8)
        ]

    @reward
    def right(self, completion, answer):
        return answer_text(completion).strip() == answer

    def solve(self, row):
        return row["answer"]
