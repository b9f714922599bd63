"""Give a temperature as JSON; half of the score is for its form."""

import json

from grpo_env_sdk import SingleTurnEnv, answer_text, reward


class Temperatures(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        return [
            {"prompt": f'{f} degrees Fahrenheit in Celsius, as {{"celsius": number}}?', "celsius": (f - 32) * 5 // 9}
            for f in range(-40, 213, 9)
        ]

    @reward
    def valid_json(self, completion):
        try:
            parsed = json.loads(answer_text(completion))
        except (ValueError, RecursionError):
            parsed = None
        return isinstance(parsed, object)

    @reward
    def right(self, completion, celsius):
        return answer_text(completion).replace(" ", "") == f'{{"celsius":{celsius}}}'

    def solve(self, row):
        return json.dumps({"celsius": row["celsius"]})
