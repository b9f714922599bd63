"""Rows of `test` that are rows of `train` apart from a few letters, found by rare groups of five characters."""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from statistics import median

LENGTH = 5
ALIKE, UNLIKE = 0.65, 0.4
"""The share of rare groups from which two rows are one question, and that unrelated rows of `train` may share."""
FEWEST_GROUPS, RARE = 8, 0.05
"""The rare groups that a row needs to be compared, and the share of rows up to which a group is rare."""
MOST_ROWS, MOST_TRAIN, MOST_CHARS = 200, 2_000, 1_000
FEWEST_PIECES = 4
"""The sentences and lines from which another order of them is no accident."""
_MARK = re.compile(r"^\s*(?:[-*•]|\(?(?:\d{1,2}|[a-z])[).:])\s+")
Texts = Mapping[int, str]


def near_twins(train: Texts, test: Texts) -> list[tuple[int, int]]:
    """Each row of `test` with its near twin in `train`; none where rows of `train` are as alike among themselves."""
    shared = _shared_start([*train.values(), *test.values()])  # often most of a prompt, and never rare
    known = {row: _groups(text[shared:]) for row, text in list(train.items())[:MOST_TRAIN]}
    held = {row: _groups(text[shared:]) for row, text in list(test.items())[:: max(1, len(test) // MOST_ROWS)]}
    counted = Counter(group for groups in known.values() for group in groups)
    most = max(2, RARE * len(known))
    where: dict[str, list[int]] = defaultdict(list)
    for row, groups in known.items():
        for group in groups:
            if counted[group] <= most:
                where[group].append(row)
    others = list(known)[:: max(1, len(known) // MOST_ROWS)]
    usual = [found[1] for row in others if (found := _nearest(known[row], where, counted, most, row))]
    if not usual or median(usual) > UNLIKE:
        return []
    nearest = {row: _nearest(groups, where, counted, most) for row, groups in held.items()}
    alike = [(row, found[0]) for row, found in nearest.items() if found and found[1] >= ALIKE]
    return [(row, twin) for row, twin in alike if _numbers(test[row]) == _numbers(train[twin])]


def _shared_start(texts: Sequence[str]) -> int:
    """With how many equal characters all texts start."""
    first, last = min(texts), max(texts)
    pairs = enumerate(zip(first, last, strict=False))
    return next((place for place, (one, other) in pairs if one != other), len(first))


def framed_twins(train: Texts, test: Texts) -> list[tuple[int, int]]:
    """Each row of `test` with the row of `train` that differs only in words which all prompts of a split share."""
    known = {rest: row for row, rest in _without_frame(train).items()}
    return [(row, known[rest]) for row, rest in _without_frame(test).items() if rest in known]


def _without_frame(texts: Texts) -> dict[int, tuple[str, ...]]:
    words = {row: text.split() for row, text in texts.items()}
    frame = set.intersection(*map(set, words.values())) if words else set()
    return {row: rest for row, found in words.items() if (rest := tuple(word for word in found if word not in frame))}


def _nearest(
    groups: set[str], where: Mapping[str, list[int]], counted: Mapping[str, int], most: float, but: int = -1
) -> tuple[int, float] | None:
    """The row of `train` that shares most of the rare groups of a text, and which part of them."""
    rare = [group for group in groups if counted.get(group, 0) <= most]
    shared = Counter(row for group in rare for row in where.get(group, ()) if row != but)
    if len(rare) < FEWEST_GROUPS:
        return None
    row, count = shared.most_common(1)[0] if shared else (-1, 0)
    return row, count / len(rare)


def _numbers(text: str) -> list[str]:
    """The numbers of a text: with others it is another question."""
    return sorted(re.findall(r"\d+", text))


def _groups(text: str) -> set[str]:
    text = text[:MOST_CHARS]
    return {text[start : start + LENGTH] for start in range(len(text) - LENGTH + 1)}


def shuffled_twins(train: Texts, test: Texts) -> list[tuple[int, int]]:
    """Each row of `test` with the row of `train` that has the same sentences and lines in another order."""
    known = {pieces: row for row, text in train.items() if (pieces := _pieces(text))}
    found = ((row, known.get(_pieces(text))) for row, text in test.items())
    return [(row, twin) for row, twin in found if twin is not None]


def _pieces(text: str) -> tuple[str, ...]:
    """The sentences and lines of a text in the order of the alphabet, without the marks of a list."""
    cut = re.split(r"(?<=[.!?;])\s+|\n+", text.casefold())
    pieces = sorted(piece for one in cut if (piece := _MARK.sub("", one).strip(" .;")))
    return tuple(pieces) if len(pieces) >= FEWEST_PIECES else ()
