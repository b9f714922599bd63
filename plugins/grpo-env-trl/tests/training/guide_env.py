"""The example class of a GRPO guide, letter by letter: `my_envs/hotel_env.py` there."""

HOTEL_ENV = """
from datasets import Dataset

class HotelEnv:
    def __init__(self, max_turns=5):
        self.max_turns = max_turns
        self.cases = [
            {"prompt": "Book a room in Paris for 2 nights", "expected": "paris"},
            {"prompt": "Find a hotel near the airport in Tokyo", "expected": "tokyo"},
        ]

    def build_dataset(self, tokenizer):
        return Dataset.from_dict({
            "prompt": [c["prompt"] for c in self.cases],
            "case_idx": list(range(len(self.cases))),
        })

    def score_episode(self, model, tokenizer, completion, case_idx):
        expected = self.cases[case_idx]["expected"]
        # Simple: check if the expected keyword appears in completion
        if expected.lower() in completion.lower():
            return 1.0
        return 0.0

    def get_tools(self):
        return [{
            "type": "function",
            "function": {
                "name": "search_hotels",
                "description": "Search for hotels in a city",
                "parameters": {
                    "type": "object",
                    "properties": {
                        "city": {"type": "string"},
                        "nights": {"type": "integer"}
                    },
                    "required": ["city"]
                }
            }
        }]
"""
