"""Whether the work is needed: gold with less of it is not worth as much, where it is more than asking."""

from collections.abc import Iterator, Sequence
from statistics import fmean

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.failures import failure_of
from grpo_env_sdk.checking.evidence.golds import bare, own_turns, quoted, worth
from grpo_env_sdk.checking.evidence.input_echo import FOR_READERS, without_echo
from grpo_env_sdk.checking.evidence.omissions import ALL_TOOLS, Omission, omissions
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding, Item, Severity
from grpo_env_sdk.report.exhibits import Table
from grpo_env_sdk.types import canonical_json

FEWEST = 4
"""On fewer rows nothing is said of all of them."""


@check("G512", kinds=("tools",), needs=("gold",), severity="warning", share=2)
def the_work_is_needed(subject: Subject) -> Iterator[Item]:
    """Gold with its calls left out is not worth as much as gold, where the calls do something."""
    by_tool = omissions(subject)
    for item in (item for made in by_tool.values() for item in made):
        failed = failure_of(item.episode, own_turns(item.episode.completion))
        if failed:
            raise failed
    if not by_tool:
        return
    yield Table(
        "Gold without its calls", ["without the calls of", "as good as gold", "mean reward"],
        [
            [tool or "all tools", f"{sum(item.paid for item in made)} of {len(made)} rows", _mean(made)]
            for tool, made in by_tool.items()
        ],
        "A call that only tells something need not be missed: what it told is in gold's next message.",
    )  # fmt: skip
    yield from _nothing_done(by_tool.get(ALL_TOOLS, []))
    for tool, made in by_tool.items():
        if tool != ALL_TOOLS:
            yield from _nothing_comes_of(tool, made)


def _nothing_done(made: Sequence[Omission]) -> Iterator[Finding]:
    """What is said at the end earns what gold earns although nothing was done: on all rows, or on some."""
    paid = [item for item in made if item.paid]
    if len(paid) == len(made) >= FEWEST:
        yield _finding(
            paid[0],
            f"On all {len(made)} rows gold's last message alone is worth as much as gold: no call is needed.",
            "So be it where tools only tell what is to be answered. Where they do something, score what was done.",
            "info",
        )
        return
    unpaid = {bare(item.text) for item in made if not item.paid}
    texts = [bare(item.text) for item in paid]
    for item in paid:
        count = texts.count(bare(item.text))
        if count > 1 and item.text and bare(item.text) not in unpaid:
            yield _finding(
                item,
                f"On {count} rows {quoted(item.text)} alone is worth as much as gold, which makes calls before it; on "
                f"{len(made) - len(paid)} of {len(made)} rows the calls are needed.",
                "Pay for it only where the work was done (all was searched), or it is learnt in place of the work.",
            )
            return


def _nothing_comes_of(tool: str, made: Sequence[Omission]) -> Iterator[Finding]:
    """A tool whose answer repeats what it was asked, that changes no other answer, and whose calls nothing pays for."""
    calls = [call for item in made for call in item.gold.tool_calls if call["name"] == tool]
    answers = {without_echo(call["content"], call["arguments"]) for call in calls}
    asked = {canonical_json(call["arguments"]) for call in calls}
    if len(made) < FEWEST or len(answers) > 1 or len(asked) < 2 or any(call["error"] for call in calls):
        return
    if all(item.paid and item.answered_alike for item in made):
        thinking = all(FOR_READERS.search(f"{tool} {name}") for call in calls for name in call["arguments"])
        yield _finding(
            made[0],
            f"Nothing comes of {tool}: it answers with what it was asked, and on all {len(made)} rows gold "
            "without it is worth as much as gold.",
            f"Score what {tool} did, and not what is said of it.",
            "info" if thinking else None,
        )


def _finding(item: Omission, message: str, hint: str, severity: Severity | None = None) -> Finding:
    said, reward = own_turns(item.episode.completion), item.gold.reward
    return Finding(
        message, hint, item.gold.row_index, said, worth(item.episode), f"less than {reward:g}", severity=severity
    )


def _mean(made: Sequence[Omission]) -> str:
    return f"{fmean(item.episode.reward or 0.0 for item in made):.3g}"
