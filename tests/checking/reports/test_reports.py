"""Findings, reports, waivers, and the forms that a report takes."""

import json
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path

import pytest

from grpo_env_sdk.checking.check import all_checks, check, selected
from grpo_env_sdk.checking.findings.finding import Finding, Plot, Table, Undecided, evidence, from_wire, to_wire
from grpo_env_sdk.checking.findings.folding import FOLLOWS, folded
from grpo_env_sdk.checking.findings.report import Report
from grpo_env_sdk.checking.reports.badge import badge_svg
from grpo_env_sdk.checking.reports.github import github_lines
from grpo_env_sdk.checking.reports.history import last_tested, remember
from grpo_env_sdk.checking.reports.html import html_page
from grpo_env_sdk.checking.reports.json_report import report_json
from grpo_env_sdk.checking.reports.junit import junit_xml
from grpo_env_sdk.checking.reports.terminal import finding_lines, fix_lines, gap_lines, gap_text, report_lines, rerun
from grpo_env_sdk.checking.reports.waivers import apply_waivers
from grpo_env_sdk.errors import ContractError, UsageError
from grpo_env_sdk.types import EnvSpec

ERROR = Finding("Rows differ (envs/sums.py:7).", "Sort them.", 3, "a\ud800\x00<b>", [1], 2, "error", "C120")
WARNING = Finding("It prints.", "Do not.", severity="warning", check="C130")
NO_GOLD = Undecided("There is no gold answer.", "Add solve(row).", ("G501",))


def report(*items, ran=("C101", "C120", "C130"), **fields):
    made = Report("sums-v1", timings=dict.fromkeys(ran, 0.1), **fields)
    for item in items:
        made.add(item)
    return made


@pytest.mark.parametrize(
    "item",
    [
        ERROR,
        Undecided("why", "help", ("S201",)),
        Table("t", ["a"], [[1]], "n", "S201"),
        Plot("p", {"a": [[0.0, 1.0]]}, "x", "y", {"a": [[0.0, 0.5, 1.5]]}, "", "S201"),
    ],
)
def test_what_a_check_says_survives_the_way_to_another_process(item):
    assert from_wire(json.loads(json.dumps(to_wire(item)))) == item


def test_evidence_of_any_kind_and_size_can_be_told():
    assert evidence("x" * 10_000).endswith("... (10,000 characters)")
    assert evidence({1: {2, 3}, "b": b"x"}) == {"1": ["2", "3"], "b": "b'x'"}
    assert evidence([0] * 5_000).endswith(" characters)")


def test_the_most_important_finding_comes_first():
    assert [finding.check for finding in report(WARNING, ERROR).findings] == ["C120", "C130"]


def test_one_mistake_met_twice_stands_once():
    first = replace(ERROR, cause="KeyError (sums.py:7)")
    made = report(first, replace(first, check="S201"))
    assert made.findings == [first]
    assert made.undecided[0].why == "The finding of C120 prevents this check."


def follows_of(*found):
    """What each finding follows from, by `check severity`."""
    findings = [Finding("x", severity=one.split()[1], check=one.split()[0]) for one in found]
    return [(finding.check, finding.follows) for finding in folded(findings)]


def test_a_finding_that_an_error_of_another_check_explains_is_folded_under_it():
    assert follows_of("G505 error", "S210 error", "G503 error", "G508 warning") == [
        ("S210", ""), ("G503", ""), ("G505", "G503"), ("G508", "G503"),
    ]  # fmt: skip
    assert follows_of("S210 error", "G506 error", "G503 error", "E307 error") == [
        ("E307", ""), ("S210", "E307"), ("G506", "E307"), ("G503", "E307"),
    ]  # fmt: skip


def test_a_warning_explains_nothing_and_another_cause_stands_by_itself():
    assert follows_of("G505 error", "G503 warning") == [("G505", ""), ("G503", "")]
    assert follows_of("K701 error", "G503 error") == [("K701", ""), ("G503", "")]


