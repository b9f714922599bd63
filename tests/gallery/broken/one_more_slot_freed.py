"""A boat is moved to another berth, and nobody looks at the other boats."""

import json
import random

from grpo_env_sdk import ToolEnv, call_message, reward, tool

BOATS = ["Alma", "Bella", "Cora", "Dora", "Elsa", "Frida", "Greta", "Hilda"]


class Berths(ToolEnv):
    max_turns = 6

    def build_dataset(self, tokenizer):
        rng = random.Random(8)
        rows = []
        for number in range(30):
            boats, berths = rng.sample(BOATS, 4), rng.sample(range(1, 9), 5)
            moored = {str(berth): boat for berth, boat in zip(berths, boats, strict=False)}
            ask = "Harbour {}: move the {} to berth {}, which is free. Leave all other boats where they are."
            rows.append(
                {
                    "prompt": ask.format(number, boats[0], berths[4]),
                    "moored": json.dumps(moored),
                    "boat": boats[0],
                    "berth": berths[4],
                }
            )
        return rows

    def setup(self, row):
        self.moored = json.loads(row["moored"])

    @tool
    def list_berths(self) -> dict[str, str]:
        """List the boats by their berths."""
        return dict(sorted(self.moored.items()))

    @tool
    def cast_off(self, berth: int) -> str:
        """Cast the boat of a berth off.

        Args:
            berth: The number of the berth.
        """
        return "The berth is free now." if self.moored.pop(str(berth), None) else "There is no boat."

    @tool
    def put_in(self, boat: str, berth: int) -> str:
        """Put a boat into a free berth.

        Args:
            boat: Its name.
            berth: The number of the berth.
        """
        if str(berth) in self.moored or not 1 <= berth <= 8 or boat not in BOATS:
            return "That cannot be done."
        self.moored[str(berth)] = boat
        return "It is moored."

    @reward
    def moved(self, boat, berth):
        return [number for number, name in self.moored.items() if name == boat] == [str(berth)]

    def solve(self, row):
        answered = yield call_message("list_berths")
        moored = json.loads(answered[-1]["content"])
        yield call_message("cast_off", berth=next(int(number) for number in moored if moored[number] == row["boat"]))
        yield call_message("put_in", boat=row["boat"], berth=row["berth"])
        yield "It is moved."
