"""Whether gold without some of its calls scores less."""

from collections.abc import Iterator, Sequence
from statistics import fmean

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.omissions import ALL_TOOLS, Omission, omissions
from grpo_env_sdk.checking.evidence.golds import reward_of
from grpo_env_sdk.checking.evidence.playing.failures import failure_of
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.prompts.bare_text import bare
from grpo_env_sdk.checking.evidence.prompts.input_echo import FOR_READERS, without_echo
from grpo_env_sdk.checking.evidence.quoted_answers import quoted, reward_with_parts
from grpo_env_sdk.checking.evidence.secret_words import SAYS_WRONG, words_of
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.calls import by_tool, calls_made
from grpo_env_sdk.checking.findings.finding import Finding, Item, Severity
from grpo_env_sdk.report.exhibits import Table
from grpo_env_sdk.types import canonical_json

FEWEST = 4
"""With fewer rows, nothing is reported about all of them."""


@check("G512", needs=("calls", "gold"), severity="warning", share=2)
def the_work_is_needed(subject: Subject) -> Iterator[Item]:
    """Gold without its calls scores less than gold, if the calls do something."""
    by_tool = omissions(subject)
    for item in (item for items in by_tool.values() for item in items):
        failed = failure_of(item.episode, own_turns(item.episode.completion))
        if failed:
            raise failed
    if not by_tool:
        return
    yield Table(
        "Gold without its calls", ["without the calls of", "as good as gold", "mean reward"],
        [
            [tool or "all tools", f"{sum(item.paid for item in items)} of {len(items)} rows", _mean(items)]
            for tool, items in by_tool.items()
        ],
        "Calls that only look something up may not matter here: gold's next message contains the result.",
    )  # fmt: skip
    yield from _nothing_done(by_tool.get(ALL_TOOLS, []))
    for tool, items in by_tool.items():
        found = list(_tool_has_no_effect(tool, items)) if tool != ALL_TOOLS else []
        yield from found if found and not _replies_differ(subject, tool) else []


def _nothing_done(items: Sequence[Omission]) -> Iterator[Finding]:
    """The last message alone earns as much as gold: on all rows, or on some."""
    paid = [item for item in items if item.paid]
    if len(paid) == len(items) >= FEWEST:
        yield _finding(
            paid[0],
            f"On all {len(items)} rows gold's last message alone scores as much as gold: no call is needed.",
            "This is fine if tools only look things up. If they change something, score the change.",
            "info",
        )
        return
    unpaid = {bare(item.text) for item in items if not item.paid}
    texts = [bare(item.text) for item in paid]
    if len({text for text in texts if texts.count(text) > 1}) > 1:  # one of several: without a look it is a guess
        return
    for item in paid:
        count = texts.count(bare(item.text))
        if count > 1 and item.text and bare(item.text) not in unpaid:
            yield _finding(
                item,
                f"On {count} rows {quoted(item.text)} alone scores as much as gold, which makes calls before it; on "
                f"{len(items) - len(paid)} of {len(items)} rows the calls are needed.",
                "Reward this message only after the necessary calls, or a model learns it instead of the task.",
            )
            return


def _tool_has_no_effect(tool: str, items: Sequence[Omission]) -> Iterator[Finding]:
    """A tool that repeats its arguments, changes no other result, and whose calls do not count."""
    calls = [call for item in items for call in item.gold.tool_calls if call["name"] == tool]
    answers = {without_echo(call["content"], call["arguments"]) for call in calls}
    asked = {canonical_json(call["arguments"]) for call in calls}
    if len(items) < FEWEST or len(answers) > 1 or len(asked) < 2 or any(call["error"] for call in calls):
        return
    if all(item.paid and item.same_results for item in items):
        thinking = all(FOR_READERS.search(f"{tool} {name}") for call in calls for name in call["arguments"])
        yield _finding(
            items[0],
            f"Gold without its calls of {tool} scores as much as gold on all {len(items)} rows, and {tool} answers the "
            "same to all calls, but for their own arguments.",
            f"Score what {tool} changes, not what the model writes about it, so that leaving it out costs something.",
            "info" if thinking else None,
        )


def _replies_differ(subject: Subject, tool: str) -> bool:
    """Whether the tool says other things to other calls, or none were tried: gold may ask where the answer is yes."""
    calls = by_tool(calls_made(subject)).get(tool, [])
    answered = [call for call in calls if call.error is None and not SAYS_WRONG.search(call.content)]
    said = [(call, words_of(call.content) - words_of(canonical_json(call.call))) for call in answered]
    of_gold: set[str] = set().union(*(words for call, words in said if call.by_gold))
    others = [words for call, words in said if not call.by_gold]
    return len(others) < FEWEST or any(not words <= of_gold for words in others)


def _finding(item: Omission, message: str, hint: str, severity: Severity | None = None) -> Finding:
    turns, reward = own_turns(item.episode.completion), item.gold.reward
    return Finding(
        message,
        hint,
        item.gold.row_index,
        turns,
        reward_with_parts(item.episode),
        f"less than {reward:g}",
        severity=severity,
    )


def _mean(items: Sequence[Omission]) -> str:
    return f"{fmean(reward_of(item.episode) for item in items):.3g}"
