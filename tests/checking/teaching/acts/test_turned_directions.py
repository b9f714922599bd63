"""Calls that may go the other way."""

import pytest

from grpo_env_sdk import ToolEnv, call_message, reward, tool
from grpo_env_sdk.checking.teaching.acts.turned_directions import the_direction_of_a_call_counts as direction_counts
from tests.checking.trying import found


class Sluice(ToolEnv):
    """The level is to be changed; its sign is not compared."""

    max_turns = 3
    ask = "The canal is {} cm too {}. Correct it with one call."

    def build_dataset(self, tokenizer):
        rows = [(-1) ** n * (n + 3) for n in range(16)]
        return [{"prompt": self.ask.format(abs(n), "high" if n > 0 else "low"), "off": n} for n in rows]

    def setup(self, row):
        self.changed = None

    @tool
    def change_level(self, cm: int, kind: str = "") -> str:
        """Change the level.

        Args:
            cm: By how much: up if positive, down if negative.
            kind: What it is booked as.
        """
        self.changed = cm
        return "Changed."

    def fits(self, off):
        return self.changed is not None and abs(self.changed) == abs(off)

    @reward
    def right(self, off):
        return self.fits(off)

    def given(self, off):
        return {"cm": -off}

    def solve(self, row):
        return [call_message("change_level", **self.given(row["off"])), "Done."]


class Signed(Sluice):
    def fits(self, off):
        return self.changed == -off


class EitherWay(Sluice):
    ask = "The canal is {} cm too {}. Change it by as much, either way, with one call."


class AlsoNamed(Sluice):
    """The sign says what another argument says as well."""

    def given(self, off):
        return {"cm": -off, "kind": "outflow" if off > 0 else "inflow"}


class NothingCounts(Sluice):
    """No call is needed at all."""

    def fits(self, off):
        return True


class Crane(Sluice):
    """The side is not compared."""

    ask = "The load hangs {} cm too {} on its left or right. Move it with one call."

    @tool
    def move_load(self, cm: int, side: str) -> str:
        """Move the load to the left or to the right.

        Args:
            cm: How far.
            side: left or right.
        """
        self.changed = cm
        self.side = side
        return "Moved."

    def solve(self, row):
        side = "left" if row["off"] > 0 else "right"
        return [call_message("move_load", cm=abs(row["off"]), side=side), "Done."]


class CraneOfSides(Crane):
    def fits(self, off):
        return super().fits(off) and (self.side == "left") is (off > 0)


@pytest.mark.parametrize("cls", [Sluice, Crane])
def test_calls_that_may_go_the_other_way_are_named(cls):
    (finding,) = found(direction_counts, cls)
    assert finding.severity == "error"
    assert "turned about" in finding.message


@pytest.mark.parametrize("cls", [Signed, EitherWay, AlsoNamed, NothingCounts, CraneOfSides])
def test_calls_whose_direction_counts_or_is_free_are_let_be(cls):
    assert found(direction_counts, cls) == []
