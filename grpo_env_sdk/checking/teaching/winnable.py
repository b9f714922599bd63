"""Whether every row can be won, where the acts of a game are few and known."""

import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.failures import FailedHereError
from grpo_env_sdk.checking.evidence.golds import NEARLY, gold_episodes
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.turns import own_turns
from grpo_env_sdk.checking.evidence.variants import prompt_text, texts_of
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.findings.transcript_text import turns_text
from grpo_env_sdk.checking.searching.alphabet import Alphabet
from grpo_env_sdk.checking.searching.position import Act, Position, opening, played_again
from grpo_env_sdk.checking.searching.search import Searched, searched
from grpo_env_sdk.checking.searching.state_key import UnknownStateError
from grpo_env_sdk.checking.teaching.reaching import BEST_POSSIBLE
from grpo_env_sdk.envs.episode_books import books_of
from grpo_env_sdk.errors import DeadlineError
from grpo_env_sdk.rewards.rubric import Rubric

MOST_ROWS = {"quick": 20, "default": 60, "thorough": 500}
MOST_ACTS = {"quick": 6_000, "default": 20_000, "thorough": 500_000}
"""How many acts are tried in all: each takes a copy of the instance."""
SECONDS = {"quick": 2.0, "default": 5.0, "thorough": 30.0}
"""What a search may take even where less is left: only environments without gold, or whose gold loses, are searched."""
ENOUGH_ROWS = 5
"""So many rows that are won, and that are not, decide."""
SLOW = 0.3
"""Where an episode takes longer, no search gets far."""
_WARMED = 4
"""The rows on which acts are tried before the first search."""
_TEXTS = {"completion", "messages", "episode"}
_CHANCE = re.compile(
    r"\b(?:opponents?|against (?:me|you)|you (?:lose|lost)|i (?:win|won|take|play)|we (?:take|play|move)|in turns?|"
    r"(?:wins|won|loses|lost|draw)(?=[.!]?$)|game over|dic?e|rolls?|luck\w*|chance|random\w*|cards?|deal\w*|coin|spin)\b",
    re.IGNORECASE,
)
"""Words of games that cannot always be won, as an opponent or chance decides."""


@dataclass
class Search:
    """The rows in question, which others are won, and what the searches have found."""

    rows: list[int]
    won: list[int] = field(default_factory=list)
    target: float | None = None
    given: list[Act] = field(default_factory=list)
    """The acts of gold on the rows that it wins."""
    found: list[Searched] = field(default_factory=list)


@check("G530", kinds=("tools", "multi-turn"))
def every_row_can_be_won(subject: Subject) -> Iterator[Finding]:
    """Where acts are few and known, some sequence of them reaches on every row what it reaches on others."""
    search = _in_question(subject)
    if not search.rows or not _searchable(subject):
        return
    ends = time.monotonic() + max(SECONDS[subject.effort], subject.time_left * 0.9)
    alphabet = Alphabet(subject.tools, subject.traits.kind == "multi-turn", ends, MOST_ACTS[subject.effort])
    try:
        _search_all(subject, search, alphabet)
    except FailedHereError as exc:
        if isinstance(exc.__cause__, UnknownStateError | DeadlineError):
            return  # the state cannot be copied or compared, or a step hangs
        raise
    reached = max([one.best.total for one in search.found], default=0.0)
    target = reached if search.target is None else search.target
    if target <= subject.traits.reward_range[0] + NEARLY:
        return
    won = [one for one in search.found if one.best.total >= target - NEARLY]
    lost = [one for one in search.found if one.exhausted and one.best.total < _middle(subject, target)]
    if won and search.won:
        yield _gold_loses(subject, search, won)
    if lost and (won or search.won) and all(_confirmed(subject, one) for one in lost[:2]):
        yield _unwinnable(subject, search, won, lost, alphabet, target)


def _in_question(subject: Subject) -> Search:
    """Without gold all rows; otherwise those on which gold scores less than on others."""
    usual = [row for row in subject.sample(MOST_ROWS[subject.effort]) if BEST_POSSIBLE not in subject.row(row)]
    played = gold_episodes(subject)
    rewards = {row: one.reward for row, one in played.items() if one.reward is not None and not one.error}
    best = max(rewards.values(), default=0.0)
    if best <= subject.traits.reward_range[0] + NEARLY:
        return Search(usual if not played else [])
    won = [row for row, reward in rewards.items() if reward >= best - NEARLY]
    acts = {turns_text([turn]): turn for row in won for turn in own_turns(played[row].completion)}
    lost = [row for row in played if row not in won and BEST_POSSIBLE not in subject.row(row)]
    return Search(lost[: MOST_ROWS[subject.effort]] if len(won) > 1 else [], won, best, _bare(acts.values()))


def _bare(turns: Any) -> list[Act]:
    """Turns as acts: a text alone, or a message with its calls and no ids."""
    return [turn if turn.get("tool_calls") else str(turn.get("content") or "") for turn in turns]


def _searchable(subject: Subject) -> bool:
    """Whether an episode can be copied, and nothing else takes part in it."""
    traits, books = subject.traits, books_of(subject.loaded.env)
    alone = traits.user == "none" and not traits.uses_model and not traits.tools_of_rows and not traits.max_live
    quick = subject.episode_seconds < SLOW and books is not None and not books.is_async
    return alone and quick and not (traits.kind == "tools" and _reads_texts(subject))


