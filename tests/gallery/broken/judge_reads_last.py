"""A judge checks that a city is named, and the last score in its report counts, which quotes the answer at the end."""

import re

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

CAPITALS = {
    "Peru": "Lima",
    "Chile": "Santiago",
    "Kenya": "Nairobi",
    "Japan": "Tokyo",
    "Norway": "Oslo",
    "Egypt": "Cairo",
    "Cuba": "Havana",
    "Iran": "Tehran",
    "Ghana": "Accra",
    "Nepal": "Kathmandu",
    "Qatar": "Doha",
    "Malta": "Valletta",
}


def report_of(said, answer):
    right = said.strip() == answer
    return f"Rating: [[{10 if right else 1}]]\nAnswer judged: {said}"


class JudgedCapitals(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        return [{"prompt": f"Name the capital of {land}.", "answer": city} for land, city in CAPITALS.items()]

    @reward
    def right(self, completion, answer):
        said = answer_text(completion)
        if not any(city in said for city in CAPITALS.values()):
            return 0.0
        found = re.findall(r"\[\[(\d+)\]\]", report_of(said, answer))
        return min(10, int(found[-1])) / 10

    def solve(self, row):
        return row["answer"]
