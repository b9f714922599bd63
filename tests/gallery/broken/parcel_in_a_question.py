"""A customer who hangs up at the word `send`, which is meant for the end of the call."""

from grpo_env_sdk import ToolEnv, answer_text, call_message, reward, tool

TOWNS = ["Bergen", "Lund", "Turku", "Odense", "Malmo", "Vaasa", "Tromso", "Aarhus", "Uppsala", "Espoo"]


class Parcels(ToolEnv):
    max_turns = 6

    def build_dataset(self, tokenizer):
        ask = "You work at a parcel service. A customer says: please send my parcel number {}. Ask for the town."
        return [
            {"prompt": ask.format(200 + number), "parcel": 200 + number, "town": TOWNS[number * 7 % len(TOWNS)]}
            for number in range(30)
        ]

    def setup(self, row):
        self.sent = None

    @tool
    def send(self, parcel: int, town: str) -> str:
        """Send a parcel to a town.

        Args:
            parcel: The number of the parcel.
            town: The name of the town.
        """
        self.sent = (parcel, town)
        return "It is on its way."

    def user(self, messages):
        said = answer_text(messages[-1]).lower()
        if "sen" in said:
            return None
        return f"To {self.row['town']}, please." if "town" in said or "where" in said else "What did you say?"

    @reward
    def arrives(self, parcel, town):
        return self.sent == (parcel, town)

    def solve(self, row):
        yield "To which town?"
        yield call_message("send", parcel=row["parcel"], town=row["town"])
        yield "Your parcel is sent. Goodbye!"
