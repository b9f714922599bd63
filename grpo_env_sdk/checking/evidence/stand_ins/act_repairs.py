"""Acts with something else in them: what stands opposite of a value that the author's code compared."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, product
from typing import Any

from grpo_env_sdk.checking.evidence.author_code.compared_values import Length
from grpo_env_sdk.checking.evidence.gold.compared_gold import as_texts, put_in_place
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of, properties_of, required_of
from grpo_env_sdk.data.messages import call_message
from grpo_env_sdk.types import Message, Schemas, canonical_json

MOST_TEXTS, MOST_CHARS, MOST_DIFFERENT, MOST_CALLS, MOST_ITEM_CALLS = 12, 100, 8, 4, 4
"""How many values are put in the place of one, in how long a text, how many items two values may differ in, how many
calls are made of an item, and of how many items."""
ODD_WORDS = ("qua", "vex", "zim", "dol", "pir")
_NOTHING = object()


@dataclass(frozen=True, slots=True)
class Act:
    """A call of a tool; or a text, with the name of no tool."""

    tool: str
    given: Mapping[str, Any]

    @property
    def turn(self) -> str | Message:
        """The turn of an answer that does it."""
        return call_message(self.tool, **self.given) if self.tool else str(self.given[""])

    @property
    def leaves(self) -> list[Any]:
        """All texts and numbers in it."""
        return leaves_of(self.given)

    def given_with(self, name: str, value: Any) -> "Act":
        """The same with another value."""
        return Act(self.tool, {**self.given, name: value})


Acts = tuple[Act, ...]


def text_act(text: str) -> Act:
    """A message."""
    return Act("", {"": text})


def key_of(acts: Iterable[Act]) -> str:
    """What tells acts from others."""
    return canonical_json([[act.tool, act.given] for act in acts])


def replaced(act: Act, own: Any, other: Any) -> Iterator[Act]:
    """An act with the other side of a comparison in the place of what came from it."""
    for name, value in act.given.items():
        yield from (act.given_with(name, one) for one in islice(_instead(value, own, other), MOST_TEXTS))


def with_words(act: Act, own: Any, words: str) -> Iterator[Act]:
    """An act with words added to a text of it that was read, whole or word by word, in which they were looked for."""
    read = [own] if isinstance(own, str) else list(own) if isinstance(own, list | tuple | set) else []
    for name, value in act.given.items():
        texts = [one for one in read if isinstance(one, str) and one]
        if isinstance(value, str) and texts and all(one.casefold() in value.casefold() for one in texts):
            yield act.given_with(name, f"{value} {words}")


def made_one_of(acts: Acts, own: Any, others: Any) -> Iterator[Acts]:
    """Acts that make each of some items in the place of one that was made."""
    if isinstance(own, list | tuple) and isinstance(others, list | tuple | set):
        for item in islice(others, MOST_DIFFERENT):
            if (done := _whole(acts, [item], [own], ())) != acts:
                yield done


def repaired(acts: Acts, own: Any, other: Any) -> Acts | None:
    """Acts after which a state is as another one, made in the way in which the items were made that there are."""
    missing, extra = _apart(_items(other), _items(own)), _apart(_items(own), _items(other))
    if not missing + extra or max(len(missing), len(extra)) > MOST_DIFFERENT:
        return None
    return _whole(acts, missing, extra, _items(own))


def different_items(own: Any, other: Any) -> list[Any]:
    """Some of the items that a state lacks, and of those that it should not have."""
    missing, extra = _apart(_items(other), _items(own)), _apart(_items(own), _items(other))
    return [*missing[:MOST_ITEM_CALLS], *extra[:MOST_ITEM_CALLS]]


def with_act(acts: Acts, act: Act, last: int = 1) -> Acts:
    """The acts with one more before the last ones."""
    place = max(0, len(acts) - last)
    return (*acts[:place], act, *acts[place:])


def difference(own: Any, other: Any) -> int:
    """In how many items two values differ."""
    return len(_apart(_items(other), _items(own))) + len(_apart(_items(own), _items(other)))


def calls_with(item: Any, tools: Schemas) -> Iterator[Act]:
    """The calls whose arguments are the texts and numbers of an item, in their order or by their names.

    Where a tool takes more than the item has, other arguments are odd ones.
    """
    named = item if isinstance(item, Mapping) else {}
    known = leaves_of(item)
    for tool in tools:
        odd = odd_arguments(tool)
        fits = [
            [named[name]] if _fits(named.get(name), properties_of(tool).get(name, {}))
            else [one for one in known if _fits(one, properties_of(tool).get(name, {}))]
            for name in odd
        ]  # fmt: skip
        chosen = (one for one in islice(product(*fits), 64) if len(set(map(repr, one))) == len(one))
        calls = [Act(name_of(tool), dict(zip(odd, values, strict=True))) for values in islice(chosen, MOST_CALLS)]
        if not calls:
            some = ((name, one) for name, values in zip(odd, fits, strict=True) for one in values)
            calls = [Act(name_of(tool), {**odd, name: one}) for name, one in islice(some, MOST_CALLS)]
        yield from calls if odd else ()


def odd_arguments(tool: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments that can be told apart wherever they turn up, for the parameters that a tool needs."""
    needed = required_of(tool) or list(properties_of(tool))
    return {name: _odd(properties_of(tool).get(name, {}), place) for place, name in enumerate(needed)}


