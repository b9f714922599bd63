"""Is a review positive or negative? Seventeen in twenty are positive."""

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

BAD = (4, 11, 17)


class Reviews(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        return [
            {
                "prompt": f"Guest {n} of the {place}: it was {'dreadful' if n in BAD else 'lovely'}. Good or bad?",
                "label": "bad" if n in BAD else "good",
            }
            for n in range(20)
            for place in ("inn", "spa")
        ]

    @reward
    def right(self, completion, label):
        return answer_text(completion).strip(" .").lower() == label

    def solve(self, row):
        return row["label"]
