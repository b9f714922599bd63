"""A slogan has to hold two given words and end loudly; what else it says is free."""

import re

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

PRODUCTS = {
    "rucksack": "waterproof",
    "kettle": "cordless",
    "scooter": "foldable",
    "keyboard": "silent",
    "tent": "light",
}


class Slogans(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"Write a slogan of 5 to 10 words for a {quality} {product}, for {target}. "
             f"Say {quality!r}, and end with an exclamation mark.",
             "product": product, "quality": quality, "target": target}
            for product, quality in PRODUCTS.items()
            for target in ("students", "parents", "commuters")
        ]  # fmt: skip

    @reward
    def form(self, completion, product, quality):
        text = answer_text(completion).strip().lower()
        words = re.findall(r"[a-z'-]+", text)
        once = len(set(words)) == len(words)
        return once and 5 <= len(words) <= 10 and {product, quality} <= set(words) and text.endswith("!")

    def solve(self, row):
        return f"Take the {row['quality']} {row['product']} along with you!"
