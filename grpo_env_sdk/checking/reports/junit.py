"""Reports as JUnit XML, which every CI system shows: one test case per check."""

from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

from grpo_env_sdk.checking.check import all_checks
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.findings.folding import advice
from grpo_env_sdk.checking.findings.outcomes import Outcome, Untestable, how_far, why_not_all
from grpo_env_sdk.checking.findings.report import Report
from grpo_env_sdk.checking.reports.terminal import WHAT_PROVES, command_for, gap_text
from grpo_env_sdk.late_patterns import regex

_NO_XML = regex("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit_xml(
    outcomes: Sequence[Outcome], strict: bool = False, allow_unproven: bool = False, untested: Sequence[str] = ()
) -> str:
    """The XML of several reports; warnings are failures if `strict`, and so is what stayed unproven, if not allowed.

    What could not be tested is a suite with an error, and so are those that were not tested.
    """
    suites = [
        _error_suite(one.name, "verdict: untestable", str(one.error))
        if isinstance(one, Untestable)
        else _suite(one, strict, allow_unproven)
        for one in outcomes
    ]
    suites += [_error_suite("all environments", how_far(outcomes, untested), why_not_all(untested))] if untested else []
    text = "\n".join(suites)
    return f'<?xml version="1.0" encoding="utf-8"?>\n<testsuites>\n{text}\n</testsuites>\n'


def _error_suite(name: str, case: str, why: str) -> str:
    """A suite of one case that is an error."""
    return (
        f'<testsuite name={_attribute(f"grpo-env test {name}")} tests="1" failures="0" errors="1" skipped="0" '
        f'time="0.000">\n<testcase classname={_attribute(name)} name={_attribute(case)} time="0.000">'
        f"<error message={_attribute(why)}/></testcase>\n</testsuite>"
    )


def _suite(report: Report, strict: bool, allow_unproven: bool) -> str:
    ids = [*report.timings, *(f.check for f in report.findings), *(id for gap in report.undecided for id in gap.checks)]
    cases = [_case(id, report, strict) for id in dict.fromkeys(ids)]
    if report.verdict == "unproven":
        cases.append(_verdict_case(report, allow_unproven or not report.fails_unproven))
    if report.ok and report.count("warning"):
        cases.append(_warned_case(report))
    failures = sum("<failure" in case for case in cases)
    skipped = sum("<skipped" in case for case in cases)
    body = "\n".join(cases)
    return (
        f'<testsuite name={_attribute(f"grpo-env test {report.name}")} tests="{len(cases)}" failures="{failures}" '
        f'errors="0" skipped="{skipped}" time="{report.seconds:.3f}">\n{body}\n</testsuite>'
    )


def _case(id: str, report: Report, strict: bool) -> str:
    found = [finding for finding in report.findings if finding.check == id]
    failures = [finding for finding in found if report.fails(finding, strict)]
    gap = next((gap for gap in report.undecided if id in gap.checks), None)
    waived = [f"waived ({one.reason}): {_text_of(one.finding)}" for one in report.waived if one.finding.check == id]
    inside = ""
    if failures:
        text = _clean("\n\n".join(_text_of(finding) for finding in failures))
        message = f"{failures[0].message} {failures[0].hint}".strip()
        inside = f"<failure message={_attribute(message)}>{escape(text)}</failure>"
    elif found and found[0].follows:
        inside = f"<skipped message={_attribute(f'{advice(found[0])}. {found[0].message}')}/>"
    elif gap is not None:
        inside = f"<skipped message={_attribute(gap_text(gap, command_for(report.name)))}/>"
    elif found or waived:
        text = _clean("\n".join([*map(_text_of, found), *waived]))
        inside = f"<system-out>{escape(text)}</system-out>"
    name, group = f"{id} {all_checks()[id].title}", all_checks()[id].group
    seconds = report.timings.get(id, 0.0)
    opening = f"<testcase classname={_attribute(f'{report.name}.{group}')} name={_attribute(name)}"
    return f'{opening} time="{seconds:.3f}">{inside}</testcase>'


def _verdict_case(report: Report, allowed: bool) -> str:
    """One more case, for what no single check can say."""
    kind, why = "skipped" if allowed else "failure", _attribute(" ".join([*report.unproven, WHAT_PROVES]))
    return f'<testcase classname={_attribute(report.name)} name="verdict: unproven"><{kind} message={why}/></testcase>'


def _warned_case(report: Report) -> str:
    """One more case, which CI systems show as skipped: each warning is in the output of a case that passes."""
    found = [f"{one.check}: {one.message}" for one in report.causes if one.severity == "warning"]
    name, why = _attribute(f"verdict: {report.verdict_text}"), _attribute(" ".join(found))
    return f"<testcase classname={_attribute(report.name)} name={name}><skipped message={why}/></testcase>"


def _text_of(finding: Finding) -> str:
    data = finding.as_json()
    evidence = [f"{key}: {data[key]!r}" for key in ("row", "input", "output", "expected") if data[key] is not None]
    fix = [f"fix: {finding.hint}"] if finding.hint else []
    return "\n".join([f"{finding.severity}: {finding.message}", *evidence, *fix])


def _attribute(text: str) -> str:
    return quoteattr(_clean(text))


def _clean(text: str) -> str:
    """The text without characters that XML does not allow."""
    return _NO_XML.sub("\ufffd", text)
