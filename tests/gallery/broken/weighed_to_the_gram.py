"""The scale's label shows the weight with one decimal, and the price is worked out from what the scale measured."""

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

WEIGHED = [1.274, 0.838, 2.461, 1.529, 3.067, 0.952, 2.183, 1.746, 2.618, 4.391]
PRICES = [12.4, 8.9, 15.5, 21.0, 9.8, 32.5, 11.2, 18.6, 13.9, 7.4]


class CheeseCounter(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        return [
            {
                "prompt": f"The cheese weighs {kilos:.1f} kg, and a kilogram costs {price:.2f} francs. What does "
                "it cost, to the centime? Write only the amount, such as 4.05.",
                "francs": f"{kilos * price:.2f}",
            }
            for kilos, price in zip(WEIGHED, PRICES, strict=True)
        ]

    @reward
    def right(self, completion, francs):
        return answer_text(completion).strip() == francs

    def solve(self, row):
        return row["francs"]