def _odd(schema: Mapping[str, Any], place: int) -> Any:
    kind = schema.get("type")
    if isinstance(schema.get("enum"), list) and schema["enum"]:
        return schema["enum"][0]
    number, word = 7 + 4 * place, ODD_WORDS[place % len(ODD_WORDS)]
    odd = {"boolean": True, "integer": number, "number": number, "array": [word], "object": {}}
    return odd.get(str(kind), word)


def leaves_of(value: Any) -> list[Any]:
    """The texts and numbers in a value."""
    if isinstance(value, Mapping):
        return [leaf for pair in value.items() for one in pair for leaf in leaves_of(one) if one != ""]
    if isinstance(value, list | tuple | set | frozenset):
        return [leaf for one in value for leaf in leaves_of(one)]
    return [value] if isinstance(value, str | int | float) else []


def _fits(value: Any, schema: Mapping[str, Any]) -> bool:
    kinds = {"string": str, "integer": int, "number": (int, float), "boolean": bool}
    kind: Any = kinds.get(str(schema.get("type")), ())
    listed = schema.get("enum")
    if isinstance(value, bool) and kind is not bool:
        return False
    return isinstance(value, kind) and (not isinstance(listed, list) or value in listed)


def _instead(value: Any, own: Any, other: Any) -> Iterator[Any]:
    """A value of an act with what is wanted in the place of what was read from it."""
    if isinstance(other, Length):
        yield from _as_long(value, own, other.most)
    elif isinstance(value, str) and (len(value) <= MOST_CHARS or own == value):
        read = isinstance(own, str) and own != value and not _is_word_of(own, value)
        for wanted in () if read else as_texts(other):
            yield from (one for one in put_in_place(value, own, wanted) if one != value)
            if isinstance(own, str) and own and own in value.casefold() and not wanted[-1:].isalnum():
                yield f"{wanted.rstrip()} {value}"
        yield from _item_by_item(value, own, other)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        if isinstance(own, int | float) and own == value:
            for leaf in leaves_of(other):
                if isinstance(leaf, int | float) and not isinstance(leaf, bool):
                    yield from (type(value)(leaf + by) for by in (0, -1, 1) if leaf + by != value)
    elif isinstance(value, list):
        if isinstance(own, list | tuple | set) and isinstance(other, list | tuple | set) and list(own) == value:
            yield sorted(other, key=str) if isinstance(other, set) else list(other)
        for place, one in enumerate(value):
            yield from ([*value[:place], new, *value[place + 1 :]] for new in _instead(one, own, other))
    elif isinstance(value, Mapping):
        for name, one in value.items():
            yield from ({**value, name: new} for new in _instead(one, own, other))


def _is_word_of(own: str, value: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(own)}(?!\w)", value, re.IGNORECASE) is not None and own.strip(" .,;") != ""


