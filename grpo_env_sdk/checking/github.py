"""A report as workflow commands, which GitHub shows beside the code."""

import re
from collections.abc import Iterator

from grpo_env_sdk.checking.report import Report

_LEVELS = {"error": "error", "warning": "warning", "info": "notice"}
_PLACE = re.compile(r"\(([^\s()]+\.py):(\d+)\)")


def github_lines(report: Report) -> Iterator[str]:
    """One `::error file=...,line=...::` a finding, at the line that it names."""
    for finding in report.findings:
        place = _PLACE.search(f"{finding.message} {finding.cause}")
        where = f"file={_property(place[1])},line={place[2]}," if place else ""
        title = f"title={_property(f'{finding.check} {report.env}')}"
        told = f"{finding.message} {finding.hint}".strip()
        yield f"::{_LEVELS[finding.severity or 'error']} {where}{title}::{_data(told)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
