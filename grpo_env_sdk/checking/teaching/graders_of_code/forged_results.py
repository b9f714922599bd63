"""Whether a model that writes what tools would have replied is paid for calls that it never made."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.omissions import ALL_TOOLS, omissions
from grpo_env_sdk.checking.evidence.golds import Gold, gold_episodes, golds, play_answers, won_of
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of
from grpo_env_sdk.checking.evidence.prompts.tool_names import CHANGES, only_looks
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import as_good_on_most, paid, some_golds
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.graders_of_code.forged_replies import forged_replies
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode

FEWEST_CHARS, _OFTEN = 2, 0.8
_WORD = regex(r"\w+")
_ACTS = regex(rf"(?:{CHANGES.pattern})|(?:build|compile|install|launch)(?:_|$)")
"""How the names of tools begin whose results say that something was done."""


@check("G565", kinds=("tools", "multi-turn"), needs=("acts",))
def results_that_are_written_are_not_gold(subject: Subject) -> Iterator[Finding]:
    """The results of gold's calls, written by the model without any call, score less, where the calls do something."""
    if subject.traits.kind == "multi-turn" or subject.traits.runs_tools == "none":
        yield from forged_replies(subject)
        return
    if subject.stand_ins is not None and (claims := _claims(subject)):
        played = list(gold_episodes(subject).values())
        if as_good_on_most(subject, claims, len(played)):
            yield paid(
                subject, claims, len(played),
                "A message without any call, with words that are the same on every row or in the prompt,",
                "Score what was done, not what the message says: read the state that the tools change.",
            )  # fmt: skip
            return
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


def _claims(subject: Subject) -> list[Episode]:
    """The episodes found that call nothing and say nothing that had to be found out, where tools do something.

    What differs from row to row stands beside the same word of each prompt, so that it is no choice either.
    """
    if not any(_ACTS.match(name_of(tool)) for tool in subject.tools):
        return []
    texts = {row: gold.text for row, gold in golds(subject).items() if not gold.calls}
    words = {row: _WORD.findall(text.casefold()) for row, text in texts.items()}
    usual = _on_most(words.values())
    beside = {row: _beside(prompt_text(subject, row), set(said) - usual) for row, said in words.items()}
    most = _on_most(found for found in beside.values() if found)
    told = [row for row, found in beside.items() if found is not None and (not found or found & most)]
    return [gold_episodes(subject)[row] for row in told]


def _on_most(rows: Iterable[Iterable[str]]) -> set[str]:
    """The words that most rows have."""
    sets = [set(row) for row in rows]
    times = Counter(word for row in sets for word in row)
    return {word for word, count in times.items() if len(sets) > 1 and count >= _OFTEN * len(sets)}


def _beside(prompt: str, said: set[str]) -> set[str] | None:
    """The words before which a prompt has the one word that is said; None where it lacks it, or more are said."""
    if len(said) > 1:
        return None
    words = _WORD.findall(prompt.casefold())
    before = {first for first, second in pairwise(words) if second in said}
    return before if before or not said else None


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
