"""Episodes that score the top, found from what `step`, the tools and the scorer compare; where nothing knows gold."""

import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush
from itertools import chain, count, islice, zip_longest
from typing import Any

from grpo_env_sdk.checking.evidence.act_repairs import (
    Act,
    Acts,
    calls_with,
    difference,
    different_items,
    key_of,
    made_one_of,
    odd_arguments,
    repaired,
    replaced,
    text_act,
    with_act,
    with_words,
)
from grpo_env_sdk.checking.evidence.compared_gold import probes
from grpo_env_sdk.checking.evidence.compared_values import Compared, Length
from grpo_env_sdk.checking.evidence.fixed_replies import FixedReplies
from grpo_env_sdk.checking.evidence.input_echo import without_echo
from grpo_env_sdk.checking.evidence.likely_values import likely_arguments, values_at
from grpo_env_sdk.checking.evidence.machine_load import FairClock
from grpo_env_sdk.checking.evidence.score_code import episode_functions
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_parameters import name_of
from grpo_env_sdk.checking.evidence.variants import prompt_text
from grpo_env_sdk.checking.evidence.watched_comparisons import WatchedComparisons
from grpo_env_sdk.policies.policy import Request
from grpo_env_sdk.types import Episode, Turn

MOST_FIRST, MOST_LATER, MOST_ACTS = 240, 40, 10
"""How many episodes are played on a row before one was found, and on each later row; and the most acts of one."""
MOST_CHILDREN, MOST_NEXT, MOST_KNOWN = 16, 40, 4
_AGAIN = 2
"""How often acts that were found have to score the top again."""
_WORDS = ("qua", "qua vex", "qua vex 7", "7")
_END = "Done."
_HAS = "Has"
"""How a comparison is called whose other side was looked for in one's own."""


class _Marked(FixedReplies):
    """Fixed replies that begin a new list of comparisons at each turn."""

    def __init__(self, acts: Acts, comparisons: WatchedComparisons) -> None:
        super().__init__([[act.turn for act in acts]])
        self._comparisons = comparisons
        self.by_turn: list[list[Compared]] = []

    async def respond(self, request: Request) -> Turn:
        """The next turn."""
        self.by_turn.append(self._comparisons.listen())
        return await super().respond(request)


@dataclass(frozen=True, slots=True)
class Played:
    """An episode of some acts, and what was compared in each turn; what scorers compare is in the last one."""

    acts: Acts
    episode: Episode
    by_turn: Sequence[Sequence[Compared]]

    @property
    def reward(self) -> float:
        """Its reward; nothing counts as 0."""
        return self.episode.reward or 0.0


@dataclass
class ComparedActs:
    """A search, row by row, for acts that score the top; what was right on a row is tried first on the next."""

    subject: Subject
    seconds: float
    clock: FairClock = field(default_factory=FairClock)
    known: list[Acts] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._comparisons = WatchedComparisons(episode_functions(self.subject.loaded.env))

    @property
    def over(self) -> bool:
        """Whether the time is used up."""
        return self.clock.now() > self.seconds

    def best_of(self, row: int, top: float) -> Episode | None:
        """The best episode of a row; None where nothing is found that scores the top, or silence does."""
        found = _OfRow(self, row, top, MOST_LATER if self.known else MOST_FIRST).found()
        if found is None:
            return None
        again = [self.play(row, found.acts) for _ in range(_AGAIN)]
        if not all(one is not None and one.reward >= top for one in again):
            return None  # it was luck
        self.known = [found.acts, *(acts for acts in self.known if acts != found.acts)][:MOST_KNOWN]
        return found.episode

    def play(self, row: int, acts: Acts) -> Played | None:
        """The episode of some acts; None where it fails."""
        policy = _Marked(acts, self._comparisons)
        limits = self.subject.limits
        if self.subject.traits.kind == "multi-turn":
            limits = replace(limits, turns=min(len(acts) + 1, self.subject.traits.max_turns))
        with self._comparisons.watched():
            episode = self.subject.play(row, policy, limits=limits)
        return None if episode.error else Played(acts, episode, policy.by_turn)


