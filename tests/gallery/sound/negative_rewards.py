"""Trivia where a wrong answer costs and "unknown" is worth nothing."""

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

YEARS = {
    "the first man on the moon": "1969",
    "the fall of the Berlin wall": "1989",
    "the end of the second world war": "1945",
    "the French revolution": "1789",
    "the sinking of the Titanic": "1912",
    "the great fire of London": "1666",
    "the first modern Olympic games": "1896",
    "the opening of the Suez canal": "1869",
}


class Years(SingleTurnEnv):
    reward_range = (-1, 1)

    def build_dataset(self, tokenizer):
        return [{"prompt": f"The year of {event}? Or say unknown.", "year": YEARS[event]} for event in YEARS]

    @reward(range=(-1, 1))
    def right(self, completion, year):
        said = answer_text(completion).lower()
        return 0.0 if said == "unknown" else 1.0 if said == year else -1.0

    def solve(self, row):
        return row["year"]
