"""A breadth-first search over the states of an episode, for the acts that score most."""

import time
from collections import deque
from collections.abc import Hashable
from dataclasses import dataclass, replace

from grpo_env_sdk.checking.searching.alphabet import END, LOOKED_AT, Alphabet
from grpo_env_sdk.checking.searching.position import Act, Position

MOST_STATES = 20_000
_RESTARTS, _RESTARTS_CLOSER = 3, 20
_SPREAD = 20
_SAMPLES = 4
"""How many of the longest ways are kept, to be played again in one piece."""


@dataclass(frozen=True, slots=True)
class Goal:
    """What a search looks for, and for how long."""

    enough: float
    """The reward that ends it."""
    ends: float
    prompt: str
    scored: bool
    """Whether an episode that is cut off has a score of its own."""


@dataclass(frozen=True, slots=True)
class Searched:
    """What a search has found in one row."""

    row: int
    best: Position
    states: int
    depth: int
    """The most acts after which a state was reached."""
    exhausted: bool
    """Whether every state was visited that these acts can reach."""
    longest: tuple[Position, ...] = ()
    spread: tuple[Position, ...] = ()
    """Some positions near the first one, and some far from it."""
    endings: tuple[Position, ...] = ()
    """Some episodes that an act has ended, before the turns were used up."""
    first_end: int = 0
    """After how many acts the first of them was over."""

    @property
    def acts(self) -> tuple[Act, ...]:
        """The acts that score most."""
        return self.best.acts


def searched(row: int, start: Position, alphabet: Alphabet, goal: Goal) -> Searched:
    """What the acts of an alphabet reach from a position, until one is worth enough or the time is over.

    An act that only a later observation shows is learned on the way, and the search then begins again.
    """
    for _ in range(_RESTARTS_CLOSER if alphabet.looks else _RESTARTS):
        alphabet.looks = LOOKED_AT if alphabet.looks else 0
        found, learned = _searched(row, start, alphabet, goal)
        if not learned:
            break
    return replace(found, exhausted=found.exhausted and not learned)


def _searched(row: int, start: Position, alphabet: Alphabet, goal: Goal) -> tuple[Searched, bool]:
    best = _valued(start, goal.scored)
    known: dict[Hashable, int] = {start.key(alphabet.counters): 0}
    waiting, longest, learned, over = deque([start]), deque([start], maxlen=_SAMPLES), False, False
    endings: deque[Position] = deque(maxlen=4 * _SAMPLES)
    near, far, first_end = [start], deque[Position](maxlen=_SPREAD), 0
    while waiting and best.total < goal.enough and not over:
        position = waiting.popleft()
        here = position.key(alphabet.counters)
        learned = alphabet.learn(position, goal.prompt) or learned
        for act in alphabet.acts:
            over = alphabet.spent or time.monotonic() > goal.ends or len(known) > MOST_STATES or alphabet.is_open
            if over or best.total >= goal.enough:
                break
            after = alphabet.after(position, act)
            if after.ended:
                best = max(best, after, key=lambda one: one.total)
                if act != END and len(after.acts) < after.env.max_turns:
                    endings.append(after)
                    first_end = first_end or len(after.acts)
                continue
            key = after.key(alphabet.counters)
            if key != here:
                alphabet.note_move(act)
            if key not in known:
                known[key] = len(after.acts)
                waiting.append(after)
                longest.append(after)
                (near if len(near) < _SPREAD else far).append(after)
                best = max(best, _valued(after, goal.scored), key=lambda one: one.total)
    exhausted = not waiting and not over and not learned and best.total < goal.enough
    found = Searched(
        row,
        best,
        len(known),
        max(known.values()),
        exhausted,
        tuple(longest),
        (*near, *far),
        tuple(endings),
        first_end,
    )
    return found, learned and best.total < goal.enough and not over


def _valued(position: Position, scored: bool) -> Position:
    """The position with its score, where an episode that is cut off there has one."""
    if not scored:
        return position
    return replace(position, total=position.cut_off().total)
