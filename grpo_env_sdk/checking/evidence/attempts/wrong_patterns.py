"""Patterns that are wrong on some texts of two lists: they match too many of them, or too few."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from grpo_env_sdk.checking.evidence.prompts.bare_text import shared_beginning

MOST_TRIED, MOST_PATTERN = 4, 200
"""How many patterns of each kind are tried, and how long one is at most."""
Matches = Callable[[str, str], bool]
"""Whether a pattern matches a text; raises re.error where it is no pattern."""


def as_a_whole(pattern: str, text: str) -> bool:
    """Whether all of a text matches a regular expression."""
    return re.fullmatch(pattern, text) is not None


def somewhere(pattern: str, text: str) -> bool:
    """Whether a part of a text matches a regular expression."""
    return re.search(pattern, text) is not None


def as_a_file_name(pattern: str, text: str) -> bool:
    """Whether a text matches a pattern of file names."""
    return fnmatchcase(text, pattern)


WAYS: tuple[Matches, ...] = (as_a_whole, somewhere, as_a_file_name)


@dataclass(frozen=True, slots=True)
class TwoLists:
    """Texts that a pattern should match, others that it should not, and the ways in which it may be read."""

    wanted: Sequence[str]
    unwanted: Sequence[str]
    ways: Sequence[Matches]

    def told_apart_by(self, pattern: str) -> "TwoLists | None":
        """The same with the ways in which a pattern tells the lists apart; None where there are none."""
        ways = [way for way in self.ways if self._counts(pattern, way) == (len(self.wanted), 0)]
        return TwoLists(self.wanted, self.unwanted, ways) if ways else None

    def matching_too_many(self) -> list[str]:
        """Patterns that match all wanted texts and some of the others, however they are read."""
        return self._kept(self._wide(), lambda wanted, other: wanted == len(self.wanted) and self._is_part(other))

    def matching_too_few(self) -> list[str]:
        """Patterns that match some wanted texts only, and none of the others."""
        return self._kept(self._narrow(), lambda wanted, other: 0 < wanted < len(self.wanted) and not other)

    def _is_part(self, count: int) -> bool:
        return 0 < count < len(self.unwanted)

    def _kept(self, patterns: Iterator[str], fits: Callable[[int, int], bool]) -> list[str]:
        short = [one for one in dict.fromkeys(patterns) if len(one) <= MOST_PATTERN]
        counted = {one: [self._counts(one, way) for way in self.ways] for one in short}
        found = [one for one, counts in counted.items() if all(fits(*count) for count in counts)]
        return [*found[:1], *sorted(found[1:], key=len)[: MOST_TRIED - 1]]  # short ones for prompts with a limit

    def _counts(self, pattern: str, way: Matches) -> tuple[int, int]:
        """How many texts of each list a pattern matches; -1 where it is none."""
        try:
            wanted, unwanted = (sum(way(pattern, one) for one in texts) for texts in (self.wanted, self.unwanted))
        except (re.error, OverflowError, RecursionError):
            return -1, -1
        return wanted, unwanted

    @property
    def _is_file_name(self) -> bool:
        return as_a_file_name in self.ways

    def _wide(self) -> Iterator[str]:
        lengths = sorted({len(one) for one in self.wanted})
        before, after = shared_beginning(self.wanted), shared_beginning([one[::-1] for one in self.wanted])[::-1]
        if self._is_file_name:
            yield from (f"{before}*", f"*{after}", f"{before[:-1]}*", f"*{after[1:]}", "?" * lengths[0], "?*")
            return
        for others in (self.unwanted[:-1], self.unwanted[1:]):
            yield from _both(_any_of([*self.wanted, *others]))
        times = f"{lengths[0]},{lengths[-1]}" if len(lengths) > 1 else str(lengths[0])
        signs = "".join(sorted({re.escape(sign) for one in self.wanted for sign in one}))
        ends = f"{re.escape(before)}.+", f".+{re.escape(after)}"
        for pattern in (f".{{{times}}}", *ends, r"\S+", f"[{signs}]+", r".*\d", r"\w.*", f".{{{lengths[0]},}}"):
            yield from _both(pattern)

    def _narrow(self) -> Iterator[str]:
        for some in (self.wanted[:1], self.wanted[-1:], self.wanted[:-1]):
            if self._is_file_name:
                yield from (one for one in some if not re.search(r"[*?\[]", one))
            else:
                yield from _both(_any_of(some))


def _any_of(texts: Sequence[str]) -> str:
    return "|".join(map(re.escape, texts))


def _both(pattern: str) -> Iterator[str]:
    """A pattern as it is, and for the whole of a text."""
    yield pattern
    yield f"^(?:{pattern})$" if "|" in pattern else f"^{pattern}$"