class _OfRow:
    """The search on one row."""

    def __init__(self, search: ComparedActs, row: int, top: float, most: int) -> None:
        self._search, self._row, self._top, self._left = search, row, top, most
        self._tools = search.subject.tools_of(row)
        self._last = int(search.subject.traits.kind == "tools")
        """How many last acts only end the episode."""
        self._speaks = not self._last or search.subject.traits.user != "none"
        self._tried: set[str] = set()
        self._soon: list[deque[Acts]] = []
        self._later: list[tuple[float, int, int, Iterator[Acts]]] = []
        self._order = count()
        self._turn = 1
        self._reached: set[Any] = set()
        self._nearest: dict[str, int] = {}
        self._best = float("-inf")
        self._forms: dict[str, Act] = {}
        """Acts that were taken, by the value in them that made them so."""

    def found(self) -> Played | None:
        """The shortest acts that score the top, of those that were found."""
        nothing = (text_act(_END),) * self._last
        self._is_new(nothing)
        idle = self._search.play(self._row, nothing)
        if idle is None or idle.reward >= self._top:
            return None
        self._take_up(idle)
        self._mend_with(self._search.known)
        while self._left > 0 and not self._search.over and (acts := self._next()) is not None:
            self._left -= 1
            played = self._search.play(self._row, acts)
            if played is not None and played.reward >= self._top:
                return self._shortest(played)
            if played is not None:
                self._take_up(played)
        return None

    def _next(self) -> Acts | None:
        """The next acts to try: those that mend what was just seen, what was seen first, or go on from others."""
        while self._soon or self._later:
            if self._soon and (self._turn % 5 or not self._later):
                place = -1 if self._turn % 2 else 0
                acts = self._soon[place].popleft()
                if not self._soon[place]:
                    del self._soon[place]
            else:
                reward, tried, order, following = heappop(self._later)
                going_on = next(following, None)
                if going_on is None:
                    continue
                acts = going_on
                heappush(self._later, (reward, tried + 1, order, following))
            if self._is_new(acts):
                self._turn += 1
                return acts
        return None

    def _mend_with(self, some: Iterable[Acts]) -> None:
        if one := deque(some):
            self._soon.append(one)

    def _is_new(self, acts: Acts) -> bool:
        most = min(MOST_ACTS, self._search.subject.traits.max_turns)
        key = key_of(acts)
        if key in self._tried or len(acts) > most:
            return False
        self._tried.add(key)
        return True

    def _take_up(self, played: Played) -> None:
        """Note what follows from an episode: acts with something else in them, and acts after those that led on."""
        leads_on = self._leads_on(played)
        changed = islice(self._changed(played), MOST_CHILDREN if leads_on else MOST_CHILDREN // 2)
        calls = islice(self._calls_for_items(played), MOST_CHILDREN) if leads_on else iter(())
        self._mend_with([*self._repaired(played), *changed, *calls])
        if leads_on:
            following = islice(self._going_on(played.acts), MOST_NEXT)
            heappush(self._later, (-played.reward, 8 * len(played.acts), next(self._order), following))

    def _leads_on(self, played: Played) -> bool:
        """Whether an episode came where none was before: to a comparison, a reply, a reward, or nearer to a goal."""
        reached: set[Any] = {(one.site, one.held) for turn in played.by_turn for one in turn}
        reached |= {_reply(played, place) for place in range(len(played.acts))}
        new = not reached <= self._reached
        self._reached |= reached
        if played.reward > self._best:
            self._best, new = played.reward, True
        for one in played.by_turn[-1] if played.by_turn else ():
            apart = difference(one.left, one.right)
            if apart < self._nearest.get(one.site, 1_000):
                new = new or one.site in self._nearest
                self._nearest[one.site] = apart
        for act in played.acts[: len(played.acts) - self._last][-1:] if new else ():
            for leaf in act.leaves or [act.tool]:
                self._forms.setdefault(f"{act.tool} {leaf}", act)
        return new

    def _changed(self, played: Played) -> Iterator[Acts]:
        """The acts with what stands opposite of what came from them, that of the last turns first."""
        acts = played.acts
        pairs = [(turn, *pair) for turn, seen in enumerate(played.by_turn) for pair in _unlike(seen)][::-1]
        yield from _in_turn([self._changed_by(acts, *pair) for pair in pairs if not _said(acts, pair[2])])

    def _changed_by(self, acts: Acts, turn: int, own: Any, other: Any, how: str) -> Iterator[Acts]:
        for place in range(min(turn, len(acts) - 1), -1, -1) if not isinstance(own, Length) else ():
            changed = [act for act in replaced(acts[place], own, other) if act not in acts]
            if how == _HAS and isinstance(own, str) and isinstance(other, str):
                changed = [*with_words(acts[place], own, other), *changed]
            for act in sorted(changed, key=lambda act: _repeats(acts, act)):
                yield (*acts[:place], act, *acts[place + 1 :])

    def _repaired(self, played: Played) -> Iterator[Acts]:
        """Acts that make a state what a scorer compares it with."""
        pairs = [pair for pair in _unlike(played.by_turn[-1]) if not any(isinstance(one, Length) for one in pair[:2])]
        for own, other, how in pairs:
            if how == "Eq" and (mended := repaired(played.acts, own, other)) is not None:
                yield mended
            if how == "In":
                yield from made_one_of(played.acts, own, other)

    def _calls_for_items(self, played: Played) -> Iterator[Acts]:
        """One more call, with what a state lacks or should not have."""
        pairs = [pair for pair in _unlike(played.by_turn[-1]) if not any(isinstance(one, Length) for one in pair[:2])]
        pairs.sort(key=lambda pair: pair[2] != "Eq" or not isinstance(pair[0], list | tuple | set | Mapping))
        for own, other, how in pairs:
            items = different_items(own, other) if how == "Eq" else [own] if how == "In" else []
            for item in items:
                for call in calls_with(item, self._tools):
                    if call not in played.acts:
                        yield with_act(played.acts, call, self._last)

    def _going_on(self, acts: Acts) -> Iterator[Acts]:
        """The acts with one more."""
        for act in chain(list(self._forms.values()), self._first_acts()):
            if act.tool or self._speaks:
                yield with_act(acts, act, self._last)

    def _first_acts(self) -> Iterator[Act]:
        """Acts to begin with: calls with likely values, and messages that the prompt shows."""
        subject = self._search.subject
        row = subject.row(self._row)
        for most in (1, 2):
            for tool in self._tools:
                for labels in list(likely_arguments(tool, row, most))[most - 1 :]:
                    if (given := values_at(tool, row, labels)) is not None:
                        yield Act(name_of(tool), given)
            if most == 1:
                yield from (Act(name_of(tool), odd_arguments(tool)) for tool in self._tools)
        if self._speaks:
            texts = sorted(probes(subject, prompt_text(subject, self._row)), key=lambda text: not text.isalnum())
            yield from map(text_act, dict.fromkeys([*_WORDS, *texts]))

    def _shortest(self, played: Played) -> Played:
        """The same without the acts that it does not need."""
        place = 0
        while place < len(played.acts) - self._last:
            fewer = self._search.play(self._row, (*played.acts[:place], *played.acts[place + 1 :]))
            if fewer is not None and fewer.reward >= played.reward:
                played = fewer
            else:
                place += 1
        return played


def _unlike(pairs: Sequence[Compared]) -> Iterator[tuple[Any, Any, str]]:
    """The sides of each comparison whose sides are not alike, both ways."""
    for one in pairs:
        if not one.alike:
            yield one.left, one.right, one.how
            yield one.right, one.left, _HAS if one.how == "In" else one.how


def _in_turn(some: Sequence[Iterator[Acts]]) -> Iterator[Acts]:
    """The first of each, then the second of each, and so on."""
    for together in zip_longest(*some):
        yield from (one for one in together if one is not None)


def _repeats(acts: Acts, act: Act) -> int:
    """How much of an act other acts have too."""
    return sum(leaf in one.leaves for one in acts for leaf in act.leaves)


def _said(acts: Acts, value: Any) -> bool:
    """Whether a text is from the acts themselves."""
    return isinstance(value, str) and any(
        isinstance(leaf, str) and value.casefold() in leaf.casefold() for act in acts for leaf in act.leaves
    )


def _reply(played: Played, place: int) -> str:
    """What an act was answered, without what it said itself and without numbers."""
    messages = played.episode.completion
    after = [one for one in messages if one["role"] != "assistant"]
    content = str(after[place].get("content")) if place < len(after) else ""
    act = played.acts[place]
    return f"{act.tool} {re.sub('[0-9]+', '0', without_echo(content, dict(act.given)))[:200]}"
