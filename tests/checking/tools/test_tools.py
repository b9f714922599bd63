"""The tool checks find real mistakes, and report nothing that fails or repeats on purpose."""

import pytest

from grpo_env_sdk import ToolEnv, call_message, reward, tool
from grpo_env_sdk.checking.findings.finding import Finding, Table
from grpo_env_sdk.checking.runner.worker import found_by, unmet
from grpo_env_sdk.checking.tools.answering import (
    every_tool_can_run,
    results_are_readable,
    the_solution_keeps_to_the_schemas,
    tools_are_quick,
    valid_calls_are_answered,
)
from grpo_env_sdk.checking.tools.describing import (
    schemas_stay_the_same,
    the_list_of_tools_is_short,
    tools_are_described,
)
from grpo_env_sdk.checking.tools.mattering import every_parameter_matters
from grpo_env_sdk.checking.tools.repr_text import is_repr
from grpo_env_sdk.checking.tools.shortcuts import no_tool_solves_the_task_alone
from tests.checking.environments.tools_envs import (
    AnyCount,
    ByChance,
    Careless,
    DoesItAll,
    FilledRows,
    KnowsTheRow,
    LoginFirst,
    Nobody,
    NoneThere,
    Objects,
    OneOfItsEnum,
    OtherName,
    Printed,
    Sets,
    Shop,
    Sleeps,
    SmallEnum,
    Thinks,
    Unfinished,
    Unread,
    Untold,
    Wordy,
)
from tests.checking.trying import subject_of
from tests.environments import ALL, Guess, PlainWithTools

CHECKS = [
    tools_are_described, schemas_stay_the_same, the_list_of_tools_is_short, every_tool_can_run,
    valid_calls_are_answered, results_are_readable, tools_are_quick, the_solution_keeps_to_the_schemas,
    every_parameter_matters, no_tool_solves_the_task_alone,
]  # fmt: skip


@pytest.mark.parametrize(("check", "cls", "severity", "told"), [
    (tools_are_described, PlainWithTools, "warning", "The tool add has no description"),
    (tools_are_described, Untold, "warning", "The parameter add.x has no type, so any value is accepted"),
    (schemas_stay_the_same, KnowsTheRow, "error", "differ after reset for row 0: $[0].function.parameters."),
    (schemas_stay_the_same, ByChance, "error", "differ when get_tools is called again: $[0].function.description."),
    (the_list_of_tools_is_short, Wordy, "info", "The list of tools takes about 3,023 tokens before every prompt, add"),
    (every_tool_can_run, Nobody, "error", "The tool subtract is listed in get_tools but cannot run"),
    (valid_calls_are_answered, NoneThere, "error", "stock raised AttributeError: 'NoneType' object has no"),
    (valid_calls_are_answered, Careless, "warning", "stock raised KeyError: "),
    (valid_calls_are_answered, OneOfItsEnum, "error", "stock raised KeyError: 'dates' (tools_envs.py:"),
    (valid_calls_are_answered, Unfinished, "error", "cancel raised NotImplementedError (tools_envs.py:"),
    (valid_calls_are_answered, OtherName, "error", "add() got an unexpected keyword argument 'z' on a call that"),
    (results_are_readable, Objects, "error", "order shows the Python object <object object at 0x"),
    (results_are_readable, Printed, "warning", "stock returns a Python repr instead of JSON: {'fruit': '"),
    (results_are_readable, Sets, "error", "fruits returns a value that is not JSON: TypeError: Object of type set"),
    (tools_are_quick, Sleeps, "warning", "calls take over 1 s."),
    (the_solution_keeps_to_the_schemas, SmallEnum, "error", "A call of solve does not fit the schema of add"),
    (every_parameter_matters, Unread, "warning", "order ignores 'urgent': "),
    (every_parameter_matters, AnyCount, "warning", "order only repeats 'count', which does not count"),
    (no_tool_solves_the_task_alone, DoesItAll, "error", "One call of refill with meaningless arguments, then an"),
])  # fmt: skip
def test_a_mistake_is_found(check, cls, severity, told):
    subject = subject_of(cls, "quick" if cls is Sleeps else "default")
    findings = [item for item in found_by(check, subject) if isinstance(item, Finding)]
    finding = next(item for item in findings if item.severity == severity)
    assert told in finding.message


@pytest.mark.parametrize("cls", [Shop, Thinks, LoginFirst, *ALL])
def test_nothing_is_found_in_what_is_sound(cls):
    subject = subject_of(cls)
    found = [item for check in CHECKS for item in found_by(check, subject) if isinstance(item, Finding)]
    told = [item.message for item in found if item.severity != "info"]
    assert told == (["The tool add has no description: the model sees only the name."]
                    if cls is PlainWithTools else [])  # fmt: skip