def test_no_finding_is_folded_under_one_that_is_folded_itself_and_none_is_lost():
    for count in range(1, len(FOLLOWS) + 1):
        errors = [f"{check} error" for check in list(FOLLOWS)[-count:]]
        found = dict(follows_of(*errors))
        assert len(found) == count
        assert all(not cause or not found[cause] for cause in found.values())


def test_every_check_of_the_table_of_causes_exists():
    assert {*FOLLOWS, *(check for others in FOLLOWS.values() for check in others)} <= set(all_checks())


CAUSE = Finding("Silence pays.", "Pay for content.", 0, "", 1.0, 0.4, "error", "G503")
FOLDED = Finding("A list pays.", "Take one.", 7, "a b", 1.0, 0.5, "error", "G505")


def folded_report():
    made = report(CAUSE, FOLDED, ran=("G503", "G505"))
    made.findings = folded(made.findings)
    return made


def test_text_and_notebooks_name_what_follows_in_one_line_under_its_cause():
    made = folded_report()
    lines = list(report_lines(made, "grpo-env test sums-v1"))
    assert "1 error, 1 that follows" in lines[0]
    assert lines[-1] == "    error G505  follows from G503: fix that first. A list pays."
    assert "Take one." not in "\n".join(lines)
    assert "row       7" in "\n".join(report_lines(made, "grpo-env test sums-v1", verbose=True))
    assert "Take one." not in str(made)
    assert list(fix_lines(made)) == ["G503 Pay for content.  [Silence pays.]"]


def test_programs_get_what_follows_with_its_cause():
    made = folded_report()
    assert [one["follows"] for one in made.as_json()["findings"]] == ["", "G503"]
    suite = ElementTree.fromstring(junit_xml([made]))[0]
    assert (suite.get("failures"), suite.get("skipped")) == ("1", "1")
    assert "follows from G503" in suite[1][0].get("message")
    assert [line.partition(" ")[0] for line in github_lines(made)] == ["::error", "::notice"]
    page = html_page([made])
    section = page[page.index("<section>") : page.index("</section>")] + "</section>"
    assert ElementTree.fromstring(section).find("article/details/article").get("id") == "G505"


def test_the_page_of_a_clean_report_says_so():
    assert "No findings." in html_page([report()])


def test_one_gap_of_several_checks_stands_once():
    gaps = report(Undecided("No gold.", "Add it.", ("G501",)), Undecided("No gold.", "Add it.", ("G502",))).undecided
    assert gaps == [Undecided("No gold.", "Add it.", ("G501", "G502"))]


@pytest.mark.parametrize(
    ("items", "blocked", "verdict", "failed", "strict"),
    [
        ((), False, "sound", False, False),
        ((WARNING,), False, "sound", False, True),
        ((ERROR,), False, "findings", True, True),
        ((ERROR,), True, "untestable", True, True),
    ],
)
def test_the_verdict_follows_from_the_findings(items, blocked, verdict, failed, strict):
    made = report(*items, blocked=blocked)
    assert (made.verdict, made.failed(), made.failed(strict=True)) == (verdict, failed, strict)


def test_json_has_the_keys_that_programs_read():
    told = json.loads(json.dumps(report(ERROR, Undecided("why", "", ("G501",))).as_json()))
    assert {"id", "verdict", "findings", "undecided", "waived"} <= set(told)
    assert {"id", "severity", "message", "row", "hint"} <= set(told["findings"][0])
    assert told["findings"][0]["id"] == "C120"


def test_a_waiver_sets_its_finding_aside_with_the_reason():
    made = report(ERROR, WARNING, waive={"C120": "drawn anew on purpose"})
    apply_waivers(made)
    assert [one.as_json() for one in made.waived] == [
        {"id": "C120", "severity": "error", "reason": "drawn anew on purpose", "message": ERROR.message}
    ]
    assert made.findings == [WARNING]


