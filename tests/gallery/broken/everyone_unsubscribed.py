"""Only the one who asked is looked for on the list, so unsubscribing all of them is right too."""

import random

from grpo_env_sdk import ToolEnv, call_message, reward, tool

FIRST, LAST = ("Ada", "Ben", "Cem", "Dora", "Ede", "Fay"), ("Berg", "Cole", "Diaz", "Eich", "Fox", "Gray", "Hill")


class MailingList(ToolEnv):
    max_turns = 9

    def build_dataset(self, tokenizer):
        rows = []
        for n in range(20):
            rng = random.Random(n)
            names = [f"{first} {rng.choice(LAST)}" for first in FIRST]
            towns = rng.sample(("Bern", "Linz", "Graz", "Ulm", "Trier", "Jena", "Kiel"), 6)
            asked = rng.randrange(6)
            rows.append({"prompt": f"Unsubscribe the reader in {towns[asked]}, and nobody else.", "names": names,
                         "towns": towns, "reader": names[asked]})  # fmt: skip
        return rows

    def setup(self, row):
        self.readers = dict(zip(row["names"], row["towns"], strict=True))

    @tool
    def readers_of_list(self) -> list[str]:
        """The names of all readers."""
        return list(self.readers)

    @tool
    def town_of(self, reader: str) -> str:
        """Where a reader lives.

        Args:
            reader: The name.
        """
        return self.readers.get(reader, "unknown")

    @tool
    def unsubscribe(self, reader: str) -> str:
        """Take a reader off the list.

        Args:
            reader: The name.
        """
        return "Off the list." if self.readers.pop(reader, None) else "Nobody of that name."

    @reward
    def right(self, reader):
        return reader not in self.readers

    def solve(self, row):
        yield call_message("readers_of_list")
        for name in row["names"]:
            yield call_message("town_of", reader=name)
            if name == row["reader"]:
                break
        yield call_message("unsubscribe", reader=row["reader"])
        yield "Done."
