"""A report as one self-contained HTML file: findings with evidence, gaps, tables and plots."""

from collections.abc import Iterator, Sequence
from typing import Any

from grpo_env_sdk.checking.check import all_checks
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.findings.folding import advice, grouped
from grpo_env_sdk.checking.findings.outcomes import Outcome, Untestable, how_far, why_not_all
from grpo_env_sdk.checking.findings.report import Report
from grpo_env_sdk.checking.findings.transcript_text import is_transcript, turns_text
from grpo_env_sdk.checking.reports.terminal import command_for, what_helps
from grpo_env_sdk.plain_text import counted
from grpo_env_sdk.report.html import document, exhibit, table, text

_EVIDENCE = ("row", "input", "output", "expected")


def html_page(outcomes: Sequence[Outcome], untested: Sequence[str] = ()) -> str:
    """The page of several environments, which begins with those that were not tested."""
    title = ", ".join([*filter(None, [how_far(outcomes, untested)]), *(one.name for one in outcomes)])
    sections = [_not_all(outcomes, untested)] if untested else []
    sections += [_untestable(one) if isinstance(one, Untestable) else _report(one) for one in outcomes]
    return document(f"grpo-env test: {title}", "\n".join(sections))


def _not_all(outcomes: Sequence[Outcome], untested: Sequence[str]) -> str:
    heading = _heading("Not complete", how_far(outcomes, untested))
    return f"<section>{heading}<p>{text(why_not_all(untested))}</p></section>"


def _untestable(one: Untestable) -> str:
    fix = f'<p class="fix">{text(one.error.hint)}</p>' if one.error.hint else ""
    article = f'<article class="error"><h3>{text(one.error.message)}</h3>{fix}</article>'
    return f"<section>{_heading(one.name, one.verdict)}{article}</section>"


def _heading(name: str, told: str, verdict: str = "untestable") -> str:
    return f'<h1>{text(name)} <span class="verdict {verdict}">{text(told)}</span></h1>'


def _report(report: Report) -> str:
    facts = {key: value for key, value in report.facts.items() if not key.endswith(("hash", "fingerprint"))}
    shown = " · ".join(f"{key.replace('_', ' ')} {text(value)}" for key, value in facts.items() if value is not None)
    parts = [
        _heading(report.name, report.verdict_text, report.verdict),
        f'<p class="facts">{len(report.timings)} checks in {report.seconds:.1f} s{f" · {shown}" if shown else ""}</p>',
        *_findings(report),
        "" if report.findings else '<p class="clean">No findings.</p>',
        *(f"<h2>{text(item.title)}</h2>{exhibit(item)}" for item in report.exhibits),
        _section("Undecided", ("checks", "why", "what would help"), [
            (", ".join(gap.checks), gap.why, what_helps(gap, command_for(report.name))) for gap in report.undecided
        ]),
        _section("Waived", ("check", "severity", "finding", "reason"), [
            (one.finding.check, one.finding.severity, one.finding.message, one.reason) for one in report.waived
        ]),
        _section("Checks", ("check", "requirement", "seconds"), [
            (id, all_checks()[id].title, seconds) for id, seconds in report.timings.items()
        ]),
    ]  # fmt: skip
    return f"<section>{''.join(parts)}</section>"


def _findings(report: Report) -> Iterator[str]:
    """Each cause with its evidence; what follows from it is folded under the last finding of its check."""
    command = command_for(report.name)
    for finding, others in grouped(report.findings):
        folds = "".join(_finding(other, command) for other in others)
        title = f"{counted(len(others), 'finding')} that {'follows' if len(others) == 1 else 'follow'} from this"
        fold = f"<details><summary>{title}: fix {finding.check} first</summary>{folds}</details>" if folds else ""
        yield _finding(finding, command, fold)


def _finding(finding: Finding, command: str, fold: str = "") -> str:
    data = finding.as_json()
    evidence = "".join(
        f"<dt>{name}</dt><dd><pre>{_shown(data[name])}</pre></dd>" for name in _EVIDENCE if data[name] is not None
    )
    fix = advice(finding) if finding.follows else finding.hint
    hint = f'<p class="fix">{text(fix)}</p>' if fix else ""
    again = f"<dt>again</dt><dd><pre>{text(f'{command} --select {finding.check}')}</pre></dd>"
    title = text(all_checks()[finding.check].title)
    return (
        f'<article class="{finding.severity}" id="{finding.check}"><h3><span>{finding.severity} {finding.check}</span> '
        f'{text(finding.message)}</h3><p class="title">{title}</p>{hint}<dl>{evidence}{again}</dl>{fold}</article>'
    )


def _shown(value: Any) -> str:
    return text(turns_text(value) if is_transcript(value) else value)


def _section(title: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    return f"<h2>{title}</h2>{table(columns, rows)}" if rows else ""
