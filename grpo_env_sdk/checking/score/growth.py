"""Scoring that may take for ever: its time multiplies with each letter of an answer."""

from collections.abc import Iterator

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.growth import explosive
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding


@check("S205", kinds=("single-turn",), share=1.5)
def scoring_time_does_not_explode(subject: Subject) -> Iterator[Finding]:
    """A few letters more do not make scoring take many times as long."""
    for what, (length, text, before, seconds) in explosive(subject).items():
        yield Finding(
            f"Scoring {length} characters ({what}) takes {seconds:.2g} s, and {before:.2g} s a step shorter: "
            "a few more hold the process for ever.",
            "Evaluate no powers." if "power" in what else "Write the pattern without a repeat inside a repeat.",
            subject.chosen[0], text, round(seconds, 3),
        )  # fmt: skip
