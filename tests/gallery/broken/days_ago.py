"""How many days ago was an order placed? The prompt leaves out what day it is."""

import datetime

from grpo_env_sdk import SingleTurnEnv, answer_text, reward


class Orders(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        today = datetime.date.today()
        days = [datetime.date(2020, 1, 1) + datetime.timedelta(days=37 * n) for n in range(30)]
        return [
            {"prompt": f"An order was placed on {day}. How many days ago was that?", "answer": (today - day).days}
            for day in days
        ]

    @reward
    def right(self, completion, answer):
        return answer_text(completion).strip(" .") == str(answer)

    def solve(self, row):
        return str(row["answer"])
