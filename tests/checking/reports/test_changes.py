"""What changed since an earlier report: which findings count, and which files are reports."""

import json
from dataclasses import replace

import pytest

from grpo_env_sdk.checking.findings.finding import Finding, Undecided
from grpo_env_sdk.checking.findings.report import Report, Waived
from grpo_env_sdk.checking.reports.changes import change_lines
from grpo_env_sdk.checking.reports.earlier import Earlier, compared, read_reports
from grpo_env_sdk.checking.reports.github import github_lines
from grpo_env_sdk.checking.reports.history import earlier_reports, last_report, remember
from grpo_env_sdk.checking.reports.junit import junit_xml
from grpo_env_sdk.checking.reports.terminal import fix_lines
from grpo_env_sdk.cli.testing_command import exit_code
from grpo_env_sdk.errors import GrpoEnvWarning, UsageError
from grpo_env_sdk.types import EnvSpec

SILENCE = Finding("Silence earns 0.4 of gold on 3 rows.", "Pay for content.", 0, "", 0.4, 0, "error", "G503")
RAISES = Finding("Scoring raised KeyError 'a' (sums.py:7).", "Catch it.", severity="error", check="S201")
PRINTS = Finding("It prints.", "Do not.", severity="warning", check="C130")
EVERY = ("C130", "G503", "S201")


def report(*found, ran=EVERY, **fields):
    return Report("sums-v1", list(found), timings=dict.fromkeys(ran, 0.1), **fields)


def since(before, now):
    """The later report, with what changed since the earlier one; both went through JSON."""
    earlier = Earlier.from_json(json.loads(json.dumps(before.as_json())))
    now.changes = compared("report.json", earlier, now)
    return now


def statuses(before, now):
    return [(change.status, change.finding.check) for change in since(before, now).changes.changes]


def test_nothing_new_passes_although_the_verdict_is_findings():
    now = since(report(SILENCE, PRINTS), report(SILENCE, PRINTS))
    assert now.verdict == "findings"
    assert not now.failed(strict=True)
    assert now.changes.unchanged == 2
    assert "since report.json: 2 as before" in next(change_lines(now, "grpo-env test sums-v1"))


def test_a_new_error_fails_and_a_new_warning_only_where_strict():
    assert since(report(SILENCE), report(SILENCE, RAISES)).failed()
    assert not since(report(), report(PRINTS)).failed()
    assert since(report(), report(PRINTS)).failed(strict=True)


def test_the_same_mistake_with_other_examples_is_not_new():
    again = replace(SILENCE, message="Silence earns 0.5 of gold on 1 row.", row=9)
    moved = replace(RAISES, message="Scoring raised KeyError 'b' (sums.py:11).")
    assert statuses(report(SILENCE, RAISES), report(again, moved)) == []


def test_another_mistake_that_the_same_check_finds_is_new_and_one_of_several_counts_as_well():
    other = replace(RAISES, message="Scoring raised ValueError 'a' (sums.py:7).")
    assert statuses(report(RAISES), report(other)) == [("new", "S201"), ("gone", "S201")]
    twice = report(RAISES, replace(RAISES, message="Scoring raised KeyError 'c' (sums.py:9)."))
    assert statuses(report(RAISES), twice) == [("new", "S201")]


def test_a_finding_that_became_an_error_fails_and_one_that_became_a_warning_does_not():
    softer = replace(SILENCE, severity="warning")
    assert statuses(report(softer), report(SILENCE)) == [("worse", "G503")]
    assert since(report(softer), report(SILENCE)).failed()
    assert statuses(report(SILENCE), report(softer)) == [("better", "G503")]
    assert not since(report(SILENCE), report(softer)).failed(strict=True)


