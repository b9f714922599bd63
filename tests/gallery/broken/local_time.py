"""Gold is the hour in the time zone of the machine."""

import datetime

from grpo_env_sdk import SingleTurnEnv, answer_text, reward


class Hours(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        return [
            {
                "prompt": f"Unix time {t}: which hour of the day is it in UTC?",
                "answer": str(datetime.datetime.fromtimestamp(t).hour),
            }
            for t in range(1_600_000_000, 1_600_400_000, 9973)
        ]

    @reward
    def right(self, completion, answer):
        return answer_text(completion).strip() == answer

    def solve(self, row):
        return row["answer"]
