"""The texts that a game might take as an act: words, short phrases and numbers of what it shows."""

import re
import string
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import product

from grpo_env_sdk.late_patterns import regex

NONSENSE = ("lorem", "blip", "zephyr", "quixote", "987654")
"""What no game knows; where it takes one of them, its acts are not few."""
NUMBERS = (*range(26), 37, 58, 99, 123, 4711)
"""Where the large ones are taken too, the acts are not few."""
MOST_PHRASES, _MOST_ALIKE, _MOST_CHARS = 900, 120, 30
_CLAUSE = regex(r"[.,;:!?()\[\]\n\"'`<>|\u2018\u2019\u201c\u201d]+|\s(?:or|and)\s")
_QUOTED = regex(r"`([^`\n]{1,30})`|\"([^\"\n]{1,30})\"|'([^'\n]{1,30})'|\[([^\[\]\n]{1,30})\]")
_WORD = regex(r"[^\W\d_]{2,}")
_PAIR = regex(r"(?<!\w)[A-Za-z][:/-]\d(?!\w)")
"""A move of a letter and a digit, such as `B:2`."""
_TAGS = regex(r"<(\w+)>[^<>]{0,40}</\1>")


@lru_cache(maxsize=64)
def phrases_of(shown: str, longest: int = 4) -> tuple[str, ...]:
    """Every text that might be an act, the likely ones first, without duplicates."""
    found = dict.fromkeys("".join(one) for one in _QUOTED.findall(shown))
    found |= dict.fromkeys(_PAIR.findall(shown))
    clauses = [clause.split() for clause in _CLAUSE.split(shown)]
    for length in range(1, longest + 1):
        found |= dict.fromkeys(_runs(clauses, length))
    marks = {word for words in clauses for word in words if len(word) == 1 and word.isalpha()}
    for phrase in list(found):
        found |= dict.fromkeys(_alike(phrase, sorted(marks)))
    if longest > 2:
        numbers = map(str, NUMBERS) if re.search(r"\d", shown) else ()
        found |= dict.fromkeys([*numbers, *string.ascii_lowercase])
    bare = list(found)[:MOST_PHRASES]
    tags = dict.fromkeys(_TAGS.findall(shown))
    return (*bare, *(f"<{tag}>{one}</{tag}>" for tag in tags for one in bare if " " not in one))


def _runs(clauses: Iterable[list[str]], length: int) -> Iterator[str]:
    """So many words one after another, of which one is more than a letter or number where there are several."""
    for words in clauses:
        for start in range(len(words) - length + 1):
            text = " ".join(words[start : start + length])
            if len(text) <= _MOST_CHARS and (length == 1 or _WORD.search(text)):
                yield text


def _alike(phrase: str, marks: list[str]) -> Iterator[str]:
    """The phrase with other single letters and digits in the place of its own."""
    parts = re.split(r"(?<!\w)(\w)(?!\w)", phrase)
    if len(parts) == 1 or (len(parts) == 3 and not (parts[0] + parts[2]).strip()):
        return
    pools = [string.digits if part.isdecimal() else marks if part in marks else part for part in parts[1::2]]
    for number, chosen in enumerate(product(*pools)):
        if number >= _MOST_ALIKE:
            return
        yield "".join(part for pair in zip(parts[::2], [*chosen, ""], strict=True) for part in pair)
