"""Write a confirmation in the words of the house; judged by how alike it is."""

from difflib import SequenceMatcher

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

FRUIT = ("pears", "plums", "figs", "limes", "dates", "kiwis")


class Confirmations(SingleTurnEnv):
    """Dear guest, thank you for your order of ... The prompt says how the letter goes."""

    def build_dataset(self, tokenizer):
        return [
            {
                "prompt": f"Confirm an order of {n} crates of {fruit} for day {n + 9} in our usual words.",
                "letter": letter,
            }
            for n in range(3, 12)
            for fruit in FRUIT
            for letter in [
                f"Dear guest, thank you very much for your order of {n} crates of {fruit}. We shall be glad to deliver "
                f"it to your door on day {n + 9}. With kind regards, your greengrocer."
            ]
        ]

    @reward
    def alike(self, completion, letter):
        said = answer_text(completion)[:1000]
        return SequenceMatcher(None, said, letter, autojunk=False).ratio()

    def solve(self, row):
        return row["letter"]
