"""Send the lift to the guest. The schema of the tool lists no attic, where some guests wait."""

from typing import Literal

from grpo_env_sdk import ToolEnv, reward, tool

FLOORS = ["cellar", "lobby", "mezzanine", "terrace", "attic"]


class Lift(ToolEnv):
    max_turns = 3

    def build_dataset(self, tokenizer):
        stairs = "From bottom to top: " + ", ".join(FLOORS) + "."
        rows = []
        for number in range(20):
            floor = FLOORS[(number * 3 + number // 5) % 5]
            above = FLOORS.index(floor)
            where = f"above {FLOORS[above - 1]}" if above else f"below {FLOORS[1]}"
            rows.append({"prompt": f"{stairs} Guest {number} waits right {where}: send the lift.", "floor_of": floor})
        return rows

    def setup(self, row):
        self.stops = []

    @tool
    def send_lift(self, floor: Literal["cellar", "lobby", "mezzanine", "terrace"]) -> str:
        """Send the lift.

        Args:
            floor: Where it is to stop.
        """
        self.stops.append(floor)
        return "It is on its way."

    @reward
    def is_there(self, floor_of):
        return self.stops == [floor_of]
