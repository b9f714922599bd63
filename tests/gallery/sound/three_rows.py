"""Three questions of a museum's guided tour, and no more."""

from grpo_env_sdk import SingleTurnEnv
from grpo_env_sdk.rewards import exact_match


class Tour(SingleTurnEnv):
    rewards = (exact_match("answer", ignore_case=True),)

    def build_dataset(self, tokenizer):
        return [
            {"prompt": "Who painted the Night Watch? Last name only.", "answer": "Rembrandt"},
            {"prompt": "Who painted the Mona Lisa? First name only.", "answer": "Leonardo"},
            {"prompt": "Who painted Guernica? Last name only.", "answer": "Picasso"},
        ]

    def solve(self, row):
        return row["answer"]
