"""Whether a model that writes what tools would have replied is paid for calls that it never made."""

from collections.abc import Iterator

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.acts import as_good_on_most, paid, some_golds, won_of
from grpo_env_sdk.checking.evidence.golds import Gold, gold_episodes, play_answers
from grpo_env_sdk.checking.evidence.omissions import ALL_TOOLS, omissions
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_names import CHANGES
from grpo_env_sdk.checking.findings.finding import Finding

FEWEST_CHARS = 2


@check("G565", kinds=("tools",), needs=("calls", "gold"))
def results_that_are_written_are_not_gold(subject: Subject) -> Iterator[Finding]:
    """The results of gold's calls, written by the model without any call, score less, where the calls do something."""
    known = [gold for gold in some_golds(subject) if gold.calls and CHANGES.match(gold.calls[-1][0])]
    known = [gold for gold in known if len(_results(subject, gold)) >= FEWEST_CHARS]
    silent = omissions(subject).get(ALL_TOOLS, []) if known else []
    if sum(item.paid for item in silent) * 3 > len(silent):
        return  # the words of gold alone are enough, which G512 reports
    played = play_answers(subject, [(gold.row, f"{_results(subject, gold)}\n{gold.text}") for gold in known])
    won = won_of(subject, played)
    if as_good_on_most(subject, won, len(played)):
        yield paid(
            subject, won, len(played), "A message with the results that gold's calls have, and no call,",
            "Read results from `tool_calls` or from messages of the role tool, and score what was done.",
        )  # fmt: skip


def _results(subject: Subject, gold: Gold) -> str:
    return "\n".join(str(call["content"]) for call in gold_episodes(subject)[gold.row].tool_calls)
