"""Whether a model that writes what tools would have replied is paid for calls that it never made."""

import re
from collections.abc import Iterator, Sequence

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.acts import as_good_on_most, paid, some_golds, won_of
from grpo_env_sdk.checking.evidence.golds import Gold, gold_episodes, play_answers
from grpo_env_sdk.checking.evidence.omissions import ALL_TOOLS, omissions
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_names import CHANGES, only_looks
from grpo_env_sdk.checking.evidence.tool_parameters import name_of
from grpo_env_sdk.checking.findings.finding import Finding

FEWEST_CHARS = 2
_ACTS = re.compile(rf"(?:{CHANGES.pattern})|(?:build|compile|install|launch)(?:_|$)")
"""How the names of tools begin whose results say that something was done."""


@check("G565", kinds=("tools",), needs=("calls", "gold"))
def results_that_are_written_are_not_gold(subject: Subject) -> Iterator[Finding]:
    """The results of gold's calls, written by the model without any call, score less, where the calls do something."""
    known = [gold for gold in some_golds(subject) if gold.calls and len(_results(subject, gold)) >= FEWEST_CHARS]
    own = [gold for gold in known if _ACTS.match(gold.calls[-1][0])]
    others = [] if own else [gold for gold in known if not _looks(subject, gold)]
    silent = omissions(subject).get(ALL_TOOLS, []) if own or others else []
    if sum(item.paid for item in silent) * 3 > len(silent):
        return  # the words of gold alone are enough, which G512 reports
    tried = [(gold, _results(subject, gold)) for gold in own] or list(_of_others(subject, others))
    played = play_answers(subject, [(gold.row, f"{results}\n{gold.text}") for gold, results in tried])
    won = won_of(subject, played)
    if as_good_on_most(subject, won, len(played)):
        whose = "gold's calls" if own else "the calls of another row"
        yield paid(
            subject, won, len(played), f"A message with the results that {whose} have, and no call,",
            "Read results from `tool_calls` or from messages of the role tool, and score what was done.",
        )  # fmt: skip


def _results(subject: Subject, gold: Gold) -> str:
    return "\n".join(str(call["content"]) for call in gold_episodes(subject)[gold.row].tool_calls)


def _looks(subject: Subject, gold: Gold) -> bool:
    """Whether gold's last call only looks something up, so that whoever knows it need not call."""
    return any(name_of(tool) == gold.calls[-1][0] and only_looks(tool) for tool in subject.tools_of(gold.row))


def _of_others(subject: Subject, known: Sequence[Gold]) -> Iterator[tuple[Gold, str]]:
    """Each gold with the results of another row, which tell nothing about its own."""
    for gold in known:
        own = _results(subject, gold)
        results = (_results(subject, other) for other in known if other.calls != gold.calls)
        if other := next((one for one in results if one != own), ""):
            yield gold, other
