"""Acts that pay where they should not are found, also without gold, and the same without it are let be."""

import pytest

from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.acts.penalties import penalties_lower_the_score
from grpo_env_sdk.checking.teaching.amounts.farming import what_was_undone_does_not_pay_again
from grpo_env_sdk.checking.teaching.amounts.refilled_budgets import budgets_are_kept
from grpo_env_sdk.checking.teaching.games.giving_in import nobody_gives_in_to_silence
from grpo_env_sdk.checking.teaching.graders_of_code.forged_results import results_that_are_written_are_not_gold
from grpo_env_sdk.checking.teaching.lazy_answers.abstaining import no_answer_is_scored
from grpo_env_sdk.checking.teaching.lazy_answers.listing_options import listing_every_option_is_not_right, options_of
from grpo_env_sdk.checking.teaching.written_data.write_statements import queries_only_read
from tests.checking.environments import paid_acts_envs as envs
from tests.checking.trying import found


def findings(check, cls):
    return [item for item in found(check, cls, "quick") if isinstance(item, Finding)]


@pytest.mark.parametrize(
    ("check", "cls", "shown"),
    [
        (penalties_lower_the_score, envs.Shifts, "weight -0.5 and values from -1 to 0"),
        (penalties_lower_the_score, envs.WastePays, "gold has none of it"),
        (nobody_gives_in_to_silence, envs.Carpets, "2 messages '.' and then buy()"),
        (nobody_gives_in_to_silence, envs.Landlord, 'and then "deal" score 1'),
        (what_was_undone_does_not_pay_again, envs.Orchard, '"leave apple", then "pick apple"'),
        (what_was_undone_does_not_pay_again, envs.Deliveries, "unload"),
        (what_was_undone_does_not_pay_again, envs.Rooms, '"left", then "right", again and again'),
        (budgets_are_kept, envs.Boxes, "once shake was called it works again"),
        (budgets_are_kept, envs.Questions, "once time was called it works again"),
        (no_answer_is_scored, envs.Areas, "no score (None) on 12 of 12 rows"),
        (no_answer_is_scored, envs.Registry, "no score (None)"),
        (listing_every_option_is_not_right, envs.Birds, "guess wren, robin"),
        (listing_every_option_is_not_right, envs.Herbs, "basil, thyme"),
        (queries_only_read, envs.Stock, "after 'DELETE FROM items' the answer 0 scores 1"),
        (results_that_are_written_are_not_gold, envs.Compiler, "the calls of another row"),
    ],
)
def test_what_pays_and_should_not_is_an_error(check, cls, shown):
    (finding,) = findings(check, cls)
    assert finding.severity in (None, "error")
    assert shown in finding.message


def test_a_penalty_that_may_be_either_is_a_warning():
    (finding,) = findings(penalties_lower_the_score, envs.LongPays)
    assert finding.severity == "warning"
    assert "'long_text' has the weight -0.3" in finding.message


@pytest.mark.parametrize(
    ("check", "cls"),
    [
        (penalties_lower_the_score, envs.FairShifts),
        (penalties_lower_the_score, envs.LongCosts),
        (nobody_gives_in_to_silence, envs.FirmDealer),
        (nobody_gives_in_to_silence, envs.FirmLandlord),
        (what_was_undone_does_not_pay_again, envs.PaidOnce),
        (what_was_undone_does_not_pay_again, envs.CountedAtTheEnd),
        (what_was_undone_does_not_pay_again, envs.ThereAndBack),
        (what_was_undone_does_not_pay_again, envs.RoomsSeenOnce),
        (what_was_undone_does_not_pay_again, envs.Ferry),
        (budgets_are_kept, envs.CountedLooks),
        (budgets_are_kept, envs.BoughtLooks),
        (budgets_are_kept, envs.NeverForgets),
        (no_answer_is_scored, envs.NoneIsNothing),
        (no_answer_is_scored, envs.UnknownRows),
        (no_answer_is_scored, envs.FiledOrNot),
        (listing_every_option_is_not_right, envs.ExactBirds),
        (listing_every_option_is_not_right, envs.ExactHerbs),
        (results_that_are_written_are_not_gold, envs.ReadsTools),
    ],
)
def test_the_same_without_the_fault_is_let_be(check, cls):
    assert findings(check, cls) == []


def test_statements_that_write_are_a_warning_where_the_answer_was_known_before():
    assert [one.severity for one in findings(queries_only_read, envs.CountedFirst)] == ["warning"]


def test_the_options_of_a_prompt_are_its_longest_list():
    assert options_of("Pick: red, blue, dark green or grey. Say it, at once.") == ["red", "blue", "dark green", "grey"]
    assert options_of("One of tea, milk, rice and salt is sold out. Which?") == ["tea", "milk", "rice", "salt"]
    assert options_of("Walk on, and say what you see.") == []
