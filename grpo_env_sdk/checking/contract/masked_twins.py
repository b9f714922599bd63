"""Rows of `test` that are rows of `train` but for a number or id at one place, which never decides what is right."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise

from grpo_env_sdk.checking.evidence.golds import golds, play_answers, won_of
from grpo_env_sdk.checking.evidence.playing.read_columns import columns_read, may_read, sees_prompts
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import canonical_json

MOST_PLACES, MOST_CHARS, MOST_ROWS, MOST_PLAYED = 25, 4_000, 4_000, 20
FEWEST_PAIRS, BY_CHANCE = 8, 1e-4
"""How many rows have to be alike but for the number, and how likely the same `right` may be by chance."""
_WORD = regex(r"\w+(?:[-/.]\w+)*")
Texts = Mapping[int, str]
Pair = tuple[int, int]
"""A row of `test`, and one of `train`."""


def masked_twins(train: Texts, test: Texts, right: Mapping[int, str]) -> list[Pair]:
    """Each row of `test` with one of `train` that differs from it in one number, at a place that never decides.

    Rows that differ in nothing but the number there have the same `right`, more often than chance explains.
    """
    texts = {**train, **test}
    if not texts or len(texts) > MOST_ROWS or texts.keys() - right.keys():
        return []
    counted = Counter(right[row] for row in texts)
    by_chance = sum((count / len(texts)) ** 2 for count in counted.values())
    parts = {row: _parts(text[:MOST_CHARS]) for row, text in texts.items()}
    found = []
    for place in (*range(MOST_PLACES), *range(-1, -MOST_PLACES - 1, -1)):
        groups = _groups(parts, place).values()
        pairs = [pair for group in groups for pair in pairwise(group) if parts[pair[0]] != parts[pair[1]]]
        enough = len(pairs) >= FEWEST_PAIRS and by_chance ** len(pairs) < BY_CHANCE
        if enough and all(right[one] == right[other] for one, other in pairs):
            known = [[row for row in group if row in train] for group in groups]
            found.append([(row, old[0]) for group, old in zip(groups, known, strict=True) if old
                          for row in group if row in test])  # fmt: skip
    return max(found, key=len, default=[])


def right_by_row(subject: Subject) -> dict[int, str]:
    """What decides on each row: the columns that the scorer reads, or all where it may read any."""
    columns = set(subject.rows.columns) if may_read(subject, "") else columns_read(subject)
    columns -= {"prompt", "case_idx"} if may_read(subject, "") else set()
    return {row: canonical_json([subject.row(row).get(name) for name in sorted(columns)])
            for row in subject.rows.indices if columns}  # fmt: skip


def right_as_well(subject: Subject, pairs: Sequence[Pair]) -> list[Pair]:
    """The pairs, if the answers of their rows of `train` are right on those of `test` too.

    Without gold, they are if the scorer gets no prompt, in which it could read the number.
    """
    known = [(row, golds(subject)[twin].turns) for row, twin in pairs if {row, twin} <= golds(subject).keys()]
    if not known:
        return [] if sees_prompts(subject) else list(pairs)
    played = play_answers(subject, known[:MOST_PLAYED])
    return list(pairs) if len(won_of(subject, played)) == len(played) else []


def _parts(text: str) -> list[str]:
    """The words of a text, at odd places, and what is between them."""
    parts, end = [], 0
    for word in _WORD.finditer(text):
        parts += [text[end : word.start()], word[0]]
        end = word.end()
    return [*parts, text[end:]]


def _groups(parts: Mapping[int, Sequence[str]], place: int) -> dict[tuple[str, ...], list[int]]:
    """The rows by all of their text but the number or id at one place, counted from the end where it is negative."""
    groups: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for row, words in parts.items():
        at = 2 * place + 1 if place >= 0 else len(words) + 2 * place
        if 0 < at < len(words) and any(one.isdigit() for one in words[at]):
            groups[(*words[:at], "", *words[at + 1 :])].append(row)
    return groups
