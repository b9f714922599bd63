"""A tool says that it lists the warmest rooms, the warmest first, and lists the first ones by their number."""

import json
import random

from grpo_env_sdk import ToolEnv, answer_text, call_message, reward, tool

HOUSES = ["Elm House", "Oak House", "Ash House", "Fir House", "Yew House", "Bay House", "Fig House", "Box House"]


class Rooms(ToolEnv):
    max_turns = 4

    def build_dataset(self, tokenizer):
        rng, rows = random.Random(8), []
        for house in HOUSES:
            rooms = [
                {"room": f"{floor}{door:02}", "degrees": degrees / 10}
                for floor, door, degrees in zip(
                    rng.choices(range(1, 5), k=8), range(10, 90, 10), rng.sample(range(150, 290), 8), strict=True
                )
            ]
            prompt = f"Which room of {house} is the warmest? Answer with its number alone."
            rows.append({"prompt": prompt, "house": house, "rooms": json.dumps(rooms)})
        return rows

    @tool
    def warmest_rooms(self, house: str) -> list[dict]:
        """List the three warmest rooms of a house, the highest degrees first.

        Args:
            house: The name of the house.
        """
        rooms = json.loads(self.row["rooms"]) if house == self.row["house"] else []
        return sorted(rooms, key=lambda one: one["room"])[:3]

    @reward
    def right(self, completion, rooms):
        return answer_text(completion).strip() == self.warmest(rooms)

    def warmest(self, rooms):
        return max(json.loads(rooms), key=lambda one: one["degrees"])["room"]

    def solve(self, row):
        yield call_message("warmest_rooms", house=row["house"])
        yield self.warmest(row["rooms"])
