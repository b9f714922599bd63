"""Boats that are off course, turned back with one call; only by how much is compared, and not to which side."""

from grpo_env_sdk import ToolEnv, call_message, reward, tool


class Helm(ToolEnv):
    max_turns = 3

    def build_dataset(self, tokenizer):
        off = [(-1) ** n * (n + 2) for n in range(20)]
        side = {True: "starboard", False: "port"}
        return [
            {
                "prompt": f"The boat heads {abs(n)} degrees too far to {side[n > 0]}. Turn it back with one call.",
                "off": n,
            }
            for n in off
        ]

    def setup(self, row):
        self.turned = None

    @tool
    def turn(self, degrees: int, side: str) -> str:
        """Turn the boat.

        Args:
            degrees: By how many degrees.
            side: To port or to starboard.
        """
        self.turned = (degrees, side)
        return "The boat turns."

    def fits(self, off):
        return self.turned is not None and self.turned[0] == abs(off)

    @reward
    def right(self, off):
        return self.fits(off)

    def solve(self, row):
        side = "port" if row["off"] > 0 else "starboard"
        return [call_message("turn", degrees=abs(row["off"]), side=side), "The boat is on its course."]
