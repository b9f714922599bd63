"""The acts that have an effect, found out by trying what prompts, observations and schemas show."""

import re
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

from grpo_env_sdk.checking.evidence.playing.machine_load import FairClock
from grpo_env_sdk.checking.evidence.playing.tool_parameters import properties_of, required_of
from grpo_env_sdk.checking.evidence.prompts.phrases import NONSENSE, phrases_of
from grpo_env_sdk.checking.evidence.stand_ins.call_acts import listed_calls, nonsense_calls, shown_calls
from grpo_env_sdk.checking.evidence.stand_ins.likely_acts import filled_commands
from grpo_env_sdk.checking.searching.position import Act, Position
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Schemas, canonical_json

MOST_ACTS = 100
ENOUGH = 6
"""At how many positions an act without effect is tried."""
LOOKED_AT, MOST_PHRASES = 60, 120
"""At how many positions of a row that seems lost every phrase of the prompt is tried, and how many phrases."""
END = "Done."
"""What ends an episode of tools."""
Tried = tuple[Act, Position]


@dataclass
class Alphabet:
    """The acts known so far, and what was tried."""

    tools: Schemas
    texts: bool
    """Whether texts are acts; otherwise one ends the episode."""
    ends: float
    """The time of its clock until which acts are tried."""
    left: int
    """How many more acts may be tried."""
    clock: FairClock
    acts: list[Act] = field(default_factory=list)
    moving: set[str] = field(default_factory=set)
    """The acts that changed the state somewhere."""
    told: set[str] = field(default_factory=set)
    """Those that were only answered in another way than nonsense."""
    tried: Counter[str] = field(default_factory=Counter)
    """At how many positions each act was tried."""
    counters: frozenset[str] = frozenset()
    """The attributes that count acts, and tell no states apart."""
    looks: int = 0
    """One more than at how many positions every phrase is still tried, whatever it did elsewhere; or 0."""
    is_open: bool = False
    """Whether there are too many acts, any word or number is one, or there was no time to try them."""

    @property
    def is_listed(self) -> bool:
        """Whether schemas list all acts there are."""
        whole = all(set(properties_of(tool)) == set(required_of(tool)) for tool in self.tools)
        return whole and not self.texts and not nonsense_calls(self.tools)

    @property
    def spent(self) -> bool:
        """Whether no more acts may be tried."""
        return self.left <= 0 or self.clock.now() > self.ends

    def after(self, position: Position, act: Act) -> Position:
        """The position after an act, which counts."""
        self.left -= 1
        return position.after(act)

    def note_move(self, act: Act) -> None:
        """An act has changed the state."""
        self.moving.add(name := name_of_act(act))
        self.told.discard(name)

    def learn(self, position: Position, prompt: str, given: Sequence[Act] = ()) -> bool:
        """Try what the prompt and this position show, and what is given; whether an act was found."""
        before = len(self.acts)
        shown = "\n".join(position.texts)
        phrases = list(phrases_of(shown, longest=2))
        again = self.looks > 1
        if again:
            self.looks = max(1, self.looks - 1)
            phrases = [*phrases_of(prompt, longest=2)[:MOST_PHRASES], *phrases]
        elif self.tried[prompt] < ENOUGH:
            self.tried[prompt] += 1
            phrases = [*phrases_of(prompt), *phrases]
        elif self.tried[shown] >= ENOUGH:
            return False
        self.tried[shown] += 1
        candidates: list[Act] = [*given, *listed_calls(self.tools), *shown_calls(self.tools, phrases)]
        candidates += [*filled_commands(prompt, shown), *phrases] if self.texts else [END]
        known = set(map(name_of_act, self.acts))
        named = {name_of_act(act): act for act in candidates}
        new = {name: act for name, act in named.items() if (again or self.tried[name] < ENOUGH) and name not in known}
        if new:
            self._try(position, list(new.values()))
            self.tried.update(list(new))
        self.acts += [number for number in _between(self.acts) if number not in self.acts]
        self.is_open = self.is_open or len(self.acts) > MOST_ACTS
        return len(self.acts) > before

    def look(self, positions: Sequence[Position], prompt: str) -> None:
        """Try every phrase of the prompt at these positions."""
        for position in positions:
            self.looks = 2
            self.learn(position, prompt)
        self.looks = 0

    def _try(self, position: Position, new: Sequence[Act]) -> None:
        """Add the acts with an effect, one of those that lead to the same."""
        words = NONSENSE if self.texts else NONSENSE[:1]
        nothing = [(word, position.after(word)) for word in words]
        if any(not self._alike(nothing[0], one) for one in nothing[1:]):
            self.is_open = True
            return
        of_calls = {name: (call, position.after(call)) for name, call in nonsense_calls(self.tools).items()}
        reached = {self._reached(after): act for act in self.acts if (after := position.after(act))}
        for act in new:
            if self.spent or len(self.acts) > MOST_ACTS:
                self.is_open = True
                return
            after = self.after(position, act)
            usual = of_calls.get(tool_of(act)) if not isinstance(act, str) else nothing[0] if act != END else None
            if usual and (self._alike(usual, (act, after)) or _says(act, reached.get(self._reached(after)))):
                continue
            reached.setdefault(self._reached(after), act)
            self.acts.append(act)
            moves = usual is None or self._reached(usual[1])[:2] != self._reached(after)[:2]
            if moves or not after.ended:  # what is refused with the end of the game tells nothing of other acts
                (self.moving if moves else self.told).add(name_of_act(act))

    def count(self, position: Position) -> None:
        """Find the attributes that every act changes by the same number, while other attributes tell the acts apart."""
        after = [position.after(act) for act in self.acts if name_of_act(act) in self.moving]
        kept = [one for one in after if not one.ended]
        before = position.held
        if len(kept) < 2:
            return
        for name, value in before.items():
            if type(value) is int:
                steps = {_less(one.held.get(name, value), value) for one in kept}
                distinct = {one.key(self.counters | {name}) for one in kept}
                if len(steps) == 1 and steps != {0} and len(distinct) == len(kept):
                    self.counters |= {name}

    def _reached(self, after: Position) -> tuple[Hashable, bool, str]:
        return after.key(self.counters), after.ended, after.seen

    def _alike(self, one: Tried, other: Tried) -> bool:
        """Whether two acts lead to the same, apart from their own words in what is shown."""
        if self._reached(one[1])[:2] != self._reached(other[1])[:2]:
            return False
        words = {word for act, _ in (one, other) for word in re.findall(r"\w+", canonical_json(act))}
        whole = [text for act, _ in (one, other) for text in _texts_in(act)]  # first, as there are spaces within
        any_word = regex(rf"(?<!\w)(?:{'|'.join(map(re.escape, [*whole, *words]))})(?!\w)")
        return any_word.sub("", one[1].seen) == any_word.sub("", other[1].seen)


