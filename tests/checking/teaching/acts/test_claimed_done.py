"""Work that is left out, where the last call only says that it is done."""

import pytest

from grpo_env_sdk import ToolEnv, call_message, reward, tool
from grpo_env_sdk.checking.teaching.acts.claimed_done import saying_that_it_is_done_is_not_doing_it as claims
from tests.checking.trying import found
from tests.gallery.broken.loom_said_to_run import FAULTS, Looms


class AsyncLooms(Looms):
    """Unsound, and one tool is async."""

    @tool
    async def change_loom(self, part: str) -> str:
        """Exchange a part of a loom."""
        return self.repair(part)

    def solve(self, row):
        yield call_message("panel", loom=row["loom"])
        yield call_message("change_loom", part=FAULTS[row["fault"]])
        yield call_message("hand_over", loom=row["loom"], runs=True)
        yield "It runs again."


class WithWeaver(Looms):
    """Unsound, and a weaver answers."""

    def user(self, messages):
        return None if self.report else "It stands still."


class Repaired(Looms):
    """Sound: the loom itself has to run."""

    @reward
    def released(self, loom):
        return self.report == f"{loom} runs" and not self.fault


class OnlyAsked(Looms):
    """Sound: what gold does on the way changes nothing, and the release is all that is wanted."""

    def repair(self, name):
        return "The manual says how to do it."


class FaultInReport(Looms):
    """Sound: which fault it was is found out, and is what is reported."""

    @tool
    def report_fault(self, fault: str) -> str:
        """Report the fault of the loom."""
        self.report = fault
        return "Thank you."

    @reward
    def released(self, fault):
        return self.report == fault

    def solve(self, row):
        yield call_message("panel", loom=row["loom"])
        yield call_message(FAULTS[row["fault"]])
        yield call_message("report_fault", fault=row["fault"])
        yield "It is reported."


class OneOfThree(Looms):
    """Sound: which of the looms of the prompt stands still is found out by trying to start them."""

    def build_dataset(self, tokenizer):
        rows = super().build_dataset(tokenizer)
        ask = "One of the looms {}, {} and {} does not start. Hand it over as running when you have mended it."
        near = [[f"L{int(row['loom'][1:]) + place}" for place in (300, 0, 600)] for row in rows]
        return [{**row, "prompt": ask.format(*some)} for row, some in zip(rows, near, strict=True)]


class Tickets(ToolEnv):
    """Sound: nobody asked for a name on the ticket."""

    max_turns = 6
    asked = "Close ticket T{}; it was answered by phone."

    def build_dataset(self, tokenizer):
        return [{"prompt": self.asked.format(n + 100), "ticket": f"T{n + 100}"} for n in range(24)]

    def setup(self, row):
        self.owner, self.closed = {}, set()

    @tool
    def claim_ticket(self, ticket: str) -> str:
        """Put your name on a ticket."""
        self.owner[ticket] = "me"
        return f"{ticket} is yours."

    @tool
    def close_ticket(self, ticket: str) -> str:
        """Close a ticket."""
        self.closed.add(ticket)
        return f"{ticket} is closed."

    @reward
    def is_closed(self, ticket):
        return self.closed == {ticket}

    def solve(self, row):
        yield call_message("claim_ticket", ticket=row["ticket"])
        yield call_message("close_ticket", ticket=row["ticket"])
        yield "It is closed."


class ClaimedAsAsked(Tickets):
    """Unsound: the prompt asks for both."""

    asked = "Claim ticket T{}, and then close it."


def test_what_no_prompt_asks_for_may_be_left_out():
    assert not found(claims, Tickets)


def test_what_a_prompt_asks_for_may_not_be_left_out():
    (finding,) = found(claims, ClaimedAsAsked)
    assert "close_ticket, which says that it is done" in finding.message


@pytest.mark.parametrize("env", [Looms, AsyncLooms, WithWeaver])
def test_a_call_that_claims_what_was_not_done_is_found(env):
    (finding,) = found(claims, env)
    assert "hand_over, which says that it is done" in finding.message
    assert finding.input[-2]["tool_calls"][0]["function"]["name"] == "hand_over"


@pytest.mark.parametrize("env", [Repaired, OnlyAsked, FaultInReport, OneOfThree])
def test_nothing_is_said_where_the_work_counts_or_finds_out_what_is_reported(env):
    assert not found(claims, env)
