"""Acts that are accepted too easily are found, and the same environments without the fault are let be."""

import pytest

from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.amounts.side_doors import (
    absurd_numbers_are_not_gold,
    trying_every_value_is_not_gold,
)
from grpo_env_sdk.checking.teaching.amounts.stated_limits import more_acts_than_allowed_are_not_gold
from grpo_env_sdk.checking.teaching.forms.asked_forms import gold_has_the_form_that_is_asked_for
from grpo_env_sdk.checking.teaching.games.lost_goes_on import a_lost_game_is_over
from grpo_env_sdk.checking.teaching.games.moves_out_of_range import moves_out_of_range_are_refused
from grpo_env_sdk.checking.teaching.games.two_prices import one_number_is_read_everywhere
from grpo_env_sdk.checking.teaching.graders_of_code.code_graders import code_has_to_work
from grpo_env_sdk.checking.teaching.graders_of_code.reaching_outside import tools_stay_inside
from grpo_env_sdk.checking.teaching.telling.marked_records import records_are_not_marked
from grpo_env_sdk.checking.teaching.telling.tools_that_judge import no_tool_judges_answers
from grpo_env_sdk.checking.tools.mattering import every_parameter_matters
from tests.checking.environments import lenient_acts_envs as envs
from tests.checking.trying import found


def findings(check, cls):
    return [item for item in found(check, cls, "quick") if isinstance(item, Finding)]


@pytest.mark.parametrize(
    ("check", "cls", "shown"),
    [
        (absurd_numbers_are_not_gold, envs.Invoices, "amount=1000000"),
        (trying_every_value_is_not_gold, envs.Pantry, "put_into_basket with every value"),
        (code_has_to_work, envs.Harvest, "deletes what gold's query reads"),
        (tools_stay_inside, envs.Sums, "self.max_turns"),
        (a_lost_game_is_over, envs.Cave, "Hearts: -1"),
        (more_acts_than_allowed_are_not_gold, envs.Coins, "more than 3 weighings"),
        (gold_has_the_form_that_is_asked_for, envs.Visits, "YYYY-MM-DD"),
        (every_parameter_matters, envs.Expenses, "for which the prompts ask"),
        (no_tool_judges_answers, envs.Plurals, "proofread says whether an answer is right"),
        (records_are_not_marked, envs.Library, "'is_target' is True"),
        (moves_out_of_range_are_refused, envs.Stones, "a game is won"),
        (one_number_is_read_everywhere, envs.Lamps, "accepted for one and paid for the other"),
    ],
)
def test_what_is_accepted_too_easily_is_an_error(check, cls, shown):
    (finding,) = findings(check, cls)
    assert finding.severity in (None, "error")
    assert shown in finding.message


@pytest.mark.parametrize(
    ("check", "cls"),
    [
        (absurd_numbers_are_not_gold, envs.ExactInvoices),
        (absurd_numbers_are_not_gold, envs.Collected),
        (trying_every_value_is_not_gold, envs.OnlyThis),
        (code_has_to_work, envs.HarvestFirst),
        (tools_stay_inside, envs.ParsedSums),
        (a_lost_game_is_over, envs.DeadlyCave),
        (more_acts_than_allowed_are_not_gold, envs.CountedMinutes),
        (more_acts_than_allowed_are_not_gold, envs.FreeWeighings),
        (gold_has_the_form_that_is_asked_for, envs.BothForms),
        (every_parameter_matters, envs.ReadExpenses),
        (no_tool_judges_answers, envs.SpellingOnly),
        (records_are_not_marked, envs.PlainLibrary),
        (moves_out_of_range_are_refused, envs.OneStoneAtLeast),
        (one_number_is_read_everywhere, envs.OnePrice),
    ],
)
def test_the_same_without_the_fault_is_let_be(check, cls):
    assert findings(check, cls) == []
