"""Pick parcels off a shelf until the van is full."""

from grpo_env_sdk import ToolEnv, call_message, reward, tool


class Parcels(ToolEnv):
    """Load parcels so that their weights come to exactly what the van can carry."""

    max_turns = 5

    def build_dataset(self, tokenizer):
        return [
            {
                "prompt": f"Load exactly {a + b} kg. On the shelf: {a}, {b}, {a + b + 3} and {a + b + 8} kg.",
                "shelf": [a, b, a + b + 3, a + b + 8],
                "capacity": a + b,
            }
            for a in range(3, 12)
            for b in range(13, 19)
        ]

    def setup(self, row):
        self.shelf = row["shelf"]
        self.loaded = 0

    @tool
    def load(self, kilos: int) -> str:
        """Load one parcel.

        Args:
            kilos: The weight of the parcel to take.
        """
        if kilos not in self.shelf:
            return "There is no such parcel."
        self.shelf.remove(kilos)
        self.loaded += kilos
        return f"{self.loaded} kg loaded."

    @reward
    def full(self, capacity):
        return self.loaded == capacity

    def solve(self, row):
        first, second = row["shelf"][:2]
        return [call_message("load", kilos=first), call_message("load", kilos=second), "Done."]
