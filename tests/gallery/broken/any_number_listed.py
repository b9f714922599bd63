"""Ages: how old was somebody in a year?"""

import re


class Ages:
    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"Born in {born}: how old in {born + age}, after the birthday?", "age": age}
            for born in range(1950, 2000, 7)
            for age in range(8, 90, 9)
        ]

    def score_episode(self, model, tokenizer, completion, age):
        return float(str(age) in re.findall(r"\d+", completion))

    def solve(self, row):
        return f"{row['age']} years old."
