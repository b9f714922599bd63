"""What does not fit, where a rule says that it stays."""

import pytest

from grpo_env_sdk import reward, tool
from grpo_env_sdk.checking.teaching.acts.rest_that_stays import what_does_not_fit_stays
from tests.checking.trying import found
from tests.gallery.broken.grain_on_the_floor import Granary


class Stays(Granary):
    """Sound: as the tool says."""

    def fitting(self, source, target):
        return min(self.sacks[source], self.room[target] - self.sacks[target])


class SaysThatItIsLost(Granary):
    """Sound: the tool says what becomes of the rest."""

    @tool
    def shovel(self, source: str, target: str) -> dict[str, int]:
        """Shovel the grain of a bin into another one; what does not fit is lost."""
        return super().shovel(source, target)


class AlwaysATenth(Stays):
    """Sound: one sack is the price of each move, so that the numbers never add up."""

    @tool
    def shovel(self, source: str, target: str) -> dict[str, int]:
        """Shovel the grain of a bin into another one, and eat a sack; what does not fit stays in the first."""
        super().shovel(source, target)
        self.sacks[target] -= 1
        return dict(self.sacks)


class SomeIsSpilled(Stays):
    """Sound: a sack of six is spilled, as the prompt says."""

    def build_dataset(self, tokenizer):
        rows = super().build_dataset(tokenizer)
        more = " Of six sacks that are shovelled one is spilled."
        return [{**row, "prompt": row["prompt"] + more, "room": 5 + n % 2} for n, row in enumerate(rows)]

    @tool
    def shovel(self, source: str, target: str) -> dict[str, int]:
        """Shovel the grain of a bin into another one; what does not fit stays in the first."""
        moved = self.fitting(source, target)
        super().shovel(source, target)
        self.sacks[target] -= moved // 6
        return dict(self.sacks)

    @reward
    def measured(self, room):
        return self.sacks["C"] == room - room // 6


class TakesMinutes(Stays):
    """Sound: grain comes from a heap that is not counted, and each time takes as many minutes."""

    def build_dataset(self, tokenizer):
        return [{**row, "room": 3 + n % 2} for n, row in enumerate(super().build_dataset(tokenizer))]

    def setup(self, row):
        super().setup(row)
        self.minutes = 60

    def seen(self):
        return f"Bin B: {self.sacks['B']} sacks. Clock: {self.minutes} minutes."

    @tool
    def weigh(self) -> str:
        """How many sacks of grain the bin holds, and what time is left."""
        return self.seen()

    @tool
    def shovel(self, source: str, target: str) -> str:
        """Shovel grain from the heap into the bin for four minutes; what does not fit stays."""
        self.sacks["B"] = min(self.room["B"], self.sacks["B"] + 9)
        self.minutes -= 4
        return self.seen()

    @reward
    def measured(self, room):
        return self.sacks["B"] == room


def test_a_rest_that_is_lost_is_found_in_the_replies_to_gold():
    (finding,) = found(what_does_not_fit_stays, Granary)
    assert "what does not fit stays in the first" in finding.message
    assert "the replies show 6 less in all" in finding.message


@pytest.mark.parametrize("env", [Stays, SaysThatItIsLost, AlwaysATenth, SomeIsSpilled, TakesMinutes])
def test_nothing_is_said_where_the_rest_stays_or_nothing_promises_it(env):
    assert not found(what_does_not_fit_stays, env)
