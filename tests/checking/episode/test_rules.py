"""Rules of prompts and boards that do not hold are found, and those that hold are let be."""

import pytest

from grpo_env_sdk.checking.episode.leaked_state import a_game_begins_anew
from grpo_env_sdk.checking.episode.promised_turns import episodes_have_the_turns_that_are_promised
from grpo_env_sdk.checking.evidence.prompts.boards import boards_in
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.acts.required_steps import the_change_itself_is_needed, what_comes_first_comes_first
from grpo_env_sdk.checking.teaching.amounts.stated_limits import (
    more_acts_than_allowed_are_not_gold,
    no_more_is_carried_than_fits,
)
from grpo_env_sdk.checking.teaching.games.board_rules import maps_end_at_their_edges, taken_squares_stay_taken
from grpo_env_sdk.checking.teaching.games.guess_marks import marks_count_each_letter_once
from grpo_env_sdk.checking.teaching.games.paid_roles import each_side_is_paid_for_its_own_price
from grpo_env_sdk.checking.teaching.telling.record_tells import records_do_not_tell_the_choice
from grpo_env_sdk.checking.teaching.telling.telling import replies_do_not_tell_the_answer
from tests.checking.environments import rules_envs as envs
from tests.checking.trying import found


def findings(check, cls):
    return [item for item in found(check, cls, "quick") if isinstance(item, Finding)]


@pytest.mark.parametrize(
    ("check", "cls"),
    [
        (episodes_have_the_turns_that_are_promised, envs.LongWalks),
        (marks_count_each_letter_once, envs.RightMarks),
        (each_side_is_paid_for_its_own_price, envs.FairBazaar),
        (a_game_begins_anew, envs.OwnBag),
        (no_more_is_carried_than_fits, envs.SmallVan),
        (more_acts_than_allowed_are_not_gold, envs.CountedQuestions),
        (the_change_itself_is_needed, envs.BookedReception),
        (the_change_itself_is_needed, envs.Said),
        (what_comes_first_comes_first, envs.StrictCounter),
        (what_comes_first_comes_first, envs.Pharmacy),
        (what_comes_first_comes_first, envs.Substances),
        (replies_do_not_tell_the_answer, envs.Substances),
        (taken_squares_stay_taken, envs.CarefulCrosses),
        (taken_squares_stay_taken, envs.Reversed),
        (maps_end_at_their_edges, envs.FencedPasture),
        (maps_end_at_their_edges, envs.BarePasture),
        (records_do_not_tell_the_choice, envs.BareTickets),
    ],
)
def test_rules_that_hold_are_let_be(check, cls):
    assert findings(check, cls) == []


@pytest.mark.parametrize(
    ("check", "cls", "shown"),
    [
        (episodes_have_the_turns_that_are_promised, envs.Stairs, "eight moves"),
        (marks_count_each_letter_once, envs.Code, "letter twice"),
        (each_side_is_paid_for_its_own_price, envs.Bazaar, "Who sells"),
        (a_game_begins_anew, envs.Keys, "0 in a new one"),
        (no_more_is_carried_than_fits, envs.Van, "Taking 4 things at once, of 2 that fit"),
        (more_acts_than_allowed_are_not_gold, envs.Boxes, "more than 3 questions"),
        (the_change_itself_is_needed, envs.Reception, "without its calls of move_table"),
        (what_comes_first_comes_first, envs.Counter, "Verify the identity"),
        (taken_squares_stay_taken, envs.Crosses, "mark over another"),
        (maps_end_at_their_edges, envs.Pasture, "leaves the map"),
        (records_do_not_tell_the_choice, envs.Tickets, "'resolution'"),
    ],
)
def test_a_broken_rule_is_named(check, cls, shown):
    (finding,) = findings(check, cls)
    assert shown in finding.message


@pytest.mark.parametrize(
    ("text", "board"),
    [
        ("Now:\n. X .\nO . .\n. . X\nYour turn.", (".X.", "O..", "..X")),
        (" 1 | 2 | X\n---+---+---\n O | 5 | 6\n---+---+---\n   | 8 | 9", ("12X", "O56", ".89")),
        ("#..S\n#.##\n...E", ("#..S", "#.##", "...E")),
        ("  a b c d\n1 . . . x\n2 . o . .\n3 . . . .\n4 . . . .", ("...x", ".o..", "....", "....")),
    ],
)
def test_a_board_is_read_in_the_ways_in_which_boards_are_drawn(text, board):
    assert boards_in(text) == [board]


def test_sentences_and_lists_are_no_boards():
    assert boards_in("Go to the shop.\nBuy bread.\nCome back.") == []
