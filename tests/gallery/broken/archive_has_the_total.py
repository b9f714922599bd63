"""The mass of a load has to be worked out from its parts, and the log shows it to those who ask for old entries."""

import re
from typing import ClassVar

from grpo_env_sdk import ToolEnv, call_message, reward, tool


class Loads(ToolEnv):
    max_turns = 5
    LORRIES: ClassVar = {"Otter": (12, 31), "Heron": (9, 44), "Badger": (17, 23), "Marten": (14, 52), "Stoat": (26, 13),
        "Lynx": (8, 67), "Ibex": (21, 29), "Vole": (33, 15)}  # fmt: skip

    def build_dataset(self, tokenizer):
        text = "How many kilograms does the lorry {} carry? Look at its crates, and book what they weigh together."
        return [
            {"prompt": text.format(name), "lorry": name, "crates": crates, "each": each}
            for name, (crates, each) in self.LORRIES.items()
        ]

    def setup(self, row):
        self.mass = row["crates"] * row["each"]
        self.booked = None

    @tool
    def crates(self) -> str:
        """The crates on the lorry."""
        return f"{self.row['crates']} crates of {self.row['each']} kg each"

    @tool
    def log(self, archive: bool = False) -> list[str]:
        """The entries of the lorry's log.

        Args:
            archive: Whether to show entries of other depots too.
        """
        return ["left the depot", *([f"weighbridge: load {self.mass} kg"] if archive else [])]

    @tool
    def book(self, kilograms: int) -> str:
        """Book a load.

        Args:
            kilograms: What it weighs.
        """
        self.booked = kilograms
        return "Booked."

    @reward
    def right(self):
        return self.booked == self.mass

    def solve(self, row):
        seen = yield call_message("crates")
        crates, each = map(int, re.findall(r"\d+", seen[-1]["content"]))
        yield call_message("book", kilograms=crates * each)
        yield "Booked."
