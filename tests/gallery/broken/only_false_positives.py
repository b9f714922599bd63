"""List the people who are named in a note; inventing somebody costs."""

from itertools import combinations

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

PEOPLE = ("Ada", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gus")


class NamesInNotes(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        return [
            {
                "prompt": f"'{a} said that {b} would bring the keys.' List the names, with commas between.",
                "names": [a, b],
            }
            for a, b in combinations(PEOPLE, 2)
        ]

    @reward
    def no_invention(self, completion, names):
        said = [name.strip() for name in answer_text(completion).split(",") if name.strip()]
        invented = [name for name in said if name not in names]
        return 1 - len(invented) / max(1, len(said))

    def solve(self, row):
        return ", ".join(row["names"])
