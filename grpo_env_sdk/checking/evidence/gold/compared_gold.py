"""Answers that score the top, found from what the scorer compares answers with; where nothing else knows gold."""

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date, time
from decimal import Decimal
from fractions import Fraction
from itertools import islice
from typing import Any

from grpo_env_sdk.checking.evidence.author_code.code_words import code_patterns
from grpo_env_sdk.checking.evidence.author_code.compared_values import Compared
from grpo_env_sdk.checking.evidence.author_code.pattern_texts import text_matching
from grpo_env_sdk.checking.evidence.gold.compared_search import ComparedSearch
from grpo_env_sdk.checking.evidence.gold.pattern_frames import frames_of
from grpo_env_sdk.checking.evidence.gold.spellings import spellings
from grpo_env_sdk.checking.evidence.playing.episode_player import EpisodePlayer
from grpo_env_sdk.checking.evidence.prompts.objects_in_texts import object_in_place, objects_for
from grpo_env_sdk.late_patterns import regex

MOST_FIRST, MOST_LATER, MOST_CHARS = 80, 14, 400
"""How many answers are scored on the first row, and on each later one; the most characters of an answer."""
_ALTERNATIVES = 3
"""How many alternatives of a pattern are tried."""
_PROBES = ("7", "x", "A", "2.5", "yes")
_SHOWN = regex(
    r"[`\"'“]([^`\"'“”\n]{1,60})[`\"'”]|(?:such as|like|e\.g\.,?|as in|example:?) ([^\s,;]{1,40}?)(?=[.,;)]?(?:\s|$))"
)
"""What a prompt may show as an example of an answer."""
_PARTS = regex(r"-?\d+(?:\.\d+)?|\w+")


class ComparedGold(ComparedSearch[str]):
    """The text that scores the top on each row, or None."""

    def __init__(self, subject: EpisodePlayer, prompt: Callable[[int], str], top: float) -> None:
        super().__init__(subject)
        self._prompt, self._top = prompt, top
        self._won: list[str] = []
        """The answers without gold from which one was found, the last one first."""

    def _found(self, row: int) -> str | None:
        most = MOST_LATER if self._won else MOST_FIRST
        first = self._won or list(dict.fromkeys(probes(self._subject, self._prompt(row))))
        tried: set[str] = set()
        left = deque((text, text) for text in first)
        while left and len(tried) < most:
            probe, answer = left.popleft()
            if answer in tried or len(answer) > MOST_CHARS:
                continue
            tried.add(answer)
            reward, pairs = self._scored(row, answer)
            if reward is not None and reward >= self._top:
                self._won = list(dict.fromkeys([probe, *self._won]))[:3]
                return answer
            better = list(islice(dict.fromkeys(_replaced(answer, pairs)), 8))
            left.extendleft((probe, one) for one in reversed(better))
        return None


def probes(subject: EpisodePlayer, prompt: str) -> Iterator[str]:
    """What may get as far as a comparison: examples of the prompt, texts of patterns, and any value in a form."""
    patterns = subject.once("code patterns", lambda: code_patterns(subject.loaded.env))
    frames = frames_of(patterns)
    yield from objects_for(prompt, frames)
    yield from (one.strip() for shown in _SHOWN.findall(prompt) for one in shown if one.strip())
    yield from filter(None, map(text_matching, patterns))
    for value in _PROBES:
        yield value
        yield from (form.write(value) for form in spellings(prompt, value, frames))


def _replaced(answer: str, pairs: Iterable[Compared]) -> Iterator[str]:
    """The answer with what stands on the other side of a comparison in the place of what came from it."""
    for pair in pairs:
        for own, other in () if pair.alike else pair.both_ways:
            yield from object_in_place(answer, own, other)
            for wanted in as_texts(other):
                if wanted and _letters(wanted) not in ("", _letters(answer)):
                    yield from put_in_place(answer, own, wanted)


def put_in_place(answer: str, own: Any, wanted: str) -> Iterator[str]:
    """An answer with something else in the place of a value that was read from it."""
    if isinstance(own, str) and own and own in answer:
        yield answer.replace(own, wanted)
    elif isinstance(own, int | float) and not isinstance(own, bool):
        for part in _PARTS.finditer(answer):
            if _number(part[0]) == own:
                yield answer[: part.start()] + wanted + answer[part.end() :]
    elif isinstance(own, str) and (segment := _segment(answer, _letters(own))):
        yield answer.replace(segment, in_the_shape_of(segment, wanted))
    elif isinstance(own, list | tuple | set | frozenset) and len(own) == 1:
        (text,) = map(str, own)
        if text in answer:
            yield answer.replace(text, wanted)


def in_the_shape_of(shown: str, wanted: str) -> str:
    """A text written as an example is: in capitals, with something between all its letters."""
    between = re.fullmatch(r"\w(?:([^\w]{1,3})\w)(?:\1\w)*", shown)
    text = between[1].join(re.findall(r"\w", wanted)) if between else wanted
    return text.upper() if shown.isupper() else text.title() if shown.istitle() else text


def as_texts(value: Any) -> Iterator[str]:
    """A value as an answer may say it; the items of a list one by one, and together."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, bool) or value is None:
        return
    elif isinstance(value, int | float):
        yield str(int(value)) if float(value).is_integer() else str(value)
    elif isinstance(value, re.Pattern):
        yield from filter(None, (text_matching(value.pattern, nth) for nth in range(_ALTERNATIVES)))
    elif isinstance(value, list | tuple | set | frozenset | Mapping):
        items = [text for item in islice(value, 12) for text in as_texts(item)]
        yield from items
        if len(items) > 1:
            yield from (between.join(items) for between in (", ", " ", "\n"))
    elif isinstance(value, date | time | Fraction | Decimal):
        yield str(value)[:MOST_CHARS]


def _segment(answer: str, letters: str) -> str | None:
    """The part of an answer that has just these letters, with whatever is between them."""
    if not letters:
        return None
    found = re.search(r"[\W_]*".join(map(re.escape, letters)), answer, re.IGNORECASE)
    return found[0] if found else None


def _letters(text: str) -> str:
    return "".join(re.findall(r"[^\W_]", text)).casefold()


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
