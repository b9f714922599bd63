"""A setting that was right at some time counts, although it is wrong in the end."""

import random

from grpo_env_sdk import ToolEnv, call_message, reward, tool


class Heating(ToolEnv):
    max_turns = 6

    def build_dataset(self, tokenizer):
        rows = []
        for number in range(20):
            rng = random.Random(number)
            hall, bath = rng.randrange(15, 20), rng.randrange(20, 26)
            text = f"House {number}: heat the hall to {hall} degrees and the bath to {bath}."
            rows.append({"prompt": text, "hall": hall, "bath": bath})
        return rows

    def setup(self, row):
        self.log = []

    @tool
    def set_temperature(self, room: str, degrees: int) -> str:
        """Set the temperature of a room.

        Args:
            room: hall or bath.
            degrees: In degrees Celsius.
        """
        self.log.append((room, degrees))
        return f"The {room} is set."

    @reward
    def warm(self, hall, bath):
        return ("hall", hall) in self.log and ("bath", bath) in self.log

    def solve(self, row):
        return [*(call_message("set_temperature", room=room, degrees=row[room]) for room in ("hall", "bath")), "Done."]
