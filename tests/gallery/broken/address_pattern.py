"""Pick the one e-mail address out of a note."""

import re

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

ADDRESS = re.compile(r"([a-z0-9]+[._-]?)+@[a-z]+\.(com|org|net)")
NAMES = "ada.hill ben-lee cleo.ray dan_fox eve.may finn.oak gus.orr hal.poe ivy.rue jo.sun kai-tan lou.vey"
SHOPS = ("books.com", "seeds.org", "lamps.net")


class FindAddress(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        return [
            {
                "prompt": f"Note {n}: call the plumber, write to {name}@{shop} about the order, then buy milk. "
                "Which address is in the note? Only the address.",
                "answer": f"{name}@{shop}",
            }
            for n, name in enumerate(NAMES.split(), 1)
            for shop in SHOPS
        ]

    @reward
    def right(self, completion, answer):
        said = answer_text(completion).lower()
        return bool(ADDRESS.fullmatch(said)) and said == answer

    def solve(self, row):
        return row["answer"]