def _less(value: Any, other: int) -> int:
    return value - other if type(value) is int else 0


def name_of_act(act: Act) -> str:
    """A text that tells acts apart."""
    return act if isinstance(act, str) else canonical_json(act["tool_calls"][0]["function"])


def _texts_in(act: Act) -> list[str]:
    """A message, or the texts of a call, the longest first."""
    given = [act] if isinstance(act, str) else act["tool_calls"][0]["function"]["arguments"].values()
    return sorted((one for one in given if isinstance(one, str) and re.search(r"\w", one)), key=len, reverse=True)


def _says(act: Act, other: Act | None) -> bool:
    """Whether one of two texts has all words of the other."""
    if not isinstance(act, str) or not isinstance(other, str):
        return False
    one, two = (set(re.findall(r"\w+", text.casefold())) for text in (act, other))
    return one <= two or two <= one


def _between(acts: Sequence[Act]) -> list[str]:
    """The numbers between those that are acts: one of them may have had no effect so far."""
    numbers = [int(act) for act in acts if isinstance(act, str) and act.isdecimal() and len(act) < 4]
    return [str(number) for number in range(min(numbers), max(numbers))] if len(numbers) > 2 else []


def tool_of(act: Any) -> str:
    """The tool that an act calls."""
    return str(act["tool_calls"][0]["function"]["name"])