def test_a_finding_is_gone_only_where_its_check_has_decided():
    waived = report(waived=[Waived(SILENCE, "by design")])
    late = report(undecided=[Undecided("No time.", "", ("G503",))])
    assert statuses(report(SILENCE), report()) == [("gone", "G503")]
    assert statuses(report(SILENCE), report(ran=("C130",))) == [("undecided", "G503")]
    assert statuses(report(SILENCE), late) == [("undecided", "G503")]
    assert statuses(report(SILENCE), waived) == [("waived", "G503")]


def test_earlier_findings_of_checks_that_were_not_asked_for_are_left_out():
    earlier = Earlier.from_json(report(SILENCE, PRINTS).as_json())
    found = compared("last", earlier, report(ran=("C130",)), {"C130"})
    assert [(change.status, change.finding.check) for change in found.changes] == [("gone", "C130")]
    cut_off = report(ran=(), undecided=[Undecided("No time.", "", ("C130",))])
    found = compared("last", earlier, cut_off, {"C130"})
    assert [(change.status, change.finding.check) for change in found.changes] == [("undecided", "C130")]


def test_an_environment_that_can_no_longer_be_tested_fails_and_so_does_one_that_is_now_unproven():
    assert since(report(), report(blocked=True)).failed()
    little = ("Too few rows.",)
    assert exit_code([since(report(), report(unproven=little))]) == 3
    assert exit_code([since(report(unproven=little), report(unproven=little))]) == 0


def test_without_an_earlier_report_everything_is_new():
    now = report(SILENCE)
    now.changes = compared("last", None, now)
    assert now.failed()
    assert "no earlier report on sums-v1, so every finding is new" in next(change_lines(now, "grpo-env test sums-v1"))


def test_checks_that_the_earlier_report_did_not_have_are_named():
    lines = list(change_lines(since(report(ran=("C130",)), report(SILENCE)), "grpo-env test sums-v1"))
    assert lines[-1] == "checks that the earlier report did not have: G503, S201"
    assert "    again     grpo-env test sums-v1 --select G503" in lines


def test_every_form_fails_only_on_what_is_new():
    now = since(report(SILENCE), report(SILENCE, RAISES))
    assert [line.split(" ", 1)[0] for line in github_lines(now)] == ["::notice", "::error"]
    assert [line.split(" ", 1)[0] for line in fix_lines(now)] == ["S201"]
    assert 'failures="1"' in junit_xml([now])
    assert (
        now.as_json()["changes"]["changes"][0] | {"status": "new", "id": "S201"}
        == now.as_json()["changes"]["changes"][0]
    )


@pytest.mark.parametrize("form", ["{0}", "{0}\n\n{1}\n", "[{0}, {1}]", '{{"id": "x", "error": {{}}}}\n{0}'])
def test_a_file_may_have_one_report_or_one_a_line_or_a_list_of_them(tmp_path, form):
    texts = [json.dumps(report(SILENCE, RAISES).as_json()), json.dumps(report(SILENCE).as_json() | {"id": "other"})]
    (tmp_path / "a.json").write_text(form.format(*texts))
    found = read_reports(str(tmp_path / "a.json"))
    assert [one.env for one in found] == ["sums-v1", "other"][: 1 + ("{1}" in form)]
    assert [finding.check for finding in found[0].findings] == ["G503", "S201"]


GOOD = report(SILENCE).as_json()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (b"", "there is no report in it"),
        (b"hotel-v1: sound", "it is not JSON"),
        (b"{}\n[", "Expecting value"),
        (b"3", "it is not an object"),
        (b'{"id": "x", "error": {}}', "there is no report in it"),
        (b'{"id": "x", "verdict": 3}', "it has no verdict"),
        (json.dumps(GOOD | {"checks": []}).encode(), "it has no checks"),
        (json.dumps(GOOD | {"distribution": 3}).encode(), "its distribution is no text"),
        (json.dumps(GOOD | {"findings": [1]}).encode(), "a finding is not an object"),
        (json.dumps(GOOD | {"findings": [{"severity": []}]}).encode(), "a finding has no id"),
        (b"[" * 100_000, "it is nested too deeply"),
        (b'"\xff"', "codec can't decode"),
        (b"9" * 5_000, "4300 digits"),
    ],
)
def test_a_file_that_is_no_report_is_refused_with_the_reason(tmp_path, text, why):
    (tmp_path / "a.json").write_bytes(text)
    with pytest.raises(UsageError, match=r"is no report of `grpo-env test`.*") as refused:
        read_reports(str(tmp_path / "a.json"))
    assert why in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_folder_and_a_file_that_is_missing_are_refused(tmp_path):
    for path in (tmp_path, tmp_path / "no.json"):
        with pytest.raises(UsageError, match=r"cannot be read: .*--json > FILE"):
            read_reports(str(path))


