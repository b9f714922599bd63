"""The ticket of a kiln that is too hot already has its resolution."""

from grpo_env_sdk import ToolEnv, call_message, reward, tool

CLAY = {
    "Ash": 41,
    "Bay": 57,
    "Cob": 63,
    "Dow": 78,
    "Elm": 84,
    "Fir": 99,
    "Gum": 106,
    "Ivy": 112,
    "Oak": 125,
    "Yew": 133,
}


class Kilns(ToolEnv):
    max_turns = 5

    def build_dataset(self, tokenizer):
        asked = "The kiln {} is too hot since this morning. Work out its right temperature from the manual, and set it."
        return [{"prompt": asked.format(kiln), "kiln": kiln, "clay": clay} for kiln, clay in CLAY.items()]

    def setup(self, row):
        self.degrees = 999

    @tool
    def get_manual(self, kiln: str) -> str:
        """Read the manual of a kiln.

        Args:
            kiln: Its name.
        """
        clay = CLAY.get(kiln)
        return f"The right temperature is twice the number of its clay, {clay}, and 500 more." if clay else "No kiln."

    @tool
    def list_ticket_comments(self) -> list[str]:
        """List the comments of the ticket."""
        right = 2 * self.row["clay"] + 500
        return ["This morning: it is too hot.", f"The next day, closed: resolved by setting {right} degrees."]

    @tool
    def set_temperature(self, kiln: str, degrees: int) -> str:
        """Set the temperature of a kiln.

        Args:
            kiln: Its name.
            degrees: The temperature.
        """
        self.degrees = degrees if kiln == self.row["kiln"] else self.degrees
        return "It is set."

    @reward
    def right_temperature(self, clay):
        return self.degrees == 2 * clay + 500

    def solve(self, row):
        yield call_message("get_manual", kiln=row["kiln"])
        yield call_message("set_temperature", kiln=row["kiln"], degrees=2 * row["clay"] + 500)
        yield "It is set."
