"""A list of the module grows with each answer, and an answer that was given before earns less."""

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

GIVEN = []
ANIMALS = ("cat", "dog", "owl", "fox", "bee", "ant", "cow", "hen", "pig", "elk", "bat", "rat", "yak", "emu", "eel")


class Names(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        return [
            {
                "prompt": f"Invent a name of two words for a {size} {animal}, ending in {animal.title()}.",
                "last": animal,
            }
            for animal in ANIMALS
            for size in ("small", "big")
        ]

    @reward
    def new_name(self, completion, last):
        text = answer_text(completion).strip()
        GIVEN.append(text)
        return text.endswith(f" {last.title()}") / GIVEN.count(text)

    def solve(self, row):
        return f"Velvet {row['last'].title()}"
