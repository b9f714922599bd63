"""Waivers are checks too: whoever reads the report should see those that are wrong."""

from collections.abc import Iterator

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding


@check("C190", needs=())
def waivers_are_answers(subject: Subject) -> Iterator[Finding]:
    """Each waiver names a check and gives a reason, and is still needed; told where waivers are applied."""
    yield from ()
