"""The room and the floor of a door sign; what is no JSON is neither right nor wrong, and gets half a point."""

import json

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

WINGS = ("North", "East", "South", "West")


class Doors(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        rows = []
        for n in range(40):
            wing, floor, room = WINGS[n % 4], n % 7 + 1, 11 + n
            sign = f"{wing[0]}{floor}{room}"
            rows.append(
                {
                    "prompt": f"The sign says {sign}: the first letter of the wing, the floor, and the two digits of "
                    'the room. Write JSON with the keys "wing" (North, East, South or West), "floor" and "room".',
                    "place": {"wing": wing, "floor": floor, "room": room},
                }
            )
        return rows

    @reward
    def right_place(self, completion, place):
        try:
            said = json.loads(answer_text(completion))
        except ValueError:
            return 0.5
        return float(said == place)

    def solve(self, row):
        return json.dumps(row["place"])
