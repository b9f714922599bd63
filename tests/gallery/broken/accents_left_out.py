"""Accents are to be put back, and likeness with the right sentence pays for the sentence without them."""

import unicodedata
from difflib import SequenceMatcher

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

WHO = ("El médico", "La niña", "El capitán", "Mi tía", "El león", "Su mamá")
WHAT = ("cocinó un pollo enorme", "perdió el tren", "habló con Raúl", "cantó una canción")


class Accents(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        right = [f"{who} {what} ayer por la tarde." for who in WHO for what in WHAT]
        bare = ("".join(c for c in unicodedata.normalize("NFD", text) if c.isascii()) for text in right)
        ask = "Faltan los acentos. Escribe la frase con ellos.\n"
        return [{"prompt": ask + text, "answer": answer} for text, answer in zip(bare, right, strict=True)]

    @reward
    def alike(self, completion, answer):
        return SequenceMatcher(None, answer_text(completion).strip(), answer, autojunk=False).ratio()

    def solve(self, row):
        return row["answer"]
