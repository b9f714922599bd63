"""Rows of `test` that are rows of `train` apart from a few letters, found by rare groups of five characters."""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from statistics import median

from grpo_env_sdk.checking.evidence.prompts.bare_text import shared_beginning
from grpo_env_sdk.late_patterns import regex

LENGTH = 5
ALIKE, UNLIKE = 0.65, 0.4
"""The share of rare groups from which two rows are one question, and that unrelated rows of `train` may share."""
FEWEST_GROUPS, RARE = 8, 0.05
"""The rare groups that a row needs to be compared, and the share of rows up to which a group is rare."""
MOST_ROWS, MOST_TRAIN, MOST_CHARS = 200, 2_000, 1_000
FRAME, REPEATED = 0.9, 0.05
"""The share of the prompts of a split from which a word is a part of how it asks; and the share of rows of `train` with
the same other words as another one from which these say nothing."""
MOST_READ = 4_000
"""The characters of a prompt in which words are read."""
FEWEST_PIECES = 4
"""The sentences and lines from which another order of them is no accident."""
_MARK = regex(r"^\s*(?:[-*•]|\(?(?:\d{1,2}|[a-z])[).:])\s+")
Texts = Mapping[int, str]


def near_twins(train: Texts, test: Texts) -> list[tuple[int, int]]:
    """Each row of `test` with its near twin in `train`; none where rows of `train` are as alike among themselves."""
    shared = len(shared_beginning([*train.values(), *test.values()]))  # often most of a prompt, and never rare
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


def reworded_twins(train: Texts, test: Texts) -> list[tuple[int, int]]:
    """Each row of `test` with the row of `train` that has the same words, but for those of how a split asks.

    These are the words that most prompts of a split have, as often as they have them, and a few that the other split
    never uses. Nothing is found where what is left does not tell rows of `train` apart.
    """
    split = [{row: _words(text) for row, text in texts.items()} for texts in (train, test)]
    frames = [_frame(list(words.values())) for words in split]
    used = [{word for one in words.values() for word in one} for words in split]
    both = used[0] & used[1]
    asked = frames[0].keys() | frames[1].keys()

    def key(words: Sequence[str], left: Sequence[str]) -> tuple[str, ...]:
        kept = tuple(word for word in left if word in both)
        return kept if len(kept) > len({word for word in words if word not in asked and word not in both}) else ()

    in_order = [{row: key(one, [word for word in one if word not in asked]) for row, one in words.items()}
                for words in split]  # fmt: skip
    in_any = [{row: key(one, sorted((Counter(one) - frame).elements())) for row, one in words.items()}
              for words, frame in zip(split, frames, strict=True)]  # fmt: skip
    return max((_with_same_key(*one) for one in (in_order, in_any)), key=len)


def _frame(texts: Sequence[Sequence[str]]) -> Counter[str]:
    """The words that most texts have, with how often they have them at least."""
    counted = [Counter(words) for words in texts]
    of_most = Counter(word for count in counted for word in count)
    least = int((1 - FRAME) * len(texts))
    return Counter({
        word: sorted(count[word] for count in counted)[least]
        for word, texts_with in of_most.items() if texts_with >= FRAME * len(texts)
    })  # fmt: skip


def _words(text: str) -> list[str]:
    """The words of a text with the signs in them, such as `c#` and `-4`, but not those around them."""
    return [word for one in text[:MOST_READ].casefold().split() if (word := one.strip(".,;:!?\"'`()[]"))]


def _with_same_key(train: Mapping[int, tuple[str, ...]], test: Mapping[int, tuple[str, ...]]) -> list[tuple[int, int]]:
    known = {key: row for row, key in train.items() if key}
    keys = Counter(key for key in train.values() if key)
    if sum(count for count in keys.values() if count > 1) > REPEATED * keys.total():
        return []
    return [(row, known[key]) for row, key in test.items() if key in known]


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
