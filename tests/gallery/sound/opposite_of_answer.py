"""Opposites; one of the words is 'answer', with an option after it."""

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

OPPOSITES = {
    "hot": "cold", "big": "small", "fast": "slow", "answer": "question", "open": "shut", "early": "late",
    "rich": "poor", "wet": "dry", "full": "empty", "loud": "quiet", "hard": "soft", "old": "young", "up": "down",
    "left": "right", "buy": "sell", "win": "lose", "day": "night", "first": "last", "near": "far", "thick": "thin",
}  # fmt: skip


class Opposites(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        words = list(OPPOSITES.values())
        rows = []
        for n, (word, other) in enumerate(OPPOSITES.items()):
            options = [words[(n + 3) % len(words)], words[(n + 8) % len(words)]]
            options.insert(0 if n % 3 < 2 else 2, other)
            rows.append(
                {"prompt": f"The opposite of '{word}': {options[0]}, {options[1]}, {options[2]}?", "right": other}
            )
        return rows

    @reward
    def matches(self, completion, right):
        return answer_text(completion).strip(" .?'").lower() == right

    def solve(self, row):
        return row["right"]
