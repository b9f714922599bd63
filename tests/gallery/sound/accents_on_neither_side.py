"""French plurals that are compared without accents on either side."""

import unicodedata

from grpo_env_sdk import answer_text

NOUNS = [
    "été", "élève", "école", "forêt", "fête", "hôtel", "île", "mère", "père", "règle", "télé", "vélo", "zèbre", "âme",
    "côte", "dîner", "éclair", "frère", "gâteau", "hérisson",
]  # fmt: skip


def plain(text):
    return "".join(char for char in unicodedata.normalize("NFD", text.lower()) if not unicodedata.combining(char))


class Plurals:
    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"Le pluriel de « {noun} » ? Réponds d'un seul mot.",
             "plural": plain(noun + ("x" if noun.endswith("eau") else "s"))}
            for noun in NOUNS
        ]  # fmt: skip

    def score_episode(self, model, tokenizer, completion, plural):
        return float(plain(answer_text(completion)).strip(" .") == plural)
