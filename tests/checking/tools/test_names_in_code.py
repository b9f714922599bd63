"""T428: code that looks for calls which no tool can have, and code that only looks so."""

import json
from collections import Counter
from typing import Literal

import pytest

from grpo_env_sdk import ToolEnv, call_message, reward, tool
from grpo_env_sdk.checking.tools.names_in_code import code_looks_for_tools_that_exist
from tests.checking.trying import found


class Desk(ToolEnv):
    """Ring a bell, or ask a porter."""

    max_turns = 3

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Ring the bell {n} times. The porter costs half.", "times": n} for n in range(1, 7)]

    def setup(self, row):
        self.rung = 0

    @tool
    def ring_bell(self, times: int) -> str:
        """Ring the bell."""
        self.rung += times
        return "It rang."

    @tool
    def ask_porter(self) -> str:
        """Ask the porter to ring."""
        self.rung = self.row["times"]
        return "He rang."

    @reward
    def rang(self, times):
        return self.rung == times

    def solve(self, row):
        yield call_message("ring_bell", times=row["times"])
        yield "Done."


class ByLoop(Desk):
    @reward(weight=-0.5)
    def asked(self, tool_calls):
        for call in tool_calls:
            if call.get("name") == "call_porter":
                return 1.0
        return 0.0


def names_of(messages):
    calls = [call for message in messages for call in message.get("tool_calls") or []]
    return [call["function"]["name"] for call in calls]


class ByHelper(Desk):
    @reward(weight=-0.5)
    def asked(self, messages):
        return "call_porter" in names_of(messages)


class ByCounter(Desk):
    @reward(weight=-0.5)
    def asked(self, episode):
        count = Counter(call["name"] for call in episode.tool_calls)
        return count["porter_asked"] > 0


class ByTable(Desk):
    @reward(weight=-0.5)
    def asked(self, tool_calls):
        return min(1.0, sum({"askporter": 1.0}.get(call["name"], 0.0) for call in tool_calls))


class ByMatch(Desk):
    @reward(weight=-0.5)
    def asked(self, tool_calls):
        for name in [call["name"] for call in tool_calls]:
            match name:
                case "page_porter" | "call_porter":
                    return 1.0
        return 0.0


class ByFunctionName(Desk):
    @tool(name="porter")
    def ask_porter(self) -> str:
        """Ask the porter to ring."""
        self.rung = self.row["times"]
        return "He rang."

    @reward(weight=-0.5)
    def asked(self, tool_calls):
        return any(call["name"] == "ask_porter" for call in tool_calls)


@pytest.mark.parametrize("env", [ByLoop, ByHelper, ByCounter, ByTable, ByMatch, ByFunctionName])
def test_a_penalty_for_a_tool_that_is_not_there_is_named(env):
    finding, *_ = found(code_looks_for_tools_that_exist, env)
    assert (finding.severity, finding.expected.endswith("porter")) == ("error", True)
    assert all(word in finding.message for word in ("no tool has this name", "'asked'"))


class ForTheWholePart(Desk):
    @reward
    def kept_quiet(self, tool_calls):
        names = {call["name"] for call in tool_calls}
        return self.rung > 0 and "hum_softly" not in names


def test_where_the_reward_changes_by_other_things_it_is_a_warning():
    (finding,) = found(code_looks_for_tools_that_exist, ForTheWholePart)
    assert finding.severity == "warning"


class Loudness(Desk):
    @tool
    def ring_bell(self, times: int, how: Literal["softly", "loudly"] = "softly") -> str:
        """Ring the bell."""
        self.rung += times
        return "It rang."


class UnlistedValue(Loudness):
    @reward(weight=-0.5)
    def woke_them(self, tool_calls):
        return any(call["arguments"].get("how") == "loud" for call in tool_calls)


def test_a_value_that_the_schema_does_not_list_is_named():
    (finding,) = found(code_looks_for_tools_that_exist, UnlistedValue)
    assert (finding.severity, "'loud'" in finding.message, "'loudly'" in finding.message) == ("warning", True, True)


class ListedValue(Loudness):
    @reward(weight=-0.5)
    def woke_them(self, tool_calls):
        return any(call["arguments"].get("how") in ("loud", "loudly") for call in tool_calls)


class RightName(Desk):
    @reward(weight=-0.5)
    def asked(self, tool_calls):
        return any(call["name"] == "ask_porter" for call in tool_calls)


class OtherSpellingsToo(Desk):
    @reward(weight=-0.5)
    def asked(self, tool_calls):
        return any(call["name"] in ("ask_porter", "porter", "call_porter") for call in tool_calls)


class EitherSpelling(Desk):
    @reward(weight=-0.5)
    def asked(self, tool_calls):
        return any(call["name"] == "ask_porter" or call["name"] == "call_porter" for call in tool_calls)


class WithMoreTools(Desk):
    def __init__(self, maid: bool = False) -> None:
        self.more = ["call_maid"] if maid else []

    @reward(weight=-0.5)
    def asked(self, tool_calls):
        return any(call["name"] in ("call_maid",) for call in tool_calls)


class NamesOfOtherThings(Desk):
    @reward(weight=-0.5)
    def asked(self, tool_calls, messages):
        said = json.loads(messages[-1].get("extra") or '{"name": ""}')
        guests = [{"name": "Ada"}]
        return said["name"] == "call_porter" or any(guest["name"] == "call_cook" for guest in guests)


class NoName(Desk):
    @reward(weight=-0.5)
    def asked(self, tool_calls):
        return any(call["name"] == "" or call["name"].lower() == "porter" for call in tool_calls)


class SaidInThePrompt(Desk):
    def build_dataset(self, tokenizer):
        return [{**row, "prompt": row["prompt"] + " Never use run_shell."} for row in super().build_dataset(tokenizer)]

    @reward(weight=-0.5)
    def broke_in(self, tool_calls):
        return any(call["name"] == "run_shell" for call in tool_calls)


class OfTheRow:
    """A class whose rows have tools of their own."""

    def build_dataset(self, tokenizer):
        return [
            {"prompt": [{"role": "user", "content": f"Ring {n}."}], "bell": "_".join(["ring", str(n)])} for n in (1, 2)
        ]

    def get_tools(self, row):
        parameters = {"type": "object", "properties": {}}
        function = {"name": row["bell"], "description": "Ring it.", "parameters": parameters}
        return [{"type": "function", "function": function}]

    def score_episode(self, model, tokenizer, completion):
        calls = [call["function"] for turn in completion for call in turn.get("tool_calls") or []]
        return float(any(call["name"] == "ring_2" for call in calls))


class OfNoRow(OfTheRow):
    def score_episode(self, model, tokenizer, completion):
        calls = [call["function"] for turn in completion for call in turn.get("tool_calls") or []]
        return float(any(call["name"] == "ring_3" for call in calls))


def test_the_tools_of_every_row_are_known():
    (finding,) = found(code_looks_for_tools_that_exist, OfNoRow)
    assert "'ring_3'" in finding.message


@pytest.mark.parametrize("env", [
    ListedValue, RightName, OtherSpellingsToo, EitherSpelling, WithMoreTools, NamesOfOtherThings, NoName,
    SaidInThePrompt, OfTheRow,
])  # fmt: skip
def test_names_that_calls_may_have_are_let_be(env):
    assert found(code_looks_for_tools_that_exist, env) == []
