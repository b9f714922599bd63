"""What may be tried after an episode: its acts with what stood opposite of what was compared."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any

from grpo_env_sdk.checking.evidence.author_code.compared_values import Compared, Length
from grpo_env_sdk.checking.evidence.stand_ins.act_repairs import (
    Act,
    Acts,
    calls_with,
    different_items,
    made_one_of,
    repaired,
    replaced,
    with_act,
    with_words,
)
from grpo_env_sdk.checking.evidence.stand_ins.watched_play import Played
from grpo_env_sdk.types import Schemas

_HAS = "Has"
"""How a comparison is called whose other side was looked for in one's own."""


def changed(played: Played) -> Iterator[Acts]:
    """The acts with what stands opposite of what came from them, that of the last turns first."""
    acts = played.acts
    pairs = [(turn, *pair) for turn, seen in enumerate(played.by_turn) for pair in _unlike(seen)][::-1]
    yield from _in_turn([_changed_by(acts, *pair) for pair in pairs if not _said(acts, pair[2])])


def _changed_by(acts: Acts, turn: int, own: Any, other: Any, how: str) -> Iterator[Acts]:
    for place in range(min(turn, len(acts) - 1), -1, -1) if not isinstance(own, Length) else ():
        changed = [act for act in replaced(acts[place], own, other) if act not in acts]
        if how == _HAS and isinstance(other, str):
            changed = [*with_words(acts[place], own, other), *changed]
        for act in sorted(changed, key=lambda act: _repeats(acts, act)):
            yield (*acts[:place], act, *acts[place + 1 :])


def repairs(played: Played) -> Iterator[Acts]:
    """Acts that make a state what a scorer compares it with."""
    pairs = _of_values(played.by_turn[-1])
    for own, other, how in pairs:
        if how == "Eq" and (mended := repaired(played.acts, own, other)) is not None:
            yield mended
        if how == "In":
            yield from made_one_of(played.acts, own, other)


def calls_for_items(played: Played, tools: Schemas, last: int) -> Iterator[Acts]:
    """One more call, with what a state lacks or should not have."""
    pairs = _of_values(played.by_turn[-1])
    pairs.sort(key=lambda pair: pair[2] != "Eq" or not isinstance(pair[0], list | tuple | set | Mapping))
    for own, other, how in pairs:
        items = different_items(own, other) if how == "Eq" else [own] if how == "In" else []
        for item in items:
            for call in calls_with(item, tools):
                if call not in played.acts:
                    yield with_act(played.acts, call, last)


def _of_values(seen: Sequence[Compared]) -> list[tuple[Any, Any, str]]:
    return [pair for pair in _unlike(seen) if not any(isinstance(one, Length) for one in pair[:2])]


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
