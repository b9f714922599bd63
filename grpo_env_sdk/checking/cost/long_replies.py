"""Scoring whose time grows with the length of a reply, until it takes seconds."""

from collections.abc import Iterator

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.reply_growth import LONG, slow_reply
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding

LONG_REPLY, FATAL = 20_000, 30.0
"""The characters of a long reply, and the seconds from which its score may be given up."""


@check("K722", kinds=("single-turn",), severity="warning", plays=20)
def long_replies_are_scored_in_time(subject: Subject) -> Iterator[Finding]:
    """A reply of some thousand characters is scored in less than a second of a processor."""
    slow = slow_reply(subject)
    if slow is None:
        return
    yield Finding(
        f"Scoring a reply of {len(slow.text):,} characters takes {slow.seconds:.2g} s of a processor, and without the "
        f"{slow.what} {slow.alone:.2g} s: {LONG_REPLY:,} characters would take {slow.of(LONG_REPLY):.0f} s or more.",
        "Compare a part of the reply whose length is known, or refuse longer ones with a reward of 0: a score that "
        "takes longer than its time limit is no reward at all.",
        slow.row, slow.text, round(slow.seconds, 2), f"under {LONG:g} s",
        severity="error" if slow.of(LONG_REPLY) >= FATAL else "warning",
    )  # fmt: skip
