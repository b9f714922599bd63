"""Why a run of all checks proves nothing: gold that never scored, too few rows that were tried, or no time."""

from collections.abc import Iterator

from grpo_env_sdk.checking.check import GROUPS
from grpo_env_sdk.checking.evidence.playing.episode_player import GUARANTEED, LEAST_ROWS
from grpo_env_sdk.checking.findings.finding import MORE_TIME
from grpo_env_sdk.checking.findings.report import Report
from grpo_env_sdk.plain_text import counted

GOLD = "G501"
"""The check of gold: who waives its finding says that gold need not score."""


def why_unproven(report: Report, most_rows: int | None = None) -> tuple[str, ...]:
    """The reasons, one sentence each; none if the checks that decide about the reward could do their work."""
    return (*_gold(report), *_rows(report, most_rows or LEAST_ROWS), *_time(report))


def _gold(report: Report) -> Iterator[str]:
    facts = report.facts
    if any(waived.finding.check == GOLD for waived in report.waived):
        return
    if facts.get("gold") and not facts["gold_scored"]:
        yield f"The gold answer (from {facts['gold']}) never scored."
    elif facts.get("unscored_column"):
        yield f"Nothing scored, not even the text of the column {facts['unscored_column']!r}."


def _rows(report: Report, most: int) -> Iterator[str]:
    needed = min(LEAST_ROWS, most, report.facts.get("rows", LEAST_ROWS))
    for group in GUARANTEED:
        tried = report.rows_of_groups.get(group, 0)
        if tried < needed:
            yield f"The checks of {group} tried {counted(tried, 'row')}, and need {needed}."


def _time(report: Report) -> Iterator[str]:
    """Groups of which most checks had no time."""
    late = {id for gap in report.undecided if gap.would_help.startswith(MORE_TIME) for id in gap.checks}
    for group in GUARANTEED:
        of_group = {id for id in (*report.timings, *late) if id[:1] == GROUPS[group]}
        if 2 * len(late & of_group) > len(of_group):
            yield f"{len(late & of_group)} of {len(of_group)} checks of {group} had no time."
