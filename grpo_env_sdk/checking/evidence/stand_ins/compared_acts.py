"""Episodes that score the top, found from what `step`, the tools and the scorer compare; where nothing knows gold."""

from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import chain, count, islice
from typing import Any

from grpo_env_sdk.checking.evidence.gold.compared_gold import probes
from grpo_env_sdk.checking.evidence.playing.machine_load import FairClock
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of
from grpo_env_sdk.checking.evidence.prompts.likely_values import likely_arguments, values_at
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.stand_ins.act_changes import calls_for_items, changed, repairs
from grpo_env_sdk.checking.evidence.stand_ins.act_repairs import (
    Act,
    Acts,
    difference,
    key_of,
    odd_arguments,
    text_act,
    with_act,
)
from grpo_env_sdk.checking.evidence.stand_ins.watched_play import Played, WatchedPlay, reply_to
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.types import Episode

MOST_FIRST, MOST_LATER, MOST_ACTS = 240, 40, 10
"""How many episodes are played on a row before one was found, and on each later row; and the most acts of one."""
MOST_CHILDREN, MOST_NEXT, MOST_KNOWN = 16, 40, 4
_AGAIN = 2
"""How often acts that were found have to score the top again."""
_WORDS = ("qua", "qua vex", "qua vex 7", "7")
"""Messages whose words can be told apart wherever they turn up."""
_END = "Done."


@dataclass
class ComparedActs:
    """A search, row by row, for acts that score the top; what was right on a row is tried first on the next."""

    subject: Subject
    fruitless: float
    """The seconds of a quiet machine after which it ends if nothing was found."""
    seconds: float
    clock: FairClock = field(default_factory=FairClock)
    known: list[Acts] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.play = WatchedPlay(self.subject)

    @property
    def over(self) -> bool:
        """Whether the time is used up."""
        return self.clock.now() > (self.seconds if self.known else self.fruitless)

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
        self._later: list[tuple[float, int, int, Acts, Iterator[Acts]]] = []
        self._effects: dict[str, str] = {}
        self._without_effect: Counter[str] = Counter()
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
                self._note_effect(played)
                self._take_up(played)
        return None

    def _note_effect(self, played: Played) -> None:
        """Note what the last act led to; where it leads there without the act before too, that one may do nothing."""
        body = played.acts[: len(played.acts) - self._last]
        if body and len(played.by_turn) >= len(body):
            sides = [(one.left, one.right) for one in played.by_turn[len(body) - 1]]
            self._effects[key_of(body)] = f"{played.reward} {reply_to(played, len(body) - 1)} {sides!r}"
        if len(body) > 1:
            same = self._effects.get(key_of((*body[:-2], body[-1]))) == self._effects.get(key_of(body))
            self._without_effect[key_of(body[:-1])] += same

    def _next(self) -> Acts | None:
        """The next acts to try: those that mend what was just seen, what was seen first, or go on from others."""
        while self._soon or self._later:
            if self._soon and (self._turn % 5 or not self._later):
                place = -1 if self._turn % 2 else 0
                acts = self._soon[place].popleft()
                if not self._soon[place]:
                    del self._soon[place]
            else:
                reward, tried, order, before, following = heappop(self._later)
                going_on = next(following, None)
                if going_on is None:
                    continue
                acts = going_on
                unlikely = self._without_effect[key_of(before[: len(before) - self._last])]
                heappush(self._later, (reward, tried + 1 + unlikely, order, before, following))
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
        others = islice(changed(played), MOST_CHILDREN if leads_on else MOST_CHILDREN // 2)
        calls = islice(calls_for_items(played, self._tools, self._last), MOST_CHILDREN) if leads_on else iter(())
        self._mend_with([*repairs(played), *others, *calls])
        if leads_on:
            following = islice(self._going_on(played.acts), MOST_NEXT)
            rank = (-played.reward, 8 * len(played.acts), next(self._order))
            heappush(self._later, (*rank, played.acts, following))

    def _leads_on(self, played: Played) -> bool:
        """Whether an episode came where none was before: to a comparison, a reply, a reward, or nearer to a goal."""
        reached: set[Any] = {(one.site, one.held) for turn in played.by_turn for one in turn}
        reached |= {reply_to(played, place) for place in range(len(played.acts))}
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

    def _going_on(self, acts: Acts) -> Iterator[Acts]:
        """The acts with one more."""
        for act in chain(reversed(list(self._forms.values())), self._first_acts()):
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
