"""Book a table in a restaurant; the schema was written by hand."""

from grpo_env_sdk import call_message

SCHEMA = {
    "type": "function",
    "function": {
        "name": "book_table",
        "description": "Book a table for tonight, or for another date.",
        "parameters": {
            "type": "object",
            "properties": {
                "guests": {"type": "integer", "description": "How many people."},
                "hour": {"type": "integer", "description": "At which hour, 0 to 23."},
                "date": {"type": "string", "description": "Leave out for tonight."},
            },
            "required": ["guests", "hour"],
        },
    },
}


class Tables:
    max_turns = 3

    def __init__(self):
        self.bookings = []

    def build_dataset(self, tokenizer):
        return [
            {
                "prompt": [{"role": "user", "content": f"A table for {guests} tonight at {hour}, please."}],
                "wanted": [guests, hour],
            }
            for guests in range(2, 9)
            for hour in (18, 19, 20, 21)
        ]

    def get_tools(self):
        return [SCHEMA]

    def book_table(self, guests, hour, day=None):
        self.bookings.append([guests, hour, day])
        return "booked"

    def score_episode(self, model, tokenizer, completion, wanted):
        return float(self.bookings == [[*wanted, None]])

    def solve(self, row):
        guests, hour = row["wanted"]
        return [call_message("book_table", guests=guests, hour=hour), "Done."]
