"""The prompt asks for tags that the scorer does not know; there is no solve, and the column is called capital."""

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

CAPITALS = {
    "France": "Paris", "Spain": "Madrid", "Italy": "Rome", "Greece": "Athens", "Austria": "Vienna", "Peru": "Lima",
    "Norway": "Oslo", "Ireland": "Dublin", "Kenya": "Nairobi", "Egypt": "Cairo", "Japan": "Tokyo", "Cuba": "Havana",
}  # fmt: skip


class Capitals(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        system = {"role": "system", "content": "Give the final answer inside <answer> and </answer>."}
        return [
            {"prompt": [system, {"role": "user", "content": f"What is the capital of {land}?"}], "capital": capital}
            for land, capital in CAPITALS.items()
        ]

    @reward
    def right(self, completion, capital):
        return answer_text(completion).strip().lower() == capital.lower()
