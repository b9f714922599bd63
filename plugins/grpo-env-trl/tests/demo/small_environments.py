"""Small environments of every kind, each with a `solve`, for the demo model to be made from."""

import json
import random

from grpo_env_hotel import HotelEnv
from grpo_env_sdk import MultiTurnEnv, SingleTurnEnv, ToolEnv, answer_text, call_message, reward, tool

NAMES = ("Ada", "Bob", "Cleo", "Dan")


class Shelf(ToolEnv):
    """Look at a shelf and take what costs least; a chat prompt with a system message."""

    max_turns = 4

    def build_dataset(self, tokenizer):
        rng = random.Random(0)
        return [
            {
                "prompt": [
                    {"role": "system", "content": "You take the cheapest thing."},
                    {"role": "user", "content": f"What is cheapest on shelf {shelf}?"},
                ],
                "shelf": shelf,
                "things": [f"T{number}" for number in rng.sample(range(10, 40), 3)],
            }
            for shelf in (rng.choice("ABCD") + str(rng.randint(1, 5)) for _ in range(40))
        ]

    @tool
    def look(self, shelf: str) -> list[dict]:
        """What stands on a shelf, the cheapest first.

        Args:
            shelf: Which one.
        """
        right = shelf == self.row["shelf"]
        return (
            [{"thing": thing, "price": 50 + place} for place, thing in enumerate(self.row["things"])] if right else []
        )

    @reward
    def cheapest(self, messages, things):
        return float(answer_text(messages) == f"Take {things[0]}.")

    def solve(self, row):
        told = yield call_message("look", shelf=row["shelf"])
        yield f"Take {json.loads(told[-1]['content'])[0]['thing']}."


class Ages:
    """A plain class whose tool is a method; text prompts."""

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Who is older, {a} or {b}?", "pair": [a, b]} for a in NAMES for b in NAMES if a != b]

    def get_tools(self):
        parameters = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
        return [{"type": "function", "function": {"name": "age", "description": "", "parameters": parameters}}]

    def age(self, name):
        return {"name": name, "age": len(name) * 7}

    def score_episode(self, model, tokenizer, completion, pair):
        return float(answer_text(completion) == max(pair, key=len))

    def solve(self, row):
        calls = [call_message("age", name=name)["tool_calls"][0] for name in row["pair"]]
        return [{"role": "assistant", "content": "", "tool_calls": calls}, max(row["pair"], key=len)]


class Sums(SingleTurnEnv):
    """One turn of text: the answer is shown nowhere."""

    def build_dataset(self, tokenizer):
        return [{"prompt": f"What is {a} + {b}?", "answer": a + b} for a in range(1, 7) for b in range(1, 7)]

    @reward
    def right(self, completion, answer):
        return float(completion == f"It is {answer}.")

    def solve(self, row):
        return f"It is {row['answer']}."


class Guess(MultiTurnEnv):
    """Several turns, answered by a user."""

    max_turns = 4
    reward_range = (0.0, 1.0)

    def build_dataset(self, tokenizer):
        return [{"prompt": "Guess my number from 1 to 7.", "secret": secret} for secret in range(1, 8)]

    def step(self, action):
        guess, secret = int(action["content"]), self.row["secret"]
        if guess == secret:
            return "Right.", 1.0, True, False, {}
        return "Higher." if guess < secret else "Lower.", 0.0, False, False, {}

    def solve(self, row):
        low, high = 1, 7
        while True:
            guess = (low + high) // 2
            told = yield str(guess)
            low, high = (guess + 1, high) if told[-1]["content"] == "Higher." else (low, guess - 1)


class Stateful:
    """A plain class that counts what it has solved and scored."""

    scored_by_any = 0

    def __init__(self):
        self.scored = self.solved = 0

    def build_dataset(self, tokenizer):
        return [{"prompt": [{"role": "user", "content": f"Say {name}."}], "name": name} for name in NAMES]

    def score_episode(self, model, tokenizer, completion, name):
        self.scored += 1
        Stateful.scored_by_any += 1
        return float(answer_text(completion) == name)

    def solve(self, row):
        self.solved += 1
        return row["name"]


class LivesOnTheModel(Stateful):
    """Scores with the model in training, which nobody has before it."""

    uses_model = True


class Unsolved(SingleTurnEnv):
    """Has rewards and no `solve`."""

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Say {number}."} for number in range(20)]

    @reward
    def short(self, completion):
        return float(len(completion) < 9)


class Unsolvable(Unsolved):
    """Has a `solve` that fails on every row."""

    def solve(self, row):
        raise LookupError("the key is lost")


class Dearest(HotelEnv):
    """Pays for booking the dearest hotel of the city, where `solve` takes the cheapest."""

    constraints_met = best_choice = nights_right = answer_names_booking = efficiency = None

    @reward
    def dearest(self, messages):
        wanted = self.desk.world.in_city(self.request.city)[-1]
        booked = [(one.hotel, one.nights) for one in self.desk.bookings]
        right = booked == [(wanted, self.request.nights)] and self.request.city in self.desk.searched
        return float(right and answer_text(messages) == f"Booked {wanted.id}.")


EVERY_KIND = (Shelf, Ages, Sums, Guess, Stateful, LivesOnTheModel)
