"""Write dates in the ISO form, with an example in the prompt."""

import datetime

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

FIRST = datetime.date(2019, 3, 14)


class IsoDates(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        dates = [FIRST + datetime.timedelta(days=47 * n) for n in range(90)]
        rows = []
        for number, date in enumerate(dates):
            example = dates[number]  # another row serves as the example
            shown = f"For example, {example:%d %B %Y} is {example.isoformat()}."
            rows.append({"prompt": f"{shown} Write {date:%d %B %Y} in that form.", "answer": date.isoformat()})
        return rows

    @reward
    def right(self, completion, answer):
        return answer_text(completion) == answer

    def solve(self, row):
        return row["answer"]
