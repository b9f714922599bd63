"""Errors say what happened and what to do next, in the shapes that callers rely on."""

import copy
import pickle

import pytest

from grpo_env_sdk import errors
from grpo_env_sdk.errors import GrpoEnvError, ToolSchemaError, UnknownNameError, did_you_mean

ERRORS = [thing for thing in vars(errors).values() if isinstance(thing, type) and issubclass(thing, GrpoEnvError)]
PARENTS = {
    "UnknownNameError": LookupError,
    "AmbiguousNameError": LookupError,
    "BrokenPackageError": ImportError,
    "ConfigError": ValueError,
    "ContractError": TypeError,
    "DatasetError": ValueError,
    "ScoreError": ValueError,
    "ToolSchemaError": ValueError,
    "EnvironmentFailedError": RuntimeError,
    "DeadlineError": TimeoutError,
    "ProcessStuckError": RuntimeError,
    "NotOpenError": AttributeError,
    "EpisodeOverError": RuntimeError,
    "UsageError": ValueError,
}


def test_an_error_reads_as_what_happened_then_the_next_step():
    assert str(UnknownNameError("No env named 'x-v1'.", "Did you mean 'y-v1'?")) == (
        "No env named 'x-v1'. Did you mean 'y-v1'?"
    )


def test_an_error_without_a_next_step_has_no_space_after_it():
    assert str(GrpoEnvError("It broke.")) == "It broke."


def test_commands_print_an_error_as_json_with_its_type():
    assert UnknownNameError("No env.", "See list.").as_json() == {
        "error": {"type": "UnknownNameError", "message": "No env.", "hint": "See list."}
    }


def test_the_table_of_parents_names_every_error():
    assert set(PARENTS) == {error.__name__ for error in ERRORS} - {"GrpoEnvError"}


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: error.__name__)
def test_every_error_is_ours_and_has_the_parent_that_python_would_raise(error):
    raised = error("What happened.", "What to do.")
    assert isinstance(raised, PARENTS.get(error.__name__, Exception))
    assert (raised.message, raised.hint) == ("What happened.", "What to do.")


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: error.__name__)
@pytest.mark.parametrize("through", [copy.copy, lambda item: pickle.loads(pickle.dumps(item))], ids=["copy", "pickle"])
def test_an_error_crosses_processes_whole(error, through):
    raised = through(error("What happened.", "What to do."))
    assert (type(raised), raised.message, raised.hint, str(raised)) == (
        error,
        "What happened.",
        "What to do.",
        "What happened. What to do.",
    )


def test_a_schema_with_several_faults_is_several_lines():
    error = ToolSchemaError("Two faults.", faults=["$.name: missing", "$.type: missing"])
    assert str(error) == "$.name: missing\n$.type: missing"
    assert pickle.loads(pickle.dumps(error)).faults == error.faults


@pytest.mark.parametrize(
    ("typed", "known", "told"),
    [
        ("hotle-v1", ["hotel-v1", "maze-v1"], "Did you mean 'hotel-v1'?"),
        ("hotle-v1", ["hotel-v1", "wordle-v1"], "Did you mean 'hotel-v1'?"),
        ("HOTEL-V1", ["hotel-v1"], "Did you mean 'hotel-v1'?"),
        ("chain_sum", ["rg/chain_sum-v1", "hotel-v1"], "Did you mean 'rg/chain_sum-v1'?"),
        ("cat", ["car", "cap"], "Did you mean 'cap' or 'car'?"),
        ("x/task1", [f"x/task{n:02}-v1" for n in range(1, 30)], "Did you mean 'x/task01-v1' or 'x/task02-v1' or "),
        ("x/task", [f"x/task{n}-v1" for n in (10, 9, 2, 1)], "Did you mean 'x/task1-v1' or 'x/task2-v1' or 'x/task9-"),
        ("zebra", ["hotel-v1"], ""),
        ("", ["hotel-v1"], ""),
        ("hotel", [], ""),
    ],
)
def test_the_nearest_name_is_offered_where_there_is_one(typed, known, told):
    found = did_you_mean(typed, known)
    assert found.startswith(told) if told else found == ""


def test_a_name_that_shares_few_letters_with_a_known_one_is_no_guess():
    assert did_you_mean("nested", ["seed", "bridge"]) == ""
    assert did_you_mean("sead", ["seed", "bridge"]) == "Did you mean 'seed'?"