def test_every_form_counts_what_is_waived():
    made = report(ERROR, WARNING, waive={"C120": "drawn anew on purpose"})
    apply_waivers(made)
    assert made.verdict_text == "sound, with 1 warning and 1 waived finding"
    lines = list(report_lines(made, "grpo-env test sums-v1"))
    assert "waived error C120  Rows differ (envs/sums.py:7).  (drawn anew on purpose)" in lines
    assert "sound, 1 warning, 1 waived" in badge_svg([made])
    assert "drawn anew on purpose" in html_page([made])
    case = next(one for one in ElementTree.fromstring(junit_xml([made]))[0] if one.get("name").startswith("C120"))
    assert case.find("system-out").text.startswith("waived (drawn anew on purpose): error: Rows differ")


def test_without_waivers_every_finding_counts_and_none_is_called_unnecessary():
    made = report(ERROR, waive={"C120": "drawn anew on purpose", "C130": "prints"})
    apply_waivers(made, None)
    assert (made.verdict, made.findings, made.waived) == ("findings", [ERROR], [])


@pytest.mark.parametrize(
    ("waive", "told"),
    [
        ({"C120": ""}, "The waiver 'C120' has no reason."),
        ({"C999": "why"}, "The waiver 'C999' names no check or group."),
        (["C120"], "has no reason"),
    ],
)
def test_a_waiver_without_sense_is_an_error_and_waives_nothing(waive, told):
    made = report(ERROR, waive=waive)
    apply_waivers(made)
    assert told in made.findings[1].message
    assert made.findings[0] == ERROR


def test_a_waiver_that_is_no_longer_needed_is_told_where_its_check_has_run():
    made = report(waive={"C120": "why", "S": "another group, which has not run"})
    apply_waivers(made)
    assert [finding.message for finding in made.findings] == [
        "The waiver 'C120' is not needed: there is no such finding."
    ]


def test_lines_for_people_give_evidence_a_fix_and_the_command_to_run_it_again():
    text = "\n".join(report_lines(report(ERROR, WARNING), "grpo-env test sums-v1"))
    assert "error C120  Rows differ (envs/sums.py:7)." in text
    assert "    row       3" in text
    assert "    fix       Sort them." in text
    assert "    again     grpo-env test sums-v1 --select C120" in text
    assert "\x00" not in text


def test_a_gap_says_why_for_which_checks_and_what_would_help():
    gap = Undecided("No gold.", "Add it.", ("G501", "G507"))
    assert list(gap_lines(gap, "grpo-env test sums-v1")) == [
        "undecided  No gold.", "    checks    G501, G507", "    fix       Add it.",
    ]  # fmt: skip


def test_a_gap_of_all_checks_names_some_and_counts_the_rest():
    gap = Undecided("No time.", "", tuple(f"S2{number:02}" for number in range(40)))
    assert list(gap_lines(gap, ""))[1].endswith("S211 and 28 more: -v shows all")


def test_what_may_be_told_by_another_run_comes_with_the_whole_command():
    gap = Undecided("No time.", "Run it alone.", ("K710", "K711"), "--thorough")
    again = "grpo-env test sums-v1 --quick --seed=3"
    whole = "grpo-env test sums-v1 --seed=3 --select K710,K711 --thorough"
    assert list(gap_lines(gap, again))[-1] == f"    again     {whole}"
    assert gap_text(gap, again) == f"No time. Run it alone. {whole}"
    assert rerun(replace(gap, flags="--rows 2"), again) == f"{again} --select K710,K711 --rows 2"


def test_one_check_with_one_gap_twice_is_named_once():
    gap = Undecided("No gold.", "", ("G510",))
    made = report(gap, gap)
    assert made.undecided == [gap]
    assert made.open == ["G510"]


