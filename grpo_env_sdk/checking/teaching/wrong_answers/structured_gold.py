"""Whether every part of a gold answer counts that is a list or an object: each item, each key, each value."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from math import isfinite
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.guesses import form_of, without_form
from grpo_env_sdk.checking.evidence.golds import golds
from grpo_env_sdk.checking.evidence.playing.read_columns import is_compared_with
from grpo_env_sdk.checking.evidence.prompts.json_data import NO_JSON, read_json
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.variants import Outcome, Variant, golds_with_text, played, still_earns
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.lazy_answers.idling import MOSTLY
from grpo_env_sdk.late_patterns import regex

MOST_ROWS = {"quick": 6, "default": 10, "thorough": 40}
MOST_KEYS, MOST_FOUND = 4, 2
FEWEST_KEYS, FEWEST_READ, MOSTLY_LOST = 3, 2, 0.5
_HINT = "Compare all items and values, in both directions: what is missing counts as much as what is too much."
OTHER, EMPTY = "with another value of", "with an empty value of"
ONCE, ANOTHER_LAST = "with an item once that it has twice", "with another item in place of its last one"
MIDDLE, ONE_MORE = "with other items between its ends", "with one more item"
REPEATED, ONE_KEY = "with its first item in place of all", "cut to its first key"
_CHANGED = (OTHER, ANOTHER_LAST)
_ANY = regex(r"\b(?:any|one of|optional|if (?:you )?know\w*|at least one)\b", re.IGNORECASE)
"""What a prompt says where one key of several may be enough."""
_DIFFERENT = regex(r"\b(?:different|distinct|unique|no duplicates|without repeat\w*|only once)\b", re.IGNORECASE)
_NO_OTHER = regex(
    r"\bexactly (?:the|those)\b|\b(?:no|none of the) others?\b|\bnothing else\b|\bno more\b", re.IGNORECASE
)
_SAID = {REPEATED: _DIFFERENT, ONE_MORE: _NO_OTHER}
"""What a prompt says where a change of this kind is an error."""
_BETWEEN = (", ", " > ", " -> ", " → ", "; ", "\n", " * ", "*", " x ", " \u00d7 ", "\u00d7", "-", " ")
"""What may be between the items of a list that is no JSON."""
_BETWEEN_LABELS = ("\n", "; ", ", ")
_PIECE = regex(r"(?P<before>[-* ]*(?P<label>[^\W\d_][\w ]{0,24}) ?[:=] ?)(?P<value>\S.*)(?P<after>)")
_TAGGED = regex(r"(?P<before><(?P<label>\w+)>)(?P<value>[^<>]+)(?P<after></(?P=label)>)")
_FREE = regex(
    r"(?<![^\W_])(?:reason\w*|think\w*|thoughts?|expla\w+|why|notes?|comments?|work(?:ings?)?|steps?|justif\w+|rationale)"
    r"(?![^\W_])",
    re.IGNORECASE,
)
"""Labels of what says how an answer was found."""
_ITEM = regex(r"-?\w[\w-]*(?:\.\d+)?")
_SHORT_ITEM = regex(r"-?\d+(?:\.\d+)?|\w[\w#♯♭]?|[^\W\d_]{1,3}\d{1,3}")
_IN_BRACKETS = regex(r"\[[^\[\]\n]{1,30}\]")
_CITED = regex(r"(?P<before>[^\[\]\n]{1,40}?\s)(?P<items>\[[^\[\]\n]{1,30}\](?:[ ,;]*\[[^\[\]\n]{1,30}\])*)")
_NAME = regex(r"-?\w[\w .'+*/-]{0,60}")
"""An item, one where spaces are between them, so that it is no sentence, and one of several words."""
Changes = Iterator[tuple[str, Any]]


@check("G542", needs=("gold",), severity="warning")
def every_item_of_gold_counts(subject: Subject) -> Iterator[Finding]:
    """A gold answer that is a list or an object scores less without, or with another one of, its items or values."""
    texts = [gold.text for gold in golds(subject).values()]
    if not texts:
        return  # no gold earns a score
    shared = form_of(texts)
    is_whole = _data(texts[0]) is not None or _data(without_form(texts[0], shared)) is None
    form = ("", "") if is_whole else shared
    known = golds_with_text(subject, MOST_ROWS[subject.effort])
    cores = {gold.row: without_form(gold.text, form).strip() for gold in known}
    others = [item for core in cores.values() for item in _items(_data(core))]
    variants = [
        Variant(name, gold, f"{form[0]}{changed}{form[1]}")
        for gold in known
        for name, changed in _changed(cores[gold.row], others)
        if changed != cores[gold.row]
    ]
    outcomes = played(subject, variants)
    accepted = [one for one in outcomes.values() if one.proven(MOSTLY)]
    accepted.sort(key=lambda one: one.name != ONE_KEY)  # it says what the loss of each key says
    sure = bool(accepted) and is_compared_with(subject, cores)
    labelled = any(isinstance(_data(core), _Labelled) for core in cores.values())
    for outcome in accepted[:MOST_FOUND]:
        prompt = prompt_text(subject, outcome.won[0].row_index)
        said = _SAID.get(outcome.name)
        asked = said.search(prompt) if said else outcome.name == ONE_KEY
        asked = asked and not (outcome.name == ONE_KEY and (labelled or _ANY.search(prompt)))
        read = _is_read(outcomes, outcome.name)
        yield still_earns(subject, outcome, outcome.name, _HINT, "error" if sure or asked or read else "warning")


def _is_read(outcomes: Mapping[str, Outcome], name: str) -> bool:
    """Whether wrong values mostly lose where an empty one does not, or those of several others where these do not."""
    losing = {one.name for one in outcomes.values() if one.share.mean < MOSTLY_LOST and one.name.startswith(_CHANGED)}
    if name in (ONCE, MIDDLE):
        return ANOTHER_LAST in losing
    if name.startswith(EMPTY):
        return name.replace(EMPTY, OTHER) in losing
    return name.startswith(OTHER) and len(losing - {ANOTHER_LAST}) >= FEWEST_READ


@dataclass(frozen=True, slots=True)
class _Plain:
    """The items of a list that is no JSON, what is between them, and a text before the first."""

    items: list[str]
    between: str
    before: str = ""


class _Labelled(dict[str, str]):
    """Values behind labels or in tags, by their labels: what is around each, and between two of them."""

    def __init__(self, pieces: Sequence[re.Match[str]], between: str) -> None:
        super().__init__((piece["label"], piece["value"]) for piece in pieces)
        self.around = {piece["label"]: (piece["before"], piece["after"]) for piece in pieces}
        self.between = between

    def text(self, values: Mapping[str, str]) -> str:
        """Other values in the same form."""
        return self.between.join(value.join(self.around[label]) for label, value in values.items())


def _data(core: str) -> Any:
    """The list or object that a text is; None if it is neither, or empty."""
    value = read_json(core, NO_JSON)
    if value is NO_JSON:
        labelled = (_labelled(core, between) for between in _BETWEEN_LABELS)
        plain = (_plain(core, between) for between in _BETWEEN)
        return next(filter(None, chain(labelled, plain, [_cited(core)])), None)
    return value if isinstance(value, dict | list) and value else None


def _labelled(core: str, between: str) -> _Labelled | None:
    pieces = [found for piece in core.split(between) if (found := _PIECE.fullmatch(piece) or _TAGGED.fullmatch(piece))]
    if not len(pieces) == len({piece["label"] for piece in pieces}) == len(core.split(between)) > 1:
        return None
    numbers = all(_ITEM.fullmatch(piece["value"]) and piece["value"][-1].isdigit() for piece in pieces)
    return None if numbers else _Labelled(pieces, between)  # numbers behind labels are looked at one by one elsewhere


def _plain(core: str, between: str) -> _Plain | None:
    items = core.split(between)
    fewest, item = (2, _ITEM) if between == ", " else (3, _SHORT_ITEM if between in (" ", "-") else _NAME)
    if between == "-" and core.replace("-", "").isdigit():
        return None  # a date, or a number of a telephone
    return _Plain(items, between) if len(items) >= fewest and all(item.fullmatch(one) for one in items) else None


def _cited(core: str) -> _Plain | None:
    """The items in brackets at the end of a short answer, such as the clauses of `yes [c2] [c5]`."""
    found = _CITED.fullmatch(core)
    return _Plain(_IN_BRACKETS.findall(found["items"]), " ", found["before"]) if found else None


def _parts(value: Any) -> list[Any]:
    return list(value.items) if isinstance(value, _Plain) else list(value or [])


def _items(value: Any) -> list[tuple[Any, Any]]:
    """The values of an object by their keys, and the items of a list by None."""
    return list(value.items()) if isinstance(value, dict) else [(None, item) for item in _parts(value)]


def _changed(core: str, others: Sequence[tuple[Any, Any]]) -> Iterator[tuple[str, str]]:
    """The ways to change a list or an object, as text in the same form."""
    value = _data(core)
    items = [item for _, item in others]
    changes = _of_object(value, others) if isinstance(value, dict) else _of_list(_parts(value), items)
    for name, changed in changes:
        if isinstance(value, _Labelled):
            yield name, value.text(changed)
        elif isinstance(value, _Plain):
            yield name, value.before + value.between.join(changed)
        else:
            yield name, json.dumps(changed, ensure_ascii=False)


def _of_object(value: dict[str, Any], others: Sequence[tuple[Any, Any]]) -> Changes:
    counted = [(key, right) for key, right in value.items() if not _FREE.search(key)]
    for key, right in counted[:MOST_KEYS]:
        same = [item for name, item in others if name == key]
        yield f"{OTHER} {key!r}", {**value, key: _other(right, [right], same)}
        yield f"{EMPTY} {key!r}", {**value, key: _empty(right)}
        yield f"without {key!r}", {name: held for name, held in value.items() if name != key}
    if len(value) >= FEWEST_KEYS:
        yield ONE_KEY, dict(list(value.items())[:1])
    yield from _inside(value)
    values = [*list(value.values())[1:], next(iter(value.values()))]
    yield "with its values in other places", dict(zip(value, values, strict=True))
    yield "as an empty object", {}


def _of_list(items: list[Any], others: Sequence[Any]) -> Changes:
    if not items:
        return
    other = _other(items[0], items, others)
    if len(items) > 1:
        yield "without its last item", items[:-1]
        yield "without its first item", items[1:]
        yield "cut to its first item", items[:1]
        yield REPEATED, items[:1] * len(items)
        if twice := [item for place, item in enumerate(items) if item in items[:place]]:
            once = list(items)
            once.remove(twice[0])
            yield ONCE, once
        yield from _inside(items)
    yield "as an empty list", []
    yield ONE_MORE, [*items, other]
    yield ANOTHER_LAST, [*items[:-1], other]
    if len(items) > 2:
        yield MIDDLE, [items[0], *[other] * (len(items) - 2), items[-1]]
    yield "with other items in place of all", [other] * len(items)


def _inside(value: Any) -> Changes:
    """The last value that is inside another one, changed or left out: the last of a list in an object, for instance."""
    for place, held in list(value.items() if isinstance(value, dict) else enumerate(value))[::-1]:
        if isinstance(held, dict | list) and held:
            last = list(held)[-1] if isinstance(held, dict) else len(held) - 1
            for name, inner in (
                ("with another value inside the last of its values", _replaced(held, last, _other(held[last], [], []))),
                ("with one value less inside the last of its values", _dropped(held, last)),
            ):
                yield name, _replaced(value, place, inner)
            return


def _replaced(held: Any, place: Any, other: Any) -> Any:
    changed = held.copy()
    changed[place] = other
    return changed


def _dropped(held: Any, place: Any) -> Any:
    changed = held.copy()
    del changed[place]
    return changed


def _other(right: Any, but: Sequence[Any], others: Sequence[Any]) -> Any:
    """Another value of the same type, of another row where there is one."""
    if isinstance(right, bool):
        return not right
    if isinstance(right, int | float):
        right = right if isfinite(right) else 0
        return right + max(3, abs(int(right)) * 3 // 5) + 100_000 * (len(but) > 1)
    held = next((one for one in others if type(one) is type(right) and one not in but), None)
    if held is not None:
        return held
    return f"{right[::-1]}q" if isinstance(right, str) else [right]


def _empty(right: Any) -> Any:
    kind = type(right)
    return kind() if kind in (str, list, dict) else None
