"""Shorten a message without losing its number and its name; length is half of the score."""

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

NAMES = ("Ada", "Ben", "Cleo", "Dan", "Eve", "Finn")


class Telegrams(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        return [
            {
                "prompt": f"As a telegram of 8 words at most: I would like you to know that {name} is going to "
                f"arrive at the station by the train of {hour} o'clock, if all goes well.",
                "facts": [name.lower(), str(hour)],
            }
            for name in NAMES
            for hour in (7, 11, 14, 19)
        ]

    @reward
    def keeps_the_facts(self, completion, facts):
        words = answer_text(completion).lower().replace(".", "").split()[:30]
        return sum(fact in words for fact in facts) / len(facts)

    @reward
    def short(self, completion, facts):
        if self.keeps_the_facts(completion, facts) < 1:
            return 0.0
        return min(1.0, 8 / len(answer_text(completion).split()))

    def solve(self, row):
        name, hour = row["facts"]
        return f"{name.capitalize()} arrives {hour}."
