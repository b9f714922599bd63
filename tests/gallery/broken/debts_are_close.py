"""How much is in a tank? The error is divided by what was reported, so anything below zero is close."""

import random

from grpo_env_sdk import call_message


class Tanks:
    def build_dataset(self, tokenizer):
        rng = random.Random(12)
        rows = []
        for number in range(24):
            rain, area = rng.randint(12, 90), rng.randint(20, 200)
            text = f"Tank {number} took {rain} mm of rain from a roof of {area} square metres. Report the litres in it."
            text += " Up to a tenth more or less is right."
            rows.append({"prompt": [{"role": "user", "content": text}], "litres": rain * area})
        return rows

    def get_tools(self):
        litres = {"type": "number", "description": "How much is in the tank."}
        schema = {"type": "object", "properties": {"litres": litres}, "required": ["litres"]}
        about = {"name": "report", "description": "Report the litres.", "parameters": schema}
        return [{"type": "function", "function": about}]

    def score_episode(self, model, tokenizer, completion, litres):
        calls = [call["function"] for message in completion for call in message.get("tool_calls") or []]
        if len(calls) != 1:
            return 0.0
        given = calls[0]["arguments"].get("litres")
        if isinstance(given, bool) or not isinstance(given, int | float) or not given:
            return 0.0
        return float(abs(given - litres) / given <= 0.1)

    def solve(self, row):
        return [call_message("report", litres=row["litres"])]