@pytest.mark.parametrize(
    ("items", "told"),
    [
        ((), "sound"),
        ((Undecided("No gold.", "", ("G501",)),), "sound as far as it could be tested"),
        ((ERROR, Undecided("No gold.", "", ("G501",))), "findings"),
        ((WARNING,), "sound, with 1 warning"),
        ((WARNING, Undecided("No gold.", "", ("G501",))), "sound as far as it could be tested, with 1 warning"),
        ((ERROR, WARNING), "findings"),
    ],
)
def test_what_is_sound_with_gaps_or_warnings_is_called_so(items, told):
    made = report(*items)
    assert made.verdict_text == made.as_json()["verdict_text"] == told
    assert next(report_lines(made, "")).startswith(f"sums-v1: {told}  ")


def test_no_reader_overlooks_the_warnings_of_what_is_sound():
    made = report(WARNING)
    assert made.as_json()["counts"] == {"error": 0, "warning": 1, "info": 0}
    assert "\x1b[33msound, with 1 warning" in next(report_lines(made, "", colour=True))
    assert 'name="verdict: sound, with 1 warning"><skipped message="' in junit_xml([made])
    assert "sound, 1 warning" in badge_svg([made])
    assert "verdict:" not in junit_xml([report()])


@pytest.mark.parametrize(("checked", "told"), [(0, "200 rows"), (70, "tried 70 of 200 rows"), (200, "200 rows")])
def test_the_first_line_counts_the_rows_that_were_tried(checked, told):
    made = report(facts={"rows": 200, "checked_rows": checked, "gold": None})
    assert next(report_lines(made, "")).endswith(f" s, {told}")


def test_a_clean_report_is_one_line():
    assert len(list(report_lines(report(), "grpo-env test sums-v1"))) == 1


def test_every_finding_is_shown_when_asked_for():
    many = [replace(WARNING, message=f"It prints {i}.") for i in range(9)]
    assert "5 more warnings: -v shows all." in "\n".join(report_lines(report(*many), ""))
    assert "more warnings" not in "\n".join(report_lines(report(*many), "", verbose=True))


def test_fix_hints_are_one_line_a_finding():
    assert list(fix_lines(report(ERROR))) == ["C120 Sort them.  [Rows differ (envs/sums.py:7).]"]


def test_junit_has_a_case_for_every_check():
    made = report(ERROR, WARNING, Undecided("No gold.", "", ("G501",)) if "G501" in all_checks() else WARNING)
    suite = ElementTree.fromstring(junit_xml([made]).encode("utf-8"))[0]
    assert suite.get("failures") == "1"
    assert len(suite) == int(suite.get("tests"))
    assert ElementTree.fromstring(junit_xml([made], strict=True).encode("utf-8"))[0].get("failures") == "2"


def test_github_is_told_the_file_and_the_line():
    assert list(github_lines(report(ERROR))) == [
        "::error file=envs/sums.py,line=7,title=C120 sums-v1::Rows differ (envs/sums.py:7).%0Afix: Sort them."
    ]


def test_json_has_the_place_of_a_finding_and_the_commands_that_run_checks_again():
    gap = Undecided("It had no time.", "Give it more time.", ("S201",), "--timeout 600")
    told = report_json(report(ERROR, WARNING, gap, NO_GOLD), "", "grpo-env test sums-v1 --quick")
    again = "grpo-env test sums-v1 --quick --select"
    assert [(one["file"], one["line"]) for one in told["findings"]] == [("envs/sums.py", 7), (None, None)]
    assert [one["again"] for one in told["findings"]] == [f"{again} C120", f"{again} C130"]
    assert [one["again"] for one in told["undecided"]] == ["grpo-env test sums-v1 --select S201 --timeout 600", None]


def test_github_is_told_where_a_file_of_the_package_is(workplace, monkeypatch):
    monkeypatch.syspath_prepend(workplace.folder)
    workplace.write("shop/__init__.py", "")
    workplace.write("shop/inner/env.py", "")
    named = report(replace(ERROR, message="KeyError (env.py:7)."), replace(WARNING, message="It prints (other.py:3)."))
    told = list(github_lines(named, "shop.inner.env:Env"))
    assert told[0].startswith("::error file=shop/inner/env.py,line=7,")
    assert told[1].startswith("::warning title=C130")  # it is not in the repository


