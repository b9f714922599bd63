"""A badge for READMEs: an SVG file that needs no server, and is the same for the same verdict."""

from collections.abc import Sequence
from html import escape

from grpo_env_sdk.checking.findings.outcomes import Outcome, how_far
from grpo_env_sdk.checking.findings.report import Report, Verdict
from grpo_env_sdk.plain_text import counted

_ORDER: tuple[Verdict, ...] = ("untestable", "findings", "unproven", "sound")
_COLOURS = {"sound": "#2e7d32", "unproven": "#a15c00", "findings": "#c62828", "untestable": "#616161"}
_CHARACTER, _PADDING = 6.6, 8
_SVG = """\
<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="20" role="img" aria-label="{label}: {verdict}">
  <title>{label}: {verdict}</title>
  <clipPath id="r"><rect width="{width}" height="20" rx="3"/></clipPath>
  <g clip-path="url(#r)">
    <rect width="{left}" height="20" fill="#444"/>
    <rect x="{left}" width="{right}" height="20" fill="{colour}"/>
  </g>
  <g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle">
    <text x="{at_left}" y="14" textLength="{long_left}">{label}</text>
    <text x="{at_right}" y="14" textLength="{long_right}">{verdict}</text>
  </g>
</svg>
"""


def badge_svg(outcomes: Sequence[Outcome], untested: Sequence[str] = ()) -> str:
    """The badge of one environment, or of several with the worst verdict, or how many were tested if not all were."""
    verdicts: list[Verdict] = [one.verdict for one in outcomes]
    worst: Verdict = "untestable" if untested else min(verdicts, key=_ORDER.index)
    number = len(outcomes) + len(untested)
    label = outcomes[0].name if number == 1 else counted(number, "environment")
    reports = [one for one in outcomes if isinstance(one, Report)]
    return _svg(label, how_far(outcomes, untested) or _words(worst, verdicts, reports), _COLOURS[worst])


def _words(worst: Verdict, verdicts: Sequence[Verdict], reports: Sequence[Report]) -> str:
    if worst == "findings":
        return counted(sum(report.count("error") for report in reports), "error")
    if worst == "sound":
        checks = len({id for report in reports for id in report.open})
        warnings = sum(report.count("warning") for report in reports)
        waived = sum(len(report.waived) for report in reports)
        parts = [counted(warnings, "warning")] if warnings else []
        parts += [f"{waived} waived"] if waived else []
        parts += [f"{counted(checks, 'check')} undecided"] if checks else []
        return ", ".join(["sound", *parts])
    return worst if len(verdicts) == 1 else f"{verdicts.count(worst)} {worst}"


def _svg(label: str, verdict: str, colour: str) -> str:
    long_left, long_right = (round(_CHARACTER * len(text)) for text in (label, verdict))
    left, right = long_left + 2 * _PADDING, long_right + 2 * _PADDING
    return _SVG.format(
        label=escape(label), verdict=verdict, colour=colour, width=left + right, left=left, right=right,
        at_left=left / 2, at_right=left + right / 2, long_left=long_left, long_right=long_right,
    )  # fmt: skip
