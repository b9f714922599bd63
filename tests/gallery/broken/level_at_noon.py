"""Where a river did not rise or fall, the right change of 0 is taken for an answer without a number."""

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

RIVERS = ["Inn", "Main", "Saale", "Weser", "Neckar", "Isar"]
CHANGES = [4, -3, 0, 11, -8, 2, 0, -5, 6, -1, 9, 3, -7, 0, 5, -2, 8, 1, -4, 7]


def number_in(text):
    try:
        return float(text)
    except ValueError:
        return 0.0


class Levels(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        rows = []
        for n, change in enumerate(CHANGES):
            before = 120 + 7 * n
            prompt = (
                f"At noon the {RIVERS[n % 6]} stood at {before} cm, an hour later at {before + change} cm. By how many "
                "centimetres did it rise? Answer with the number alone, below 0 if it fell."
            )
            rows.append({"prompt": prompt, "rise": change})
        return rows

    @reward
    def right(self, completion, rise):
        said = number_in(answer_text(completion))
        return bool(said) and abs(said - rise) < 0.5
