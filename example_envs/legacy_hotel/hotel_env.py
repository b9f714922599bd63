"""A hotel desk with two tools; the model has to make the one call that a guest's request needs."""

import random

from datasets import Dataset

CITIES = ["Athens", "Bergen", "Ghent", "Leipzig", "Lyon", "Malaga", "Porto", "Riga", "Turin", "York"]
SYSTEM = "You work at a hotel desk. Make the one tool call that the guest's request needs, and no other."

TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "book_room",
            "description": "Book a room in a city.",
            "parameters": {
                "type": "object",
                "properties": {
                    "city": {"type": "string", "description": "Where to book."},
                    "nights": {"type": "integer", "description": "How many nights."},
                    "max_price": {"type": "integer", "description": "The most that a night may cost."},
                },
                "required": ["city", "nights", "max_price"],
            },
        },
    },
    {
        "type": "function",
        "function": {
            "name": "cancel_booking",
            "description": "Cancel a booking.",
            "parameters": {
                "type": "object",
                "properties": {"booking": {"type": "string", "description": "The booking, such as B123."}},
                "required": ["booking"],
            },
        },
    },
]


class HotelEnv:
    """One request per row, one call per request."""

    def __init__(self, num_cases=300, cancel_share=0.3, seed=0):
        rng = random.Random(seed)
        cases = {}
        while len(cases) < num_cases:
            request, call = make_case(rng, cancel_share)
            cases[request] = call
        self.cases = list(cases.items())

    def build_dataset(self, tokenizer):
        """The requests, each with the index of its case."""
        prompts = [
            [{"role": "system", "content": SYSTEM}, {"role": "user", "content": request}] for request, _ in self.cases
        ]
        return Dataset.from_dict({"prompt": prompts, "case_idx": list(range(len(prompts)))})

    def score_episode(self, model, tokenizer, completion, case_idx):
        """The share of right arguments, if the right tool was called once."""
        calls = [call["function"] for message in completion for call in message.get("tool_calls") or []]
        wanted = self.cases[case_idx][1]
        if len(calls) != 1 or calls[0]["name"] != wanted["name"]:
            return 0.0
        given = calls[0]["arguments"]
        if not isinstance(given, dict) or not set(given) <= set(wanted["arguments"]):
            return 0.0
        right = [given.get(name) == value for name, value in wanted["arguments"].items()]
        return sum(right) / len(right)

    def get_tools(self):
        """The tools as OpenAI function schemas."""
        return TOOLS


def make_case(rng, cancel_share):
    """A request, and the call that it needs."""
    if rng.random() < cancel_share:
        booking = f"B{rng.randrange(100, 1000)}"
        call = {"name": "cancel_booking", "arguments": {"booking": booking}}
        return f"Please cancel my booking {booking}.", call
    city, nights, price = rng.choice(CITIES), rng.randint(2, 9), rng.randrange(40, 200, 5)
    request = f"I need a room in {city} for {nights} nights, at most {price} a night."
    return request, {"name": "book_room", "arguments": {"city": city, "nights": nights, "max_price": price}}
