"""Spanish verbs whose answers lost their accents when the rows were written, and not when they are compared."""

import unicodedata

from grpo_env_sdk import answer_text

VERBS = ["cantar", "hablar", "comprar", "trabajar", "entrar", "llamar", "mirar", "nadar", "pagar", "sacar"]
ENDINGS = {"yo": "é", "tú": "aste", "él": "ó", "nosotros": "amos", "ellos": "aron"}


def plain(text):
    return "".join(char for char in unicodedata.normalize("NFD", text) if not unicodedata.combining(char))


class Verbs:
    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"El pretérito de «{verb}», persona: {person}. Responde con buena ortografía, con una palabra.",
             "form": plain(verb[:-2] + ending)}
            for verb in VERBS
            for person, ending in ENDINGS.items()
        ]  # fmt: skip

    def score_episode(self, model, tokenizer, completion, form):
        return float(answer_text(completion).strip().lower() == form)