SPEC = EnvSpec("sums-v1", "sums:Sums")


def test_last_is_the_last_complete_test_with_this_config(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert earlier_reports("last", [SPEC]) == [None]
    remember(SPEC, report(SILENCE))
    (found,) = earlier_reports("last", [SPEC])
    assert [finding.message for finding in found.findings] == [SILENCE.message]
    assert last_report(SPEC.with_config({"longest": 3})) is None
    (path,) = (tmp_path / "grpo-env/reports").iterdir()
    path.write_text("{")
    assert last_report(SPEC) is None


def test_an_environment_on_which_a_file_has_no_report_is_new_and_noted(tmp_path):
    path = tmp_path / "a.json"
    path.write_text(json.dumps(GOOD))
    cubes = replace(SPEC, id="cubes-v1")
    for specs in ([cubes], [cubes, SPEC]):
        with pytest.warns(GrpoEnvWarning, match=r"no report on 'cubes-v1', .*is new. It is about sums"):
            first, *others = earlier_reports(str(path), specs)
        assert first is None
        assert all(other is not None for other in others)


def of_package(distribution, *found, **fields):
    return report(*found, distribution=distribution, **fields)


OURS = replace(SPEC, distribution="sums-envs")


def in_file(tmp_path, *reports):
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(json.dumps(one) for one in reports))
    return str(path)


def test_a_report_on_another_package_with_the_id_is_not_compared(tmp_path):
    ours, theirs = of_package("sums-envs", SILENCE).as_json(), of_package("other-sums", RAISES).as_json()
    specs = [OURS, replace(SPEC, distribution="Other_Sums")]  # the same name, for pip
    for order in ((ours, theirs), (theirs, ours)):
        found = earlier_reports(in_file(tmp_path, *order), specs)
        assert [[one.check for one in earlier.findings] for earlier in found] == [["G503"], ["S201"]]
    with pytest.warns(GrpoEnvWarning, match=r"no report on 'sums-envs:sums-v1', .* It is about other-sums:sums-v1"):
        assert earlier_reports(in_file(tmp_path, theirs), [OURS]) == [None]


def test_a_report_that_names_no_package_is_one_on_its_id_unless_another_names_it(tmp_path):
    old = {key: value for key, value in report(SILENCE).as_json().items() if key not in ("distribution", "version")}
    ours = of_package("sums-envs", RAISES).as_json()
    (found,) = earlier_reports(in_file(tmp_path, old), [OURS])
    assert [one.check for one in found.findings] == ["G503"]
    (found,) = earlier_reports(in_file(tmp_path, ours, old), [OURS])
    assert [one.check for one in found.findings] == ["S201"]


def test_a_comparison_says_what_else_is_not_as_it_was():
    before = report(version="1.0", seed=3, config={"a": 1, "b": 2})
    now = since(before, report(version="1.1", effort="quick", config={"b": 2, "a": 1}))
    assert [line for line in change_lines(now, "") if line.startswith("differs")] == [
        "differs: the version was 1.0 and is 1.1",
        "differs: the effort was default and is quick",
        "differs: the seed was 3 and is 0",
    ]
    assert since(report(), report()).changes.differs == []
    (line,) = since(replace(report(), version="1\n2: sound"), report(version="1")).changes.differs
    assert line == 'the version was "1\\n2: sound" and is 1'
