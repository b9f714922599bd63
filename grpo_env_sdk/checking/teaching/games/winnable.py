"""Whether every row can be won, where the acts of a game are few and known."""

import re
from collections.abc import Iterator, Sequence

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import BEST_POSSIBLE, NEARLY, gold_episodes, reward_of, was_scored
from grpo_env_sdk.checking.evidence.playing.state_key import UNKNOWN
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text, texts_of
from grpo_env_sdk.checking.evidence.stand_ins.call_acts import listed_calls
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import said_or_called
from grpo_env_sdk.checking.findings.finding import Finding, Severity
from grpo_env_sdk.checking.findings.transcript_text import turns_text
from grpo_env_sdk.checking.searching.alphabet import END, Alphabet
from grpo_env_sdk.checking.searching.position import Act
from grpo_env_sdk.checking.searching.rows import Search, confirmed, confirmed_win, search_rows, searchable
from grpo_env_sdk.checking.searching.search import Searched
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Message

MOST_ROWS = {"quick": 20, "default": 60, "thorough": 500}
_CHANCE = regex(r"\b(?:dic?e|rolls?|luck\w*|chance|random\w*|cards?|deal|coins?)\b", re.IGNORECASE)
_OPPONENT = regex(
    r"\b(?:opponents?|against (?:me|you)|you (?:lose|lost)|i (?:win|won|take|play)|we (?:take|play|move)|in turns?|"
    r"(?:wins|won|loses|lost|draw)(?=[.!]?$)|game over)\b",
    re.IGNORECASE,
)
"""Words of games that cannot always be won, as chance decides, or an opponent."""

_RANGE = regex(r"\d\s*(?:-|\u2013|\.\.+|\u2026|to|and|through|up to)\s*\d")
"""How a prompt says which numbers there are."""
MANY_NUMBERS = 20
_LOOKS, _LISTED = 6, 8
"""How many calls that need no value are made to see whether a row shows other names, and how long a list of acts is."""


@check("G530", kinds=("tools", "multi-turn"))
def every_row_can_be_won(subject: Subject) -> Iterator[Finding]:
    """Where acts are few and known, some sequence of them reaches on every row what it reaches on others."""
    search = _in_question(subject)
    known = search_rows(subject, search) if search.rows and searchable(subject) else None
    if known is None:
        return
    reached = max([one.best.total for one in search.found], default=0.0)
    target = reached if search.target is None else search.target
    if target <= subject.traits.reward_range[0] + NEARLY:
        return
    won = [one for one in search.found if one.best.total >= target - NEARLY]
    if not all(confirmed_win(subject, one, target) for one in won[:2]):
        return  # an act has effects that a copy shares with others
    lost = [one for one in search.found if one.exhausted and one.best.total < _middle(subject, target)]
    if won and search.won:
        yield _gold_loses(subject, search, won)
    if lost and (won or search.won) and all(confirmed(subject, one) for one in lost[:2]):
        yield _unwinnable(subject, search, won, lost, known, target)


def _in_question(subject: Subject) -> Search:
    """Without gold all rows; otherwise those on which gold scores less than on others."""
    usual = [row for row in subject.sample(MOST_ROWS[subject.effort]) if subject.row(row).get(BEST_POSSIBLE) is None]
    played = gold_episodes(subject)
    rewards = {row: reward_of(one) for row, one in played.items() if was_scored(one)}
    best = max(rewards.values(), default=0.0)
    if best <= subject.traits.reward_range[0] + NEARLY:
        return Search(usual if not played else [])
    won = [row for row, reward in rewards.items() if reward >= best - NEARLY]
    acts = {turns_text([turn]): turn for row in won for turn in own_turns(played[row].completion)}
    lost = [row for row in played if row not in won and BEST_POSSIBLE not in subject.row(row)]
    return Search(
        lost[: MOST_ROWS[subject.effort]] if len(won) > 1 else [], won, best, list(map(said_or_called, acts.values()))
    )


def _gold_loses(subject: Subject, search: Search, won: Sequence[Searched]) -> Finding:
    one, played = won[0], gold_episodes(subject)[won[0].row]
    return Finding(
        f"On {len(won)} of {len(search.found)} rows on which gold scores less than {search.target:g}, other acts reach "
        f"it, such as {_shown(one.acts)} in row {one.row}.",
        "Correct solve(row) for these rows: they can be won.",
        one.row, list(one.acts), one.best.total, f"gold with as much, and not {played.reward}", severity="warning",
    )  # fmt: skip


