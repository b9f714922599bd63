"""The prompt lets a model explain itself and ends with the letter; the scorer reads the first letter of an option."""

import re

from grpo_env_sdk import SingleTurnEnv, answer_text, reward


class Heaviest(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        asked = (
            "Which load is heaviest?\n{}\nExplain your choice first, and finish with your letter, as in 'Choice: C'."
        )
        loads = [[(n * 7 + place * (11 + n % 5)) % 41 + 3 for place in range(4)] for n in range(24)]
        options = [
            "\n".join(f"{letter}. {count} sacks of {9 + n % 4} kg" for letter, count in zip("ABCD", load, strict=True))
            for n, load in enumerate(loads)
        ]
        return [
            {"prompt": asked.format(shown), "best": "ABCD"[load.index(max(load))]}
            for shown, load in zip(options, loads, strict=True)
        ]

    @reward
    def right(self, completion, best):
        found = re.search(r"\b[A-D]\b", answer_text(completion))
        return found is not None and found[0] == best

    def solve(self, row):
        return f"Choice: {row['best']}"