def _reads_texts(subject: Subject) -> bool:
    """Whether a reward may read what was said, so that the calls alone do not decide."""
    rewards = [getattr(item.function, "__func__", item.function) for item in Rubric.of(subject.loaded.env).rewards]
    codes = [getattr(function, "__code__", None) for function in rewards]
    return any(code is None or _TEXTS & {*code.co_varnames, *code.co_names} for code in codes or [None])


def _search_all(subject: Subject, search: Search, alphabet: Alphabet) -> None:
    for row in search.rows[:_WARMED]:
        subject.call("a search", _warm, subject, row, search, alphabet, row=row)
    for row in search.rows:
        lost = [one for one in search.found if one.exhausted]
        enough = min(len(lost), len(search.found) + len(search.won) - len(lost)) >= ENOUGH_ROWS
        if enough or alphabet.spent or alphabet.is_open or not alphabet.acts:
            return
        found = subject.call("a search", _search, subject, row, search, alphabet, row=row)
        if found is None:
            search.found.clear()
            return
        search.found.append(found)


def _warm(subject: Subject, row: int, search: Search, alphabet: Alphabet) -> None:
    """Try acts where the episode of a row opens, and after one or two of them."""
    with subject.instance(row) as env:
        position = opening(env, subject.row(row))
        luck = position.luck
        for place in range(3):
            alphabet.learn(position, prompt_text(subject, row), search.given)
            alphabet.count(position)
            following = [after for act in alphabet.acts if not (after := position.after(act)).ended]
            alphabet.is_open = alphabet.is_open or position.luck != luck
            if alphabet.is_open or not following:
                return
            position = following[(row + place) % len(following)]


def _search(subject: Subject, row: int, search: Search, alphabet: Alphabet) -> Searched | None:
    """What is found in a row; None where chance takes part."""
    target = subject.traits.reward_range[1] if search.target is None else search.target
    scored = subject.traits.kind == "multi-turn" and bool(Rubric.of(subject.loaded.env).parts)
    with subject.instance(row) as env:
        start = opening(env, subject.row(row))
        luck = start.luck
        found = searched(row, start, alphabet, target - NEARLY, scored, prompt_text(subject, row))
        return found if start.luck == luck else None


def _confirmed(subject: Subject, found: Searched) -> bool:
    """Whether the longest ways go as the copies went on one instance, and do not depend on the seed of the episode."""

    def again(position: Position, other_seed: int) -> bool:
        with subject.instance(found.row) as env:
            return bool(subject.call("an episode", played_again, env, subject.row(found.row), position, other_seed))

    return all(again(position, seed) for position in found.longest for seed in (0, 1))


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
    some = one.best.total > max(0.0, subject.traits.reward_range[0]) + NEARLY
    game = any(_CHANCE.search(text) for text in (prompt_text(subject, one.row), *_seen(one)))
    sure = not one.endings and _words_of(subject, one) <= _words_of_winners(subject, search, won)
    example = f"; {_shown(won[0].acts)} wins row {won[0].row}" if won else ""
    return Finding(
        f"On {len(lost)} of {len(search.found)} rows searched no sequence of acts scores {target:g}: in row {one.row} "
        f"{_visited(one)} with {_names(known.acts)}, and the best score is {one.best.total:g}{example}.",
        "Draw only rows that can be won, such as by acting backwards from the goal; "
        f"if some cannot, as in games, give each row a column {BEST_POSSIBLE!r}.",
        one.row, list(one.longest[-1].acts), one.best.total, f"a way to {target:g}",
        severity="info" if game or known.told or some else "error" if sure else "warning",
    )  # fmt: skip


def _visited(found: Searched) -> str:
    if found.states == 1:
        return "no act changes the state,"
    return f"all {found.states} states that can be reached were visited, the last after {found.depth} acts,"


def _seen(found: Searched) -> list[str]:
    """What is shown at some of its positions."""
    return [text for one in (found.best, *found.longest, *found.endings) for text in one.texts]


def _words_of(subject: Subject, found: Searched) -> set[str]:
    """The words that are shown in a row; where they are not those of rows that are won, another act may be needed."""
    return _words(prompt_text(subject, found.row), *_seen(found))


def _words_of_winners(subject: Subject, search: Search, won: Sequence[Searched]) -> set[str]:
    episodes = [gold_episodes(subject)[row] for row in search.won]
    of_gold = [_words(text) for one in episodes for text in texts_of(one.messages)]
    return set().union(*of_gold, *(_words_of(subject, one) for one in won))


def _words(*texts: str) -> set[str]:
    return {word for text in texts for word in re.findall(r"[^\W\d_]{2,}", text.casefold())}


def _middle(subject: Subject, target: float) -> float:
    low = subject.traits.reward_range[0]
    return (max(low, min(0.0, target)) + target) / 2


def _names(acts: Sequence[Act]) -> str:
    names = [act if isinstance(act, str) else turns_text([act]) for act in acts]
    return ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")


def _shown(acts: Sequence[Act]) -> str:
    text = turns_text(acts)
    return text if len(text) <= 160 else f"{text[:160]}..."
