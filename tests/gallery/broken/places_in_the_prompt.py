"""Square roots to as many places as a parameter says; the scorer always compares two."""

from grpo_env_sdk import SingleTurnEnv, answer_text, reward


class Roots(SingleTurnEnv):
    """The square root of a number, rounded as the prompt says."""

    def __init__(self, places: int = 2):
        self.places = places

    def build_dataset(self, tokenizer):
        return [
            {
                "prompt": f"What is the square root of {n}? Answer with the number alone, to {self.places} decimals.",
                "root": n**0.5,
            }
            for n in (2, 3, 5, 6, 7, 8, 10, 11, 12, 13, 14, 15, 17, 18, 19, 20)
        ]

    @reward
    def right(self, completion, root):
        return answer_text(completion).strip() == f"{root:.2f}"

    def solve(self, row):
        return f"{row['root']:.{self.places}f}"