def _unwinnable(
    subject: Subject, search: Search, won: Sequence[Searched], lost: Sequence[Searched], known: Alphabet, target: float
) -> Finding:
    one = min(lost, key=lambda item: item.best.total)
    example = f"; {_shown(won[0].acts)} wins row {won[0].row}" if won else ""
    return Finding(
        f"On {len(lost)} of {len(search.found)} rows searched no sequence of acts scores {target:g}: in row {one.row} "
        f"{_visited(one)} with {_names(known.acts)}, and the best score is {one.best.total:g}{example}.",
        "Draw only rows that can be won, such as by acting backwards from the goal; "
        f"if some cannot, as in games, give each row a column {BEST_POSSIBLE!r}.",
        one.row, list(one.longest[-1].acts), one.best.total, f"a way to {target:g}",
        severity=_certainty(subject, search, won, one, known),
    )  # fmt: skip


def _visited(found: Searched) -> str:
    if found.states == 1:
        return "no act changes the state,"
    return f"all {found.states} states that can be reached were visited, the last after {found.depth} acts,"


def _certainty(subject: Subject, search: Search, won: Sequence[Searched], one: Searched, known: Alphabet) -> Severity:
    """How certain it is that no other act would win the row, and that no opponent or luck decides."""
    some = one.best.total > max(0.0, subject.traits.reward_range[0]) + NEARLY
    texts = [prompt_text(subject, one.row), *_seen(one)]
    if some or known.told or any(_CHANCE.search(_without_lists(text, known)) for text in texts):
        return "info"
    if UNKNOWN in one.best.held.values():
        return "warning"
    if known.is_listed:
        return "error"
    numbers = [act for act in known.acts if isinstance(act, str) and act.isdecimal()]
    if len(numbers) > MANY_NUMBERS and not any(map(_RANGE.search, texts)):
        return "info"  # a larger number may be needed there
    looks = listed_calls(known.tools)[:_LOOKS]
    shown = _words_of(subject, one) | _words_of_looks(subject, one, looks)
    of_winners = [_words_of_looks(subject, other, looks) for other in won]
    if not shown <= _words_of_winners(subject, search, won).union(*of_winners):
        return "info"  # another act may be needed there
    early = 0 < one.first_end <= one.depth  # some act ends it, and not the last one that a limit allows
    return "warning" if early or any(map(_OPPONENT.search, texts)) else "error"


def _without_lists(text: str, known: Alphabet) -> str:
    """A text without the lines that list acts, such as the words of a game, whose meaning says nothing."""
    acts = {act for act in known.acts if isinstance(act, str)}
    lines = [(line, re.findall(r"\w+", line.casefold())) for line in text.splitlines()]
    return "\n".join(line for line, words in lines if len(words) < _LISTED or 2 * len(acts & {*words}) < len(words))


def _seen(found: Searched) -> list[str]:
    """What is shown at some of its positions."""
    return [text for one in (found.best, *found.longest, *found.endings) for text in one.texts]


def _words_of(subject: Subject, found: Searched) -> set[str]:
    """The words that are shown in a row while it goes on."""
    shown = [text for one in (found.best, *found.longest) if not one.ended for text in one.texts]
    return _words(prompt_text(subject, found.row), *shown)


def _words_of_looks(subject: Subject, found: Searched, looks: Sequence[Message]) -> set[str]:
    """The words of what calls show that need no value."""
    return _words(*texts_of(subject.answer(found.row, [*looks, END]).completion)) if looks else set()


def _words_of_winners(subject: Subject, search: Search, won: Sequence[Searched]) -> set[str]:
    episodes = [gold_episodes(subject)[row] for row in search.won]
    of_gold = [_words(text) for one in episodes for text in texts_of(one.messages)]
    shown = [_words(*(text for place in one.spread for text in place.texts)) for one in won]
    return set().union(*of_gold, *shown, *(_words_of(subject, one) for one in won))


def _words(*texts: str) -> set[str]:
    return {word for text in texts for word in re.findall(r"[^\W\d_]{2,}\d*", text.casefold())}


def _middle(subject: Subject, target: float) -> float:
    low = subject.traits.reward_range[0]
    return (max(low, min(0.0, target)) + target) / 2


def _names(acts: Sequence[Act]) -> str:
    names = [act if isinstance(act, str) else turns_text([act]) for act in acts]
    return ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")


def _shown(acts: Sequence[Act]) -> str:
    text = turns_text(acts)
    return text if len(text) <= 160 else f"{text[:160]}..."
