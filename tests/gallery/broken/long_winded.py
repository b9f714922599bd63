"""Capitals; long answers lose points."""

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

CAPITALS = {
    "France": "Paris",
    "Peru": "Lima",
    "Kenya": "Nairobi",
    "Norway": "Oslo",
    "Japan": "Tokyo",
    "Egypt": "Cairo",
    "Cuba": "Havana",
    "Ghana": "Accra",
    "Chile": "Santiago",
    "Iran": "Tehran",
    "Latvia": "Riga",
    "Nepal": "Kathmandu",
}


class Capitals(SingleTurnEnv):
    reward_range = (0, 1)

    def build_dataset(self, tokenizer):
        return [{"prompt": f"The capital of {country}? One word.", "answer": CAPITALS[country]} for country in CAPITALS]

    @reward
    def right_and_short(self, completion, answer):
        said = answer_text(completion)
        too_long = max(0, len(said) - 400) / 400
        return float(said == answer) - too_long

    def solve(self, row):
        return row["answer"]
