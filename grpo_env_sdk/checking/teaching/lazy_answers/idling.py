"""Whether doing nothing, refusing or acting at random scores as much as gold."""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.rows_left import is_offered, rows_left
from grpo_env_sdk.checking.evidence.golds import (
    Gold,
    as_good_as_gold,
    best_possible,
    episodes_seen,
    gold_name,
    golds,
    less_than_gold,
    play_answers,
    rows_tried,
    says_gold,
    won_of,
)
from grpo_env_sdk.checking.evidence.prompts.bare_text import bare
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Completion, Subject
from grpo_env_sdk.checking.findings.finding import Finding, Item
from grpo_env_sdk.checking.teaching.lazy_answers.unearned import (
    WITHOUT_CONTENT,
    paid_act,
    share_of_gold,
    unearned,
    without_won,
)
from grpo_env_sdk.data.messages import answer_text
from grpo_env_sdk.evaluation.stats import Share
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode

EMPTY = {"An empty answer": "", "An answer of one space": " "}
FILLING = {
    "A full stop": ".",
    "'Okay.'": "Okay.",
    "A meaningless text": "lorem ipsum dolor sit amet",
    "A long meaningless text": "lorem ipsum dolor sit amet " * 60,
    "A long meaningless thought": f"<think>\n{'lorem ipsum dolor sit amet ' * 60}\n</think>",
}
REFUSING = {
    "A refusal": "I'm sorry, but I can't help with that.",
    "'I don't know.'": "I don't know.",
    "'unknown'": "unknown",
    "'I give up.'": "I give up.",
}
_REFUSES = regex(r"\b(no|not|none|never|nothing|unable|refus\w*|declin\w*|sorry|unknown|cannot|give up|n/a)\b|n\Wt\b")
"""What an answer says that refuses, or finds no answer."""
_TOLD = regex(
    r"\b(?:unsure|(?:not|n't) (?:sure|know|certain)|unknown|abstain\w*|skip\w*|pass|blank|unanswerable|no answer|"
    r"cannot|can't|give up|honest\w*|points?|partial)\b",
    re.IGNORECASE,
)
"""What a prompt says where giving up may be an answer."""
_NOTHING_TO_DO = regex(
    r"(?:\b(?:use|call|need|take|make|do) (?:no|none of the) (?:tools?|calls?|actions?|changes?)\b|\bdo nothing\b|"
    r"\b(?:do not|don't) (?:do|change|call|use) (?:anything|any (?:tools?|calls?))\b|\bwithout any (?:tool )?calls?\b|"
    r"\bno (?:tool|call|action|change) (?:is|may be|can be) (?:needed|required|right|necessary)\b)"
    r"(?! (?:else|twice|again|more|other|further|until|before|unless|without|that|which|you)\b)"
    r"(?!,?(?: and| but| then)* (?:say|reply|answer|respond|write|tell)\b(?: so\b| that\b|[^.\n]*['\"`]))",
    re.IGNORECASE,
)
"""What a prompt says where doing nothing may be right, and no words are asked for instead."""
_ONLY_ACTS = regex(r"\bonly (?:what (?:you do|is done)|(?:your )?(?:calls|actions|acts)) counts?\b", re.IGNORECASE)
_WORDS = regex(r"\b(?:reply|answer|respond|end|finish) with (?!(?:any|some|whatever|a few|a short)\b)", re.IGNORECASE)
"""What a prompt says where no words count, and where some do."""
ON_MANY = ("An empty answer", "A meaningless text")
FEW_ROWS = {"quick": 10, "default": 30, "thorough": 200}
FEWEST_ROWS = 3
MOSTLY, OFTEN, NOT_RARELY = 0.75, 0.6, 0.1
"""The lower ends of the interval that prove most rows, justify a warning, and prove more than a few rows."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One idle answer: its episodes on rows with another gold answer, and those that it wins."""

    name: str
    answer: Completion
    rows: int
    episodes: list[Episode]
    won: list[Episode]

    @property
    def share(self) -> Share:
        """The share of rows on which it scores as much as gold."""
        return Share(len(self.won), len(self.episodes))

    @property
    def proven(self) -> bool:
        """Whether it scores as much as gold on all rows, or provably on most."""
        on_all = len(self.won) == len(self.episodes) >= min(FEWEST_ROWS, self.rows)
        return bool(self.won) and (on_all or self.share.low >= MOSTLY)


@check("G503", share=4)
def idling_is_not_gold(subject: Subject) -> Iterator[Item]:
    """An empty, meaningless or refusing answer does not score as much as gold."""
    many, few = rows_tried(subject), rows_tried(subject)[: FEW_ROWS[subject.effort]]
    outcomes = [
        outcome(subject, name, text, many if name in ON_MANY else few)
        for name, text in (EMPTY | FILLING | REFUSING).items()
    ]
    winners = [item for item in outcomes if item.proven]
    others = [item for item in winners if item.name not in EMPTY]
    if winners:
        only_refusals = all(item.name in REFUSING for item in winners)
        yield _wins(subject, winners[0], len(others), only_refusals)
        return
    some = [item for item in outcomes if item.won]
    if some:
        yield _wins_sometimes(subject, max(some, key=lambda item: len(item.won)))
    paid = paid_most(subject, outcomes)
    if paid:
        yield paid