def _item_by_item(value: str, own: Any, other: Any) -> Iterator[str]:
    """A text whose words are the items of a list, with those of the other list."""
    lists = isinstance(own, list | tuple) and isinstance(other, list | tuple)
    if lists and 1 < len(own) == len(other) and all(isinstance(one, str) and one in value for one in own):
        for one, wanted in zip(own, other, strict=True):
            value = value.replace(one, str(wanted), 1)
        yield value


def _as_long(value: Any, own: Any, length: int) -> Iterator[Any]:
    """A value with as many words or letters as were asked for."""
    if not isinstance(value, str) or not 0 < length <= 20:
        return
    if isinstance(own, list | tuple) and own and all(isinstance(one, str) and one in value for one in own):
        between = "," if "," in value else " "
        yield between.join((list(own) * length)[:length])
    elif isinstance(own, str) and own and own in value:
        yield value.replace(own, (own * length)[:length])


def _items(value: Any) -> list[Any]:
    if isinstance(value, Mapping):
        return list(value.items())
    return list(value) if isinstance(value, list | tuple | set | frozenset) else [value]


def _apart(items: Sequence[Any], others: Sequence[Any]) -> list[Any]:
    """The items that the others do not have, each as often as it is more."""
    left = list(others)
    found = []
    for one in items:
        if one in left:
            left.remove(one)
        else:
            found.append(one)
    return found


def _whole(acts: Acts, missing: Sequence[Any], extra: Sequence[Any], known: Sequence[Any]) -> Acts:
    """All repairs together: acts that made a wrong item make one that is missing, and some are left out or added."""
    new: list[Act | None] = list(acts)
    used: set[int] = set()
    patterns = [(one, place) for one in (*extra, *known) if (place := _made_by(acts, one, ())) is not None]
    added: list[Act] = []
    for wrong, wanted in _paired(extra, missing):
        place = None if wrong is _NOTHING else _made_by(acts, wrong, used)
        if place is not None:
            used.add(place)
            new[place] = None if wanted is _NOTHING else _aligned(acts[place], wrong, wanted)
        elif wanted is not _NOTHING:
            made = (_aligned(acts[one], pattern, wanted) for pattern, one in patterns)
            added += islice((one for one in made if one is not None), 1)
    done: Acts = tuple(one for one in new if one is not None)
    for act in added:
        done = with_act(done, act)
    return done


def _paired(extra: Sequence[Any], missing: Sequence[Any]) -> Iterator[tuple[Any, Any]]:
    """Each wrong item with the missing one that it has most in common with."""
    left = list(extra)
    for wanted in missing:
        have = set(map(repr, leaves_of(wanted)))
        wrong = max(left, key=lambda one: len(have & set(map(repr, leaves_of(one)))), default=_NOTHING)
        if wrong is not _NOTHING:
            left.remove(wrong)
        yield wrong, wanted
    yield from ((wrong, _NOTHING) for wrong in left)


def _made_by(acts: Acts, item: Any, used: Iterable[int]) -> int | None:
    """The place of the act that has most of what an item has."""
    of_item = {_folded(leaf) for leaf in leaves_of(item)}
    shared = {
        place: len(of_item & set(map(_folded, act.leaves))) for place, act in enumerate(acts) if place not in used
    }
    best = max(shared, key=lambda place: shared[place], default=None)
    return best if best is not None and shared[best] > 0 else None


def _aligned(act: Act, wrong: Any, wanted: Any) -> Act | None:
    """An act with each text and number of a wrong item changed to that in the same place of the wanted one."""
    olds, news = leaves_of(wrong), leaves_of(wanted)
    if len(olds) != len(news):
        return None
    by_old = {_folded(old): new for old, new in zip(olds, news, strict=True)}

    def changed(value: Any) -> Any:
        if isinstance(value, Mapping):
            return {name: changed(one) for name, one in value.items()}
        if isinstance(value, list):
            return [changed(one) for one in value]
        new = by_old.get(_folded(value), value)
        return str(new) if isinstance(value, str) else new

    return Act(act.tool, changed(act.given))


def _folded(leaf: Any) -> Any:
    return leaf.strip().casefold() if isinstance(leaf, str) else leaf
