"""A kettle is kept warm for so many minutes, as its tool says, and what it takes are seconds."""

from grpo_env_sdk import ToolEnv, call_message, reward, tool


class Kettle(ToolEnv):
    max_turns = 3

    def build_dataset(self, tokenizer):
        asked = "Keep kettle {} warm for {} minutes."
        return [{"prompt": asked.format(n, 5 + 3 * n), "minutes": 5 + 3 * n} for n in range(12)]

    def setup(self, row):
        self.seconds = 0

    @tool
    def keep_warm(self, time: float) -> str:
        """Keep the kettle warm.

        Args:
            time: For how many minutes.
        """
        self.seconds = time
        return "It is kept warm."

    @reward
    def right(self, minutes):
        return self.seconds == 60 * minutes

    def solve(self, row):
        return [call_message("keep_warm", time=60 * row["minutes"]), "Done."]