def test_github_is_told_the_file_of_the_repository_for_an_installed_copy_of_it_or_none(workplace):
    workplace.write("src/shop/env.py", "")
    copies = [replace(ERROR, message=f"KeyError (/venv/site/shop/{name}.py:7).") for name in ("env", "gone")]
    here, gone = github_lines(report(*copies), "shop.env:Env")
    assert here.startswith("::error file=src/shop/env.py,line=7,")
    assert gone.startswith("::error title=C120 sums-v1::KeyError (/venv/site/shop/gone.py:7).")


@pytest.mark.parametrize(("file", "entry_point"), [
    ("shop.py", "shop:Env"), ("shop/__init__.py", "shop:Env"), ("shop/inner/env.py", "shop.inner.env:Env"),
    ("shop/inner/__init__.py", "shop.inner:Env"),
])  # fmt: skip
def test_github_is_told_where_the_class_is_by_what_names_no_place(file, entry_point, workplace, monkeypatch):
    monkeypatch.syspath_prepend(workplace.folder)
    workplace.write(file, "import os\n\n\nclass Environment: ...\n\n\nclass Env:\n    pass\n")
    (told,) = github_lines(report(WARNING), entry_point)
    assert told.startswith(f"::warning file={file},line=7,title=C130")
    (told,) = github_lines(report(WARNING), entry_point.replace(":Env", ":Other"))
    assert told.startswith("::warning title=C130")


@pytest.mark.parametrize("inner", [".", "envs/shop"], ids=["at the root", "below it"])
def test_github_is_told_where_in_the_repository_a_class_is_that_its_package_only_imports(inner, workplace, monkeypatch):
    workplace.write(".git/HEAD", "")
    workplace.write(f"{inner}/shop/__init__.py", "from shop.env import Env\n")
    workplace.write(f"{inner}/shop/env.py", "class Env:\n    pass\n")
    monkeypatch.chdir(workplace.folder / inner)
    with_line = replace(ERROR, message="KeyError (shop/env.py:2).")
    at_line, at_class = github_lines(report(with_line, WARNING), "shop:Env")
    place = Path(inner, "shop/env.py")
    assert at_class.startswith(f"::warning file={place},line=1,")
    assert at_line.startswith(f"::error file={place},line=2,")


def test_github_is_told_of_a_package_beside_which_a_folder_has_its_name(workplace, monkeypatch):
    workplace.write("shop/pyproject.toml", "")
    workplace.write("shop/shop/__init__.py", "class Env:\n    pass\n")
    monkeypatch.syspath_prepend(workplace.folder / "shop")  # as an editable install does
    (told,) = github_lines(report(WARNING), "shop:Env")
    assert told.startswith("::warning file=shop/shop/__init__.py,line=1,")


def test_github_is_told_no_place_of_a_package_that_is_installed_below_the_working_folder(workplace, monkeypatch):
    workplace.write(".venv/lib/site-packages/shop.py", "class Env:\n    pass\n")
    monkeypatch.syspath_prepend(workplace.folder / ".venv/lib/site-packages")
    (told,) = github_lines(report(WARNING), "shop:Env")
    assert told.startswith("::warning title=C130")


@pytest.mark.parametrize("entry_point", ["", "nowhere_at_all:Env", "json.decoder:JSONDecoder", "sys:Env", "a.b.c:Env"])
def test_github_is_told_no_place_outside_the_working_folder(entry_point, workplace):
    (told,) = github_lines(report(WARNING), entry_point)
    assert told.startswith("::warning title=C130")


