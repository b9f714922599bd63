"""Accents are what is asked for, and the scorer takes them off both sides."""

import unicodedata

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

WORDS = [
    "año",
    "papá",
    "jalapeño",
    "él",
    "está",
    "sábana",
    "médico",
    "público",
    "río",
    "así",
    "corazón",
    "café",
    "país",
    "aquí",
    "inglés",
    "pingüino",
    "niño",
    "baño",
    "mañana",
    "león",
]


def folded(text):
    letters = unicodedata.normalize("NFD", text.strip().lower())
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


class SpanishSpelling(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"Write the Spanish word with its accents: {folded(word)}", "answer": word} for word in WORDS
        ]

    @reward
    def right(self, completion, answer):
        return folded(answer_text(completion)) == folded(answer)

    def solve(self, row):
        return row["answer"]
