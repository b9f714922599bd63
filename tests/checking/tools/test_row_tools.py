"""`grpo-env test` on environments whose rows have tools of their own: no false finding, and what changes is found."""

import random

import pytest

from grpo_env_sdk.checking.contract.preconditions import tools_are_well_formed
from grpo_env_sdk.checking.evidence.tool_use.calls import calls_made
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.runner.worker import found_by
from grpo_env_sdk.checking.score.parallel import parallel_episodes_are_safe
from grpo_env_sdk.checking.tools.answering import (
    every_tool_can_run,
    the_solution_keeps_to_the_schemas,
    valid_calls_are_answered,
)
from grpo_env_sdk.checking.tools.describing import schemas_stay_the_same, tools_are_described
from grpo_env_sdk.checking.tools.mattering import every_parameter_matters
from grpo_env_sdk.checking.tools.shortcuts import no_tool_solves_the_task_alone
from tests.checking.trying import subject_of
from tests.row_tools_envs import KITCHENS, Connected, Kitchen, schema, tools_for

CHECKS = [
    tools_are_well_formed, tools_are_described, schemas_stay_the_same, every_tool_can_run, valid_calls_are_answered,
    the_solution_keeps_to_the_schemas, every_parameter_matters, no_tool_solves_the_task_alone,
]  # fmt: skip


class ByChance(Kitchen):
    """The order of its tools changes with every reset."""

    def get_tools(self, row):
        return random.sample(many := [schema(f"tool_{n}") for n in range(30)], len(many))


class Counting(Connected):
    """A description that counts the resets of the process."""

    resets = 0

    def setup(self, row):
        super().setup(row)
        Counting.resets += 1
        self.toolbox.schemas[0]["function"]["description"] = f"Reset {Counting.resets}."


class BrokenRow(Kitchen):
    def get_tools(self, row):
        return [schema("make", guests="people")] if row["case_idx"] == 7 else tools_for(row)


class CannotRun(Kitchen):
    runs_tools = True
    call_tool = None


class Helpless(Kitchen):
    """`solve` calls a tool with what its row's schema refuses."""

    def get_tools(self, row):
        return [schema(f"make_{row['dish']}", guests="string")]


def findings(check, env):
    """What one check reports."""
    return [item for item in found_by(check, subject_of(env)) if isinstance(item, Finding)]


@pytest.mark.parametrize("env", KITCHENS)
def test_tools_that_differ_between_rows_are_no_finding(env):
    subject = subject_of(env)
    items = [item for check in CHECKS for item in found_by(check, subject) if isinstance(item, Finding)]
    assert [item.message for item in items if item.severity == "error"] == []


def test_whether_tools_await_is_asked_of_the_tools_of_a_row():
    assert findings(parallel_episodes_are_safe, Kitchen) == []


@pytest.mark.parametrize("env", [ByChance, Counting])
def test_tools_of_one_row_that_change_between_resets_are_a_finding(env):
    (found,) = findings(schemas_stay_the_same, env)
    assert (found.severity, found.row) == ("error", 0)
    assert "row 0" in found.message


def test_a_row_with_an_invalid_schema_is_found_before_all_else():
    (found,) = findings(tools_are_well_formed, BrokenRow)
    assert found.row == 7
    assert "(row 7) tool 'make'" in found.message


def test_a_tool_of_a_row_that_nothing_runs_is_found():
    assert "make_soup" in findings(every_tool_can_run, CannotRun)[0].message


def test_a_solution_is_held_against_the_schemas_of_its_row():
    assert "does not fit the schema of make_" in findings(the_solution_keeps_to_the_schemas, Helpless)[0].message


def test_calls_are_drawn_among_the_tools_of_their_row():
    subject = subject_of(Kitchen)
    made = calls_made(subject)
    assert {call.name for call in made} == {"make_soup", "make_bread", "make_cake", "wait"}
    assert all(call.name in ("wait", f"make_{call.episode.row['dish']}") for call in made)
    assert len(subject.tools) == 4
