"""Faults of what is done, by tools, users, plans and harnesses, are found, and what only looks like them is let be."""

import pytest

from grpo_env_sdk.checking.episode.messages import (
    calls_may_be_in_messages_of_their_own,
    results_belong_to_their_calls,
)
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.acts.refused_acts import refused_acts_do_not_count
from grpo_env_sdk.checking.teaching.games.lost_goes_on import a_lost_game_is_over
from grpo_env_sdk.checking.teaching.graders_of_code.forged_results import results_that_are_written_are_not_gold
from grpo_env_sdk.checking.teaching.graders_of_code.reaching_outside import tools_stay_inside
from grpo_env_sdk.checking.teaching.telling.shown_facts import what_gold_needs_is_shown
from grpo_env_sdk.checking.teaching.telling.telling import replies_do_not_tell_the_answer
from grpo_env_sdk.checking.teaching.too_much.later_changes import what_is_changed_again_is_not_gold
from grpo_env_sdk.checking.teaching.too_much.one_act_more import one_act_more_is_not_gold
from grpo_env_sdk.checking.teaching.wrong_answers.impossible_steps import impossible_steps_are_not_gold
from grpo_env_sdk.checking.teaching.wrong_answers.step_shapes import moves_have_the_shapes_of_gold, shape_of
from tests.checking.environments import acts_envs as envs
from tests.checking.trying import found


def findings(check, cls):
    return [item for item in found(check, cls, "quick") if isinstance(item, Finding)]


@pytest.mark.parametrize(
    ("check", "cls"),
    [
        (results_belong_to_their_calls, envs.RatesInTurn),
        (calls_may_be_in_messages_of_their_own, envs.CandlesOnce),
        (replies_do_not_tell_the_answer, envs.SilentOracle),
        (replies_do_not_tell_the_answer, envs.LoansAlone),
        (replies_do_not_tell_the_answer, envs.Phones),
        (what_gold_needs_is_shown, envs.WholeShelves),
        (what_gold_needs_is_shown, envs.SummedShelves),
        (impossible_steps_are_not_gold, envs.BlocksOnTop),
        (impossible_steps_are_not_gold, envs.SkippedBlocks),
        (impossible_steps_are_not_gold, envs.Robot),
        (moves_have_the_shapes_of_gold, envs.StrictLadder),
        (one_act_more_is_not_gold, envs.OneSeat),
        (one_act_more_is_not_gold, envs.TakenSeats),
        (one_act_more_is_not_gold, envs.AnySeats),
        (refused_acts_do_not_count, envs.RefusedFirst),
        (what_is_changed_again_is_not_gold, envs.HeatedInTheEnd),
        (what_is_changed_again_is_not_gold, envs.HeatedInHaste),
        (what_is_changed_again_is_not_gold, envs.SetOnce),
        (results_that_are_written_are_not_gold, envs.BookedLanes),
        (tools_stay_inside, envs.OwnPoems),
        (a_lost_game_is_over, envs.MinesThatEnd),
    ],
)
def test_what_only_looks_like_the_fault_is_let_be(check, cls):
    assert findings(check, cls) == []


def test_a_guest_who_corrects_a_wrong_guess_tells_no_secret():
    told = [item for item in findings(replies_do_not_tell_the_answer, envs.Tables) if "guess" in item.message]
    assert told == []


def test_a_file_with_an_ordinary_name_that_has_the_sum_is_a_warning():
    (finding,) = findings(replies_do_not_tell_the_answer, envs.SumBeside)
    assert finding.severity == "warning"
    assert "read_file(name='about.json') holds the answer" in finding.message


def test_a_guess_that_is_told_the_right_one_is_shown_with_the_reply():
    (finding,) = findings(replies_do_not_tell_the_answer, envs.Treasure)
    assert "look in the" in finding.message
    assert "in ask" in finding.message


def test_a_named_table_is_an_error():
    (finding,) = findings(replies_do_not_tell_the_answer, envs.Loans)
    assert finding.severity == "error"
    assert "eval_targets" in finding.message


@pytest.mark.parametrize(
    ("one", "other", "shape"),
    [
        ("a1", "b3", (1, 2)),
        ("(0, 4)", "(1,4)", (0, 1)),
        ("cold", "cord", (1,)),
        ("cold", "colder", ()),
        ("left", "12", ()),
    ],
)
def test_the_shape_of_a_move(one, other, shape):
    assert shape_of(one, other) == shape