def test_thinking_aloud_is_only_worth_knowing():
    (finding,) = [item for item in found_by(every_parameter_matters, subject_of(Thinks)) if isinstance(item, Finding)]
    assert (finding.severity, finding.row is not None) == ("info", True)
    assert "think ignores 'thought'" in finding.message


def test_a_timeout_that_a_tool_raises_itself_is_an_answer():
    class Deaf(Shop):
        @tool
        def stock(self, fruit: str) -> str:
            """How many there are.

            Args:
                fruit: Which fruit.
            """
            raise TimeoutError("the scales do not answer, weigh again")

    (finding,) = found_by(valid_calls_are_answered, subject_of(Deaf))
    assert (finding.severity, "in time" in finding.message) == ("warning", False)


def test_a_none_that_the_table_of_rows_has_added_is_explained():
    first = next(
        item for item in found_by(valid_calls_are_answered, subject_of(FilledRows)) if isinstance(item, Finding)
    )
    assert "'NoneType' object is not subscriptable" in first.message
    assert "of column 'counts' is None: a table gives every object of a column the same keys" in first.hint


def test_the_example_of_a_finding_can_be_called_again():
    subject = subject_of(OneOfItsEnum)
    (finding,) = found_by(valid_calls_are_answered, subject)
    assert finding.input == {"name": "stock", "arguments": {"fruit": "dates"}}
    again = subject.answer(finding.row, [call_message("stock", fruit="dates"), ""])
    assert again.tool_calls[0]["content"] == finding.output


@pytest.mark.parametrize(("text", "printed"), [
    ("{'a': 1, 'b': None}", True), ("['a', 'b']", True), ("[Hotel(id='H1', price=40)]", True), ("Hotel(id='H1')", True),
    ('{"a": 1, "b": null}', False), ("[1, 2]", False), ("{a}", False), ("[see page 3]", False), ("There are 3.", False),
    ("Hotel (old) = closed", False), ("", False), ("[" * 500, False),
])  # fmt: skip
def test_what_python_prints_is_told_from_json_and_prose(text, printed):
    assert is_repr(text) is printed


def test_the_size_of_the_list_is_a_table():
    (table,) = found_by(the_list_of_tools_is_short, subject_of(Shop))
    assert isinstance(table, Table)
    assert [row[0] for row in table.rows] == ["order", "stock"]
    assert "tokens before every prompt" in table.note


class StepsByItself(NoneThere):
    """A tool with a mistake, run by a `step` of the author."""

    def step(self, action):
        return super().step(action)


@pytest.mark.parametrize(
    ("cls", "looked_at"), [(Shop, True), (StepsByItself, True), (PlainWithTools, True), (Guess, False)]
)
def test_the_checks_of_calls_look_at_every_environment_whose_tools_run(cls, looked_at):
    subject = subject_of(cls, "quick")
    of_calls = [check for check in CHECKS if "calls" in check.needs]
    assert len(of_calls) == 5
    assert all((unmet(check, subject) is None) is looked_at for check in of_calls)


def test_a_mistake_in_a_tool_is_found_where_a_step_of_the_author_runs_it():
    findings = [
        item for item in found_by(valid_calls_are_answered, subject_of(StepsByItself)) if isinstance(item, Finding)
    ]
    assert "stock raised AttributeError: 'NoneType' object has no" in findings[0].message


class Charts(ToolEnv):
    """File what a prompt says; one right value is enough, so that neither is needed."""

    enough = staticmethod(any)

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Chart a pulse of {n + 60} and a weight of {n + 37}.", "n": n} for n in range(20)]

    def setup(self, row):
        self.filed = (0, 0)

    @tool
    def chart(self, pulse: int, weight: int) -> str:
        """File a chart.

        Args:
            pulse: Beats a minute.
            weight: In kilograms.
        """
        self.filed = (pulse, weight)
        return "Filed."

    @reward
    def right(self, n):
        return self.enough([self.filed[0] == n + 60, self.filed[1] == n + 37])

    def solve(self, row):
        return [call_message("chart", pulse=row["n"] + 60, weight=row["n"] + 37), "Filed."]


class BothOfThem(Charts):
    enough = staticmethod(all)


def test_numbers_that_prompts_ask_for_are_read_though_the_reply_is_always_the_same():
    findings = list(found_by(every_parameter_matters, subject_of(Charts, "default")))
    assert [finding.severity for finding in findings] == ["error", "error"]
    assert "chart ignores 'pulse', for which the prompts ask (60, 61 and 62)" in findings[0].message
    assert list(found_by(every_parameter_matters, subject_of(BothOfThem, "default"))) == []
