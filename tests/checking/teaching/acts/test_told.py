"""What is shown, told, counted and compared wrongly is found, and the same without the fault is let be."""

import pytest

from grpo_env_sdk.checking.evidence.prompts.ordered_values import key_of, kind_of
from grpo_env_sdk.checking.evidence.tool_use.dialogs import dialogs
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.acts.corrected_by_user import what_the_user_said_last_counts
from grpo_env_sdk.checking.teaching.forms.counting_from import positions_are_counted_as_told
from grpo_env_sdk.checking.teaching.graders_of_code.tests_in_replies import replies_do_not_show_hidden_tests
from grpo_env_sdk.checking.teaching.graders_of_code.told_tests import cases_in, table_like
from grpo_env_sdk.checking.teaching.telling.never_told import users_tell_all_that_they_want
from grpo_env_sdk.checking.teaching.telling.out_of_sight import what_gold_says_was_in_sight
from grpo_env_sdk.checking.teaching.wrong_answers.compared_as_text import values_are_not_compared_as_texts
from tests.checking.environments import told_envs as envs
from tests.checking.trying import found, subject_of


def findings(check, cls):
    return [item for item in found(check, cls, "quick") if isinstance(item, Finding)]


@pytest.mark.parametrize(
    ("check", "cls", "shown"),
    [
        (replies_do_not_show_hidden_tests, envs.Functions, "table of 5 inputs"),
        (replies_do_not_show_hidden_tests, envs.JsonReports, "table of 5 inputs"),
        (replies_do_not_show_hidden_tests, envs.WithoutGold, "table of 5 inputs"),
        (replies_do_not_show_hidden_tests, envs.Rounds, "table of"),
        (positions_are_counted_as_told, envs.Stock, "'line' of write"),
        (positions_are_counted_as_told, envs.NumberedRecords, "'line' of write"),
        (what_gold_says_was_in_sight, envs.Towns, "the view cuts off: '1203'"),
        (what_gold_says_was_in_sight, envs.LastMessageOnly, "the view cuts off"),
        (users_tell_all_that_they_want, envs.Handyman, "number 3 of 3"),
        (what_the_user_said_last_counts, envs.Bar, "'Sorry, make that a large coffee.'"),
        (what_the_user_said_last_counts, envs.NeverAsked, "'Sorry, make that a large coffee.'"),
        (values_are_not_compared_as_texts, envs.Flights, "the field 'price' (the first) as texts"),
        (values_are_not_compared_as_texts, envs.Releases, "(the last) as texts"),
    ],
)
def test_what_is_shown_or_told_wrongly_is_an_error(check, cls, shown):
    (finding,) = findings(check, cls)
    assert (finding.severity or check.severity) == "error"
    assert shown in finding.message


@pytest.mark.parametrize(
    ("check", "cls"),
    [(users_tell_all_that_they_want, envs.WithoutSolve), (what_gold_says_was_in_sight, envs.PageByPage)],
)
def test_what_gold_does_not_prove_is_a_warning(check, cls):
    (finding,) = findings(check, cls)
    assert (finding.severity or check.severity) == "warning"


@pytest.mark.parametrize(
    ("check", "cls"),
    [
        (replies_do_not_show_hidden_tests, envs.CountedFailures),
        (replies_do_not_show_hidden_tests, envs.OtherTests),
        (positions_are_counted_as_told, envs.SheetFromOne),
        (positions_are_counted_as_told, envs.PutBelow),
        (what_gold_says_was_in_sight, envs.WholePages),
        (users_tell_all_that_they_want, envs.PatientCustomer),
        (users_tell_all_that_they_want, envs.Demanding),
        (what_the_user_said_last_counts, envs.LastWordCounts),
        (what_the_user_said_last_counts, envs.NoChanges),
        (what_the_user_said_last_counts, envs.Tailor),
        (values_are_not_compared_as_texts, envs.PricesByValue),
        (values_are_not_compared_as_texts, envs.OrderedReleases),
    ],
)
def test_the_same_without_the_fault_is_let_be(check, cls):
    assert findings(check, cls) == []


@pytest.mark.parametrize(
    ("reply", "cases"),
    [
        ("FAILED: assert f(0) == 1, but it was 0", {"[0]": "1"}),
        ("f(3, 'a') returned 5, expected [1, 2]", {"[3, 'a']": "[1, 2]"}),
        ('{"input": [3], "expected": 7, "got": null}', {"[3]": "7"}),
        ("E  assert 5 == 7\nE   +  where 5 = f(3)", {"[3]": "7"}),
        ("For n = 4 it should return 'even'", {"4": "'even'"}),
        ("All 8 tests passed.", {}),
    ],
)
def test_cases_are_read_from_replies(reply, cases):
    assert cases_in(reply, "f") == cases


def test_what_a_program_reads_and_prints_is_a_line():
    name, table = table_like("a, b = map(int, input().split())\nprint(a + b)")
    cases = cases_in("Input: 3 4\nExpected output: 7\nYour output: 1", name)
    assert cases == {"'3 4'": "'7'"}
    assert "{'3 4': '7'}" in table(cases)


@pytest.mark.parametrize(
    ("code", "name"), [("def g(a, b):\n    return a + b", "g"), ("2 * n + 1", "n"), ("lambda x: -x", "f")]
)
def test_a_table_has_the_form_of_the_code(code, name):
    found_name, table = table_like(code)
    assert found_name == name
    assert "41" in table({"[1]": "41"})
    assert table_like("The capital of France.") is None


@pytest.mark.parametrize(
    ("earlier", "later", "kind"),
    [
        ("8:00", "10:00", "times"), ("9:30 am", "1:00 pm", "times"), ("98", "105", "numbers"),
        ("9.5 km", "10 km", "numbers"),
        ("3.12.2023", "1.2.2024", "dates"), ("2024-9-30", "2024-10-1", "years first"), ("1.9.0", "1.10.0", "versions"),
        ("v1.9", "v1.10", "short versions"), ("30 March", "2 April", "named days"), ("March", "April", "months"),
    ],
)  # fmt: skip
def test_values_are_ordered_by_what_they_are(earlier, later, kind):
    assert kind_of(earlier) == kind_of(later) == kind
    assert key_of(earlier, kind) < key_of(later, kind)


def test_conversations_that_another_check_had_do_not_stand_for_those_with_what_a_user_may_want():
    subject = subject_of(envs.Demanding)
    row = subject.rows.indices[0]
    few = dialogs(subject, row)
    assert len(dialogs(subject, row, [["paint"], ["sand"]])) == len(few) + 1
    assert dialogs(subject, row) is few
