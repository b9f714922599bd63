"""Scoring whose time grows exponentially with the length of an answer."""

from collections.abc import Iterator

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.slow_shapes import UNTRIED, explosive
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import MORE_TIME, Finding, Item, Undecided


@check("S205", kinds=("single-turn",), share=1.5)
def scoring_time_does_not_explode(subject: Subject) -> Iterator[Item]:
    """A slightly longer answer does not take many times longer to score."""
    for what, (length, text, before, seconds) in explosive(subject).items():
        yield Finding(
            f"Scoring {length} characters ({what}) takes {seconds:.2g} s, a slightly shorter answer {before:.2g} s: "
            "a longer one hangs the process.",
            "Do not evaluate powers." if "power" in what else "Write the regex without nested repeats, such as (a+)+.",
            subject.chosen[0], text, round(seconds, 3),
        )  # fmt: skip
        return
    if untried := subject.recall(UNTRIED):
        why = f"{len(untried)} shapes of long answers were not tried."
        yield Undecided(why, MORE_TIME, flags="--timeout 600")
