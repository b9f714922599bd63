"""G690: refused calls cost nothing, where the prompt says what they cost."""

import pytest

from grpo_env_sdk import reward, tool
from grpo_env_sdk.checking.teaching.acts.refused_for_nothing import refused_calls_cost_what_is_said
from tests.checking.trying import found
from tests.gallery.broken.refusals_not_seen import Valves


class Counted(Valves):
    """Sound: the replies are counted."""

    @reward(weight=-1)
    def refusals(self, tool_calls):
        return min(1.0, sum("refused" in call["content"] for call in tool_calls) / 4)


class Raised(Valves):
    """Sound: the tool raises."""

    @tool
    def set_valve(self, pressure: int) -> str:
        """Set the valve."""
        if pressure != self.row["pressure"]:
            raise ValueError("refused")
        self.is_set = True
        return "set"


class Promising(Valves):
    """`said` is in the place of what a refused setting costs."""

    said = ""

    def build_dataset(self, tokenizer):
        rows = super().build_dataset(tokenizer)
        return [{**row, "prompt": row["prompt"].replace("costs a quarter", self.said)} for row in rows]


class SomeAreFree(Promising):
    said = "after the tenth costs a quarter"


class NothingSaid(Promising):
    said = "can be set again"


def test_refused_calls_that_cost_nothing_are_found():
    (finding,) = found(refused_calls_cost_what_is_said, Valves)
    assert "3 calls of set_valve that are refused cost nothing on 8 of 8 rows" in finding.message
    assert finding.severity == "error"


@pytest.mark.parametrize("cls", [Counted, Raised, SomeAreFree, NothingSaid])
def test_calls_that_cost_something_or_may_be_free_are_no_finding(cls):
    assert found(refused_calls_cost_what_is_said, cls) == []