@check("G504", kinds=("tools", "multi-turn"), share=1)
def acting_at_random_is_not_gold(subject: Subject) -> Iterator[Item]:
    """Random tool calls and random words do not score as much as gold."""
    rows = rows_tried(subject)[: {"quick": 20, "default": 40, "thorough": 200}[subject.effort]]
    episodes = subject.play_many(rows, "random", samples=2)
    episodes_seen(subject).extend(episodes)
    one_each = [item for item in episodes if item.sample == 0 and item.reward is not None]
    won = won_of(subject, one_each)
    again = [item for item in episodes if item.sample == 1 and as_good_as_gold(subject, item)]
    share = Share(len(won), len(one_each))
    if not won or share.low < OFTEN or not again:
        return
    yield Finding(
        f"Random actions score as much as {gold_name(subject)} on {share}.{paid_act(won[0])}",
        "Reward reaching the goal of the row, not any action.",
        row=won[0].row_index, input=won[0].completion, output=won[0].reward, expected=less_than_gold(subject, won[0]),
        severity="error" if share.low >= MOSTLY else "warning",
    )  # fmt: skip


def outcome(subject: Subject, name: str, answer: Completion, rows: Iterable[int]) -> Outcome:
    """The outcome of one fixed answer on every row with another gold answer on which something can be won."""
    known = golds(subject)
    silent = _right_without_calls(subject) if isinstance(answer, str) else set()
    said = answer_text(answer) if isinstance(answer, str) else answer  # as scorers read it, without thoughts
    nothing = max(0.0, subject.traits.reward_range[0])
    rows = [
        row for row in rows
        if row not in known
        or (best_possible(subject, row) > nothing
        and row not in rows_left(subject)
        and not (row in silent or says_gold(said, known[row]) or _is_offered(subject, answer, known[row])))
    ]  # fmt: skip
    episodes = [item for item in play_answers(subject, [(row, answer) for row in rows]) if item.reward is not None]
    return Outcome(name, answer, len(subject.rows), episodes, won_of(subject, episodes))


def _is_offered(subject: Subject, answer: Completion, gold: Gold) -> bool:
    """Whether the prompt offers an answer that gold ends with, after looking for another one."""
    same = isinstance(answer, str) and bare(gold.text) == bare(answer)
    return same and is_offered(subject, gold.row, gold.text)


def _right_without_calls(subject: Subject) -> set[int]:
    """The rows whose gold writes no call where that of others does: any text may say that no tool fits.

    Where an episode has several turns, the prompt has to say that doing nothing may be right.
    """
    written = {row for row, gold in golds(subject).items() if gold.calls}
    silent = golds(subject).keys() - written if written else set()
    if subject.traits.kind == "single-turn":
        return silent
    return {row for row in silent if _may_be_left(prompt_text(subject, row))}


def _may_be_left(prompt: str) -> bool:
    """Whether a prompt says that only acts count, or that doing nothing may be right, and asks for no words."""
    nothing = _NOTHING_TO_DO.search(prompt) and not _WORDS.search(prompt)
    return bool(nothing or _ONLY_ACTS.search(prompt))


def _wins(subject: Subject, item: Outcome, others: int, only_refusals: bool) -> Finding:
    first = item.won[0]
    also = "" if others < 2 else f" {others - 1} other idle answer{'s do' if others > 2 else ' does'} too."
    return Finding(
        f"{item.name} scores {first.reward:g}, as much as {gold_name(subject)}, on {item.share}."
        f"{also}{paid_act(first)}",
        "If the model should not refuse these rows, give no reward for refusing."
        if only_refusals
        else "Reward only what is right in the answer.",
        row=first.row_index, input=item.answer, output=first.reward, expected=less_than_gold(subject, first),
        severity="warning" if only_refusals and _refusing_may_be_right(subject) else "error",
    )  # fmt: skip


def _refusing_may_be_right(subject: Subject) -> bool:
    """Whether no gold answer is known, or some read like a refusal themselves."""
    known = golds(subject).values()
    return not known or any(_REFUSES.search(gold.text.casefold()) for gold in known)


def paid_most(subject: Subject, outcomes: Sequence[Outcome]) -> Finding | None:
    """The idle answer that earns most of gold on the rows on which it does not win, if it earns much."""
    lost = {item.name: without_won(item.episodes, item.won) for item in outcomes}
    earned = {name: share_of_gold(subject, episodes)[0].mean or 0.0 for name, episodes in lost.items()}
    tried = [item for item in outcomes if len(lost[item.name]) >= min(FEWEST_ROWS, item.rows)]  # as time allowed
    if not tried:
        return None
    best = max(tried, key=lambda item: round(earned[item.name], 6))
    much, most = WITHOUT_CONTENT
    allowed = best.name in REFUSING and _refusing_may_be_right(subject)
    undeclared = not allowed and best.name in REFUSING and _only_refusing_pays(subject, earned)
    bounds = (much, math.inf if allowed else much if undeclared else most)
    return unearned(subject, best.name, best.answer, lost[best.name], bounds)


def _only_refusing_pays(subject: Subject, earned: Mapping[str, float]) -> bool:
    """Whether other idle answers earn next to nothing, and no prompt says that giving up is an answer."""
    others = max((earned[name] for name in earned if name not in REFUSING), default=1.0)
    return others <= NOT_RARELY and not any(_TOLD.search(prompt_text(subject, row)) for row in golds(subject))


def _wins_sometimes(subject: Subject, item: Outcome) -> Finding:
    first = item.won[0]
    calls = not golds(subject) and bool(subject.tools_of(first.row_index))  # some rows may need none
    return Finding(
        f"{item.name} scores {first.reward:g}, as much as {gold_name(subject)}, "
        f"in row {first.row_index}, and on {item.share} in all.{paid_act(first)}",
        "Look at that row: is its right answer empty, or does the scorer accept an empty answer?",
        row=first.row_index, input=item.answer, output=first.reward, expected=less_than_gold(subject, first),
        severity="error" if item.share.low >= NOT_RARELY and item.name in EMPTY and not calls else "warning",
    )  # fmt: skip
