"""Calculators that know the values of the row by their names."""

import re
from typing import Any

import pytest

from grpo_env_sdk import ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.checking.teaching.telling.told_to_column_names import columns_cannot_be_asked_for as names
from tests.checking.trying import found

UNKNOWN = "cannot be evaluated"


class Fence(ToolEnv):
    """How long a fence has to be; the sum is worked out with all columns of the row."""

    max_turns = 4

    def build_dataset(self, tokenizer: Any) -> Any:
        ask = "A garden is {} m long and {} m wide; the gate leaves {} m free. How long is the fence? One decimal."
        sides = [(20 + n, 7 + 3 * n % 11, 1.5) for n in range(8)]
        return [
            {"prompt": ask.format(a, b, gate), "long": a, "wide": b, "gate": gate, "fence": 2 * (a + b) - gate}
            for a, b, gate in sides
        ]

    def known(self) -> dict[str, Any]:
        return self.row

    @tool
    def work_out(self, sum: str) -> str:
        """Work a sum out, in which long, wide and gate stand for those of the garden."""
        if re.search(r"__|\*\*", sum):
            return UNKNOWN
        try:
            return str(eval(sum, {"__builtins__": {}}, self.known()))
        except Exception:
            return UNKNOWN

    @reward
    def right(self, completion: Any, fence: float) -> bool:
        return answer_text(completion).strip() == f"{fence:.2f}"

    def solve(self, row: Any) -> Any:
        answered = yield call_message("work_out", sum="2 * (long + wide) - gate")
        yield f"{float(answered[-1]['content']):.2f}"


class FenceByNumbers(Fence):
    """Only the values that are said can be used."""

    def known(self) -> dict[str, Any]:
        return {name: self.row[name] for name in ("long", "wide", "gate")}


class FenceRecords(Fence):
    """A record is looked up by the name of its field, and no sum is worked out."""

    def build_dataset(self, tokenizer: Any) -> Any:
        rows = super().build_dataset(tokenizer)
        return [{**row, "prompt": f"Look up how long the fence of garden {n} is."} for n, row in enumerate(rows)]

    @tool
    def work_out(self, sum: str) -> str:
        """Look a field of the record of the garden up."""
        return str(self.row.get(sum, UNKNOWN))

    def solve(self, row: Any) -> Any:
        yield call_message("work_out", sum="long")
        yield f"{row['fence']:.2f}"


class FenceSaid(Fence):
    """The tool says that the name of the sum may be asked for."""

    @tool
    def work_out(self, sum: str) -> str:
        """Work a sum out; long, wide, gate and fence stand for those of the garden."""
        return super().work_out(sum)


def test_a_calculator_that_knows_the_answer_by_its_name_is_found() -> None:
    (finding,) = found(names, Fence)
    assert finding.severity == "error"
    assert "'fence'" in finding.message


@pytest.mark.parametrize("cls", [FenceByNumbers, FenceRecords, FenceSaid])
def test_calculators_without_it_and_records_are_let_be(cls: type) -> None:
    assert found(names, cls) == []
