"""What does not fit, where a rule says that it stays."""

import pytest

from grpo_env_sdk import tool
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


def test_a_rest_that_is_lost_is_found_in_the_replies_to_gold():
    (finding,) = found(what_does_not_fit_stays, Granary)
    assert "what does not fit stays in the first" in finding.message
    assert "the replies show 6 less in all" in finding.message


@pytest.mark.parametrize("env", [Stays, SaysThatItIsLost, AlwaysATenth])
def test_nothing_is_said_where_the_rest_stays_or_nothing_promises_it(env):
    assert not found(what_does_not_fit_stays, env)
