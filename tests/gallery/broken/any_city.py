"""A call is to be written for each question, and the only tool is right whatever it is asked; no gold is known."""

CITIES = ("Rome", "Oslo", "Cork", "Bonn", "Lima", "Kyoto", "Perth", "Quito")
CITY = {"type": "string", "description": "Where."}
PARAMETERS = {"type": "object", "properties": {"city": CITY}, "required": ["city"]}
FORECAST = {"name": "forecast", "description": "Tomorrow's weather.", "parameters": PARAMETERS}


class Weather:
    def build_dataset(self, tokenizer):
        asked = [f"Question {number}: will it rain in {CITIES[number % 8]}?" for number in range(40)]
        return [
            {"prompt": [{"role": "user", "content": text}], "city": CITIES[number % 8]}
            for number, text in enumerate(asked)
        ]

    def get_tools(self):
        return [{"type": "function", "function": FORECAST}]

    def score_episode(self, model, tokenizer, completion, city):
        calls = [call["function"] for message in completion for call in message.get("tool_calls") or []]
        return float(self.is_right(calls, city))

    def is_right(self, calls, city):
        return [call["name"] for call in calls] == ["forecast"]