def test_the_page_escapes_what_answers_hold_and_loads_nothing():
    plot = Plot("Spread", {"a": [(0, 0), (1, 2)]}, bands={"a": [(0, 0, 1), (1, 1, 2)]})
    page = html_page([report(ERROR, Table("Near misses", ["answer"], [["<i>"]]), plot)])
    page.encode("utf-8")
    assert "&lt;b&gt;" in page
    assert "<b>" not in page
    assert "&lt;i&gt;" in page
    assert "<polyline" in page
    assert "http" not in page.replace("http-equiv", "")


def test_when_it_was_last_tested_is_remembered(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    spec = EnvSpec("sums-v1", "sums:Sums", source_hash="1")
    assert last_tested(spec) is None
    remember(spec, report(facts={"source_hash": "1", "dataset_fingerprint": "2"}))
    assert str(last_tested(spec)) == "last tested just now: sound"
    changed = last_tested(replace(spec, source_hash="3"))
    assert str(changed) == "last tested just now: sound, before your last change"
    assert last_tested(spec, dataset_fingerprint="9").changed
    assert last_tested(spec.with_config({"longest": 3})) is None


def test_a_cache_that_is_no_json_is_no_reason_to_fail(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    (tmp_path / "grpo-env").mkdir()
    (tmp_path / "grpo-env" / "tested.json").write_text("[1")
    assert last_tested(EnvSpec("sums-v1", "sums:Sums")) is None


def test_checks_are_chosen_by_id_beginning_and_group():
    ids = [item.id for item in selected(["C10", "C101", "C120"], ["C102"])]
    assert ids == ["C101", "C103", "C104", "C105", "C120"]
    assert {item.group for item in selected(["contract"])} == {"contract"}
    with pytest.raises(UsageError, match=r"No check or group named 'contrct'. Did you mean 'contract'"):
        selected(["contrct"])


def test_every_check_has_a_title_that_is_a_sentence():
    for item in all_checks().values():
        assert item.title.endswith("."), item.id
        assert len(item.title) <= 110, item.id


def test_an_id_that_is_none_is_refused():
    with pytest.raises(ContractError, match="'X1' is not a valid check id"):
        check("X1")


@pytest.mark.parametrize(
    ("field", "value"),
    [("effort", "fast"), ("kinds", ("single",)), ("kinds", "single-turn"), ("needs", ("row",)), ("severity", "fatal"),
     ("seconds", "3"), ("seconds", float("nan")), ("share", -1), ("share", 0), ("plays", 0.5), ("ready", "now")],
)  # fmt: skip
def test_a_check_with_an_argument_that_nothing_takes_is_refused_where_it_is_written(field, value):
    with pytest.raises(ContractError, match=f"The check S901 has {field}="):
        check("S901", **{field: value})(lambda subject: [])


def test_two_long_values_are_shown_from_their_first_difference():
    row = {"role": "tool", "content": "x" * 200}
    lines = list(finding_lines(Finding("It differs.", output={**row, "copies": 0}, expected={**row, "copies": 2})))
    assert [line.split("...xxx")[1].lstrip("x") for line in lines[1:]] == ['", "copies": 0}', '", "copies": 2}']
    near = list(finding_lines(Finding("It differs.", output="a" + "x" * 200, expected="b" + "x" * 200)))
    assert [line.split()[1][:4] for line in near[1:]] == ["axxx", "bxxx"]
    assert "output    [1]" in "".join(finding_lines(Finding("It differs.", output=[1], expected=2)))


def test_groups_that_were_not_selected_are_not_in_the_first_line():
    facts = {"rows": 20, "checked_rows": 20, "episode_seconds": 0.5, "gold": "solve"}
    some = report(facts=facts, rows_of_groups={"score": 0, "teaching": 7})
    assert "teaching on 7, as an episode takes 0.5 s" in next(report_lines(some, ""))
    none = report(facts=facts, rows_of_groups={"score": 0, "teaching": 0})
    assert "as an episode takes" not in next(report_lines(none, ""))


def test_a_selection_without_any_check_is_refused():
    with pytest.raises(UsageError, match="leave no check"):
        selected(["C101"], ["C"])
