"""The search for rows that cannot be won: what it proves, and where it says nothing."""

import pytest

from grpo_env_sdk.checking.evidence.subject import Settings, Subject
from grpo_env_sdk.checking.runner.worker import found_by
from grpo_env_sdk.checking.teaching.games.winnable import every_row_can_be_won
from grpo_env_sdk.types import EnvSpec
from tests.checking.environments.searching_envs import (
    Bridges,
    FairMatches,
    Hasty,
    Jugs,
    Matches,
    Pebbles,
    Rounds,
    Safes,
    Sums,
    Tables,
    Trails,
)


def found_in(cls):
    """What the search finds, with time enough on a busy machine."""
    name = f"{cls.__module__}:{cls.__qualname__}"
    subject = Subject(EnvSpec(name, name), Settings(call_seconds=120.0), create=cls)
    return list(found_by(every_row_can_be_won, subject))


def test_amounts_that_cannot_be_measured_are_proven_by_all_states():
    (finding,) = found_in(Jugs)
    assert finding.severity == "error"
    assert "states that can be reached were visited" in finding.message
    assert all(text in finding.message for text in ("fill A", "empty B", "pour B A", "the best score is 0"))
    assert "best_possible" in finding.hint


def test_rows_that_gold_loses_are_won_or_proven_lost():
    gold, rows = found_in(Hasty)
    assert (gold.severity, rows.severity) == ("warning", "error")
    assert "other acts reach it" in gold.message
    assert "solve(row)" in gold.hint


@pytest.mark.parametrize("cls", [Bridges, Tables, Safes, Sums])
def test_nothing_is_claimed_where_other_acts_or_chance_may_decide(cls):
    assert [item for item in found_in(cls) if item.severity != "info"] == []


@pytest.mark.parametrize(
    ("cls", "severity"), [(Rounds, "error"), (Trails, "error"), (Matches, "warning"), (Pebbles, "warning")]
)
def test_rows_lost_to_a_limit_or_a_perfect_opponent_are_named(cls, severity):
    (finding,) = found_in(cls)
    assert finding.severity == severity
    assert "no sequence of acts scores 1" in finding.message


def test_rows_that_can_all_be_won_are_not_accused():
    right = type("RightRounds", (Rounds,), {"right": True, "__module__": Rounds.__module__})
    assert [item for cls in (right, FairMatches) for item in found_in(cls)] == []
