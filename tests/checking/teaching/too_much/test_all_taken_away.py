"""A tool that takes away everything that is listed, in place of the acts of gold, which name it otherwise."""

import json

import pytest

from grpo_env_sdk import ToolEnv, call_message, reward, tool
from grpo_env_sdk.checking.teaching.too_much.taken_away import taking_away_is_not_doing as taking_away
from tests.checking.trying import found

CLOTHES = ("shirt", "coat", "scarf", "apron", "skirt", "cloak", "tunic", "vest", "robe", "shawl", "gown", "jacket")


class Laundry(ToolEnv):
    """The score looks at what still hangs on the rack."""

    max_turns = 6
    said = "Day {day}: iron all that hangs on the rack, each piece as hot as its label says."

    def build_dataset(self, tokenizer):
        return [
            {
                "prompt": self.said.format(day=day),
                "rack": [[f"P{day}{n}", CLOTHES[(day + n) % 12]] for n in range(3)],
            }
            for day in range(12)
        ]

    def setup(self, row):
        self.rack, self.ironed = dict(row["rack"]), []

    @tool
    def list_rack(self) -> str:
        """List the pieces on the rack."""
        return json.dumps({piece: kind for piece, kind in self.rack.items() if piece not in self.ironed})

    @tool
    def iron(self, piece: str, heat: int) -> str:
        """Iron a piece.

        Args:
            piece: Its number.
            heat: The heat, which is the number of letters of its name.
        """
        if piece not in self.rack or heat != len(self.rack[piece]):
            return "That cannot be done."
        self.ironed.append(piece)
        return f"{piece} is smooth."

    @tool
    def scrap(self, garment: str) -> str:
        """Scrap a piece that is beyond repair.

        Args:
            garment: Its number.
        """
        return "It is gone." if self.rack.pop(garment, None) else "There is none."

    @reward
    def all_smooth(self):
        return all(piece in self.ironed for piece in self.rack)

    def solve(self, row):
        for piece, kind in row["rack"]:
            yield call_message("iron", piece=piece, heat=len(kind))
        yield "All are ironed."


class TakenOff(Laundry):
    """Only the description says what the tool does."""

    scrap = None

    @tool
    def rag(self, garment: str, reason: str) -> str:
        """Take a piece off the rack as it is beyond repair.

        Args:
            garment: Its number.
            reason: Why.
        """
        return "It is gone." if self.rack.pop(garment, None) else "There is none."


class EachCounts(Laundry):
    """Sound: what was there in the morning counts."""

    @reward
    def all_smooth(self, rack):
        return all(piece in self.ironed for piece, _ in rack)


class MayBeScrapped(Laundry):
    """Sound: who does not want to iron may scrap."""

    said = "Day {day}: iron all that hangs on the rack, each piece as hot as its label says, or scrap it."


class WornOnly(Laundry):
    """Sound: nothing here is beyond repair, and the tool says so."""

    @tool
    def scrap(self, garment: str) -> str:
        """Scrap a piece that is beyond repair.

        Args:
            garment: Its number.
        """
        return "It is as good as new."


class TwoWays(Laundry):
    """Sound: gold scraps what is old itself."""

    def solve(self, row):
        first, *others = row["rack"]
        yield call_message("scrap", garment=first[0])
        for piece, kind in others:
            yield call_message("iron", piece=piece, heat=len(kind))
        yield "All is done."


@pytest.mark.parametrize(("env", "name"), [(Laundry, "scrap"), (TakenOff, "rag")])
def test_taking_away_all_that_is_listed_is_found(env, name):
    (finding,) = found(taking_away, env)
    assert finding.message.startswith(f"{name} of everything that is listed in place of all calls of iron scores")
    assert finding.severity in (None, "error")


@pytest.mark.parametrize("env", [EachCounts, MayBeScrapped, WornOnly, TwoWays])
def test_nothing_is_said_where_work_counts_or_scrapping_is_asked_for_or_refused(env):
    assert not found(taking_away, env)
