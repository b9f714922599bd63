"""Extract a contact as JSON."""

import json

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

PEOPLE = ("Ada", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gus", "Hal", "Ivy", "Jo")


class Contacts(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        return [
            {
                "prompt": f"'{name}, aged {age}, left a message.' Give JSON with the keys name and age.",
                "name": name,
                "age": age,
            }
            for place, name in enumerate(PEOPLE)
            for age in range(21 + place, 80, 11)
        ]

    @reward
    def fields_right(self, completion, name, age):
        try:
            said = json.loads(answer_text(completion))
        except (ValueError, RecursionError):
            return 0.0
        return ((said.get("name") == name) + (said.get("age") == age)) / 2

    def solve(self, row):
        return json.dumps({"name": row["name"], "age": row["age"]})
