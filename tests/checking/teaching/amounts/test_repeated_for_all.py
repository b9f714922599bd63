"""One of the acts of gold in the place of all."""

import pytest

from grpo_env_sdk import ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.checking.teaching.amounts.repeating import repeating_one_act_is_not_gold as repeating
from tests.checking.trying import found

NAMES = ("Ada", "Ben", "Cleo", "Dan", "Eva", "Finn", "Gus", "Hal")


class Invitations(ToolEnv):
    """Three guests are invited, just three invitations are sent, and then their number is said."""

    max_turns = 6

    def build_dataset(self, tokenizer):
        rows = [[NAMES[n % 8], NAMES[(n + 3) % 8], NAMES[(n + 5) % 8]] for n in range(16)]
        said = "Party {}: invite {}, each once, and then say how many you invited, as 'Invited: 3'."
        return [{"prompt": said.format(n, ", ".join(guests)), "guests": guests} for n, guests in enumerate(rows)]

    def setup(self, row):
        self.invited = []

    @tool
    def invite(self, guest: str) -> str:
        """Invite a guest.

        Args:
            guest: The name.
        """
        self.invited.append(guest)
        return "Invited."

    @reward
    def all_invited(self, completion, guests):
        said = answer_text(completion) == f"Invited: {len(guests)}"
        return said and len(self.invited) == len(guests) and self.right(guests) == len(guests)

    def right(self, guests):
        return sum(guest in guests for guest in self.invited)

    def solve(self, row):
        for guest in row["guests"]:
            yield call_message("invite", guest=guest)
        yield f"Invited: {len(row['guests'])}"


class Each(Invitations):
    """Sound: each guest counts once."""

    def right(self, guests):
        return len({guest for guest in self.invited if guest in guests})


class AnyGuests(Invitations):
    """Sound for this check: any number of invitations is right, one as well, and another check speaks of that."""

    @reward
    def all_invited(self, completion, guests):
        return answer_text(completion) == f"Invited: {len(guests)}" and bool(self.invited)


class Reading(Invitations):
    """Sound: what is read need not differ, as the answer is what counts."""

    @tool
    def read_card(self, number: int) -> str:
        """Read a card."""
        return f"Card {number}."

    def solve(self, row):
        for number in range(3):
            yield call_message("read_card", number=number)
        yield from super().solve(row)

    def right(self, guests):
        return len({guest for guest in self.invited if guest in guests})


def test_one_call_as_often_as_gold_calls_its_tool_is_found():
    (finding,) = found(repeating, Invitations, "default")
    assert "One act of gold, repeated, scores as much as gold on 16 of 16 rows" in finding.message
    assert [turn["tool_calls"][0]["function"]["arguments"] for turn in finding.input[:-1]] == [{"guest": "Ada"}] * 3


@pytest.mark.parametrize("cls", [Each, AnyGuests, Reading])
def test_calls_that_count_once_or_alone_are_no_finding(cls):
    assert found(repeating, cls, "default") == []
