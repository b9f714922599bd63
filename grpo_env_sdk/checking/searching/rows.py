"""The rows in which acts are searched, on copies of instances, and what is found there."""

import time
from dataclasses import dataclass, field

from grpo_env_sdk.checking.evidence.golds import NEARLY
from grpo_env_sdk.checking.evidence.playing.failures import FailedHereError
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.searching.alphabet import LOOKED_AT, Alphabet
from grpo_env_sdk.checking.searching.position import Act, Position, opening, played_again
from grpo_env_sdk.checking.searching.search import Goal, Searched, searched
from grpo_env_sdk.envs.episode_books import books_of
from grpo_env_sdk.rewards.rubric import Rubric

MOST_ACTS = {"quick": 6_000, "default": 20_000, "thorough": 500_000}
"""How many acts are tried in all: each takes a copy of the instance."""
SECONDS = {"quick": 2.0, "default": 5.0, "thorough": 30.0}
"""What a search may take, even where less is left: only environments without gold, or whose
gold loses, are searched."""
ENOUGH_ROWS = 5
"""So many rows that are won, and that are not, decide."""
SLOW = 0.3
"""Where an episode takes longer, no search gets far."""
LOOKED_CLOSER, CLOSER = 4, 2
LOOKS = {"quick": 3_000, "default": 8_000, "thorough": 50_000}
"""How many rows that seem lost are looked at more closely, in how many times these seconds, and with how many acts."""
_WARMED = 4
"""The rows on which acts are tried before the first search."""
_TEXTS = {"completion", "messages", "episode"}


@dataclass
class Search:
    """The rows in question, which others are won, and what the searches have found."""

    rows: list[int]
    won: list[int] = field(default_factory=list)
    target: float | None = None
    given: list[Act] = field(default_factory=list)
    """The acts of gold on the rows that it wins."""
    found: list[Searched] = field(default_factory=list)


def searchable(subject: Subject) -> bool:
    """Whether an episode can be copied, nothing else takes part in it, and acts alone decide."""
    return steppable(subject) and not (subject.traits.kind == "tools" and _reads_texts(subject))


def steppable(subject: Subject) -> bool:
    """Whether an episode can be stepped by hand, and nothing else takes part in it."""
    return subject.traits.user == "none" and can_be_stepped(subject)


def can_be_stepped(subject: Subject) -> bool:
    """Whether an episode can be stepped by hand; its user may be a method of the environment."""
    traits, books = subject.traits, books_of(subject.loaded.env)
    alone = traits.user != "model" and not traits.uses_model and not traits.tools_of_rows and not traits.max_live
    return alone and subject.episode_seconds < SLOW and books is not None and not books.is_async


def _reads_texts(subject: Subject) -> bool:
    """Whether a reward may read what was said, so that the calls alone do not decide."""
    rewards = [getattr(item.function, "__func__", item.function) for item in Rubric.of(subject.loaded.env).rewards]
    codes = [getattr(function, "__code__", None) for function in rewards]
    return any(code is None or _TEXTS & {*code.co_varnames, *code.co_names} for code in codes or [None])


def search_rows(subject: Subject, search: Search) -> Alphabet | None:
    """Search the rows one after another, and give the acts that were found; None if a state cannot be compared."""
    ends = subject.clock.now() + max(SECONDS[subject.effort], subject.time_left * 0.9)
    texts = subject.traits.kind == "multi-turn"
    alphabet = Alphabet(subject.tools, texts, ends, MOST_ACTS[subject.effort], subject.clock)
    try:
        _search_all(subject, search, alphabet)
        _look_closer(subject, search, alphabet)
    except FailedHereError:
        return None  # nor copied, or the author's code fails, which other checks report
    return alphabet


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


def _look_closer(subject: Subject, search: Search, alphabet: Alphabet) -> None:
    """Try every phrase at many positions of rows that seem lost, and search those again if one has an effect there."""
    lost = [one for one in search.found if one.exhausted]
    spare = max(CLOSER * SECONDS[subject.effort], subject.time_left * 0.9)
    before, ends, each = len(alphabet.acts), subject.clock.now() + spare, spare / CLOSER
    for one in lost[:LOOKED_CLOSER]:
        alphabet.left, alphabet.ends = LOOKS[subject.effort], min(ends, subject.clock.now() + each)
        subject.call("a search", alphabet.look, one.spread, prompt_text(subject, one.row), row=one.row)
    if len(alphabet.acts) == before and not alphabet.spent:
        return
    looked = 0
    for place, one in enumerate(lost):
        if place <= LOOKED_CLOSER:  # the rows that are not looked at closely share what one of the others gets
            alphabet.left = LOOKS[subject.effort]
            alphabet.ends = min(ends, subject.clock.now() + each)
        again = None if place < LOOKED_CLOSER else _search_again(subject, one.row, search, alphabet)
        if again is None or again.exhausted:  # an act may be needed that has had no effect elsewhere
            looked += 1
            closer = LOOKED_AT if looked <= 2 * LOOKED_CLOSER else 0
            again = _search_again(subject, one.row, search, alphabet, closer) if closer else None
        search.found.remove(one)
        search.found += [again] if again else []


def _search_again(subject: Subject, row: int, search: Search, alphabet: Alphabet, looks: int = 0) -> Searched | None:
    """What is found in a row with the acts that are known by now, and every phrase at so many positions."""
    if alphabet.is_open or alphabet.spent:
        return None
    alphabet.looks = looks
    found: Searched | None = subject.call("a search", _search, subject, row, search, alphabet, row=row)
    alphabet.looks = 0
    return found


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
    ends = time.monotonic() + subject.call_seconds / 2
    goal = Goal(target - NEARLY, ends, prompt_text(subject, row), scored)
    with subject.instance(row) as env:
        start = opening(env, subject.row(row))
        luck = start.luck
        found = searched(row, start, alphabet, goal)
        return found if start.luck == luck else None


def confirmed_win(subject: Subject, found: Searched, target: float) -> bool:
    """Whether an ordinary episode with these acts scores as much."""
    episode = subject.answer(found.row, found.acts)
    return episode.reward is not None and episode.reward >= target - NEARLY


def confirmed(subject: Subject, found: Searched) -> bool:
    """Whether the longest ways go as the copies went on one instance, and do not depend on the seed of the episode."""

    def again(position: Position, other_seed: int) -> bool:
        with subject.instance(found.row) as env:
            return bool(subject.call("an episode", played_again, env, subject.row(found.row), position, other_seed))

    return all(again(position, seed) for position in found.longest for seed in (0, 1))
