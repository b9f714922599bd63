"""Calls that are refused for nothing are no fixed answer: which of them work depends on the row."""

import re

from grpo_env_sdk import ToolEnv, call_message, reward, tool
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.lazy_answers.guessing import no_fixed_answer_is_gold
from tests.checking.trying import found


class CableDrum(ToolEnv):
    """The drum refuses what it has not; pieces of any lengths together are right if they use it up."""

    max_turns = 8
    metres = (3, 2, 1, 3, 2, 1, 3, 2)

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Use up the cable on drum {n}.", "metres": length} for n, length in enumerate(self.metres)]

    def setup(self, row):
        self.left = row["metres"]

    @tool
    def look(self) -> str:
        """How much is left on the drum."""
        return f"{self.left} metres"

    @tool
    def cut(self, metres: int) -> str:
        """Cut a piece off.

        Args:
            metres: Its length.
        """
        if not 1 <= metres <= self.left:
            raise ValueError("The drum does not have that.")
        self.left -= metres
        return "Cut."

    @reward
    def share(self, metres):
        return 1 - self.left / metres

    def solve(self, row):
        told = yield call_message("look")
        yield call_message("cut", metres=int(re.search(r"\d+", told[-1]["content"])[0]))
        yield "Done."


class CountsRefusedCuts(CableDrum):
    """Pays for cuts that its drum refuses, on every row alike."""

    @tool
    def cut(self, metres: int) -> str:
        """Cut a piece off.

        Args:
            metres: Its length.
        """
        self.left = 0
        raise ValueError("The knife is blunt.")


def findings(cls):
    return [item for item in found(no_fixed_answer_is_gold, cls) if isinstance(item, Finding)]


def test_calls_of_which_the_row_refuses_some_are_no_lazy_answer():
    assert findings(CableDrum) == []


def test_calls_that_are_refused_on_every_row_and_pay_are_found():
    assert len(findings(CountsRefusedCuts)) == 1
