"""Whether the examples of a prompt hold its own case, of a word or two: `MCM = 1900`, and `MCM = ?` at the end."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from grpo_env_sdk.checking.evidence.attempts.answer_pairs import Pairs, as_a_part
from grpo_env_sdk.checking.evidence.prompts.bare_text import bare
from grpo_env_sdk.late_patterns import regex

MOST_LINES, FEWEST_EXAMPLES = 200, 2
AGAIN, OTHER_VALUES = 0.5, 0.05
"""The share of cases that are examples in other prompts as well, as they are drawn from one pool; and that of items
which have other values in other prompts, above which what they mean is told by the prompt alone."""
_EXAMPLES = regex(
    r"\b(?:examples?|demonstrations?|few-shot|shots|solved|worked|answered|labell?ed|neighbou?rs|beispiele?|exemples?|"
    r"ejemplos?|esempi|exemplos?|voorbeelden|przykłady|примеры)\b",
    re.IGNORECASE,
)
"""What a prompt says where its lines show how to answer, and are no table."""
A_TABLE = regex(
    r"\b(?:tables?|glossary|dictionary|lexicon|vocabulary|legend|code ?book|mappings?|look(?:ed)? up|lookup|recall|"
    r"remember|memori[sz]e|according to|facts|records?|entries|defin\w+|prices?|tabelle|glossar|wörterbuch)\b",
    re.IGNORECASE,
)
_MARK = regex(r"\s*(?:->|=>|→|⇒|—|\u2013|\||\t|=|:(?=\s|$)|\bis\b)\s*")
_LABEL = regex(r"^\W*(?:[^\W\d_][\w ]{0,20}?)?(?: ?\d+)?[:.)] +")
ONLY_A_LABEL = regex(r"^\W*[^\W\d_][\w ]{0,20}:$")
_BLANK = regex(r"[\s?¿_….]*$")


class Shown(NamedTuple):
    """A row whose prompt has its own case among the examples: the line that shows it, and the case alone."""

    row: int
    prompt: str
    answer: str
    line: str
    item: str


def short_cases(pairs: Pairs) -> list[Shown]:
    """The rows whose case is among the examples of their prompt, which are drawn from a pool of such cases."""
    examples = {row: list(_examples(prompt)) for row, prompt, _ in pairs}
    shown = [found for pair in pairs if (found := _own(*pair, examples[pair[0]]))]
    values: dict[str, list[str]] = defaultdict(list)
    for of_row in examples.values():
        for _, item, value in of_row:
            values[item].append(value)
    cases = {one.item for one in shown}
    again = sum(len(values[item]) > 1 for item in cases)
    other = sum(len(set(values[item])) > 1 for item in cases)
    lists = {frozenset(item for _, item, _ in of_row) for of_row in examples.values()}
    drawn = len(lists) > len(pairs) / 2 and again >= AGAIN * len(cases) and other <= OTHER_VALUES * len(cases)
    return shown if drawn else []


def _own(row: int, prompt: str, answer: str, examples: Sequence[tuple[str, str, str]]) -> Shown | None:
    """The example of a prompt that shows what it asks, with the answer; None without one."""
    named = _EXAMPLES.search(prompt) is not None
    if len(examples) < FEWEST_EXAMPLES or (A_TABLE.search(prompt) and not named):
        return None
    asked = _asked(prompt)
    for line, item, value in examples:
        if value == answer and (item in asked or (named and re.search(as_a_part(item), asked[0]))):
            return Shown(row, prompt, answer, line, item)
    return None


def _asked(prompt: str) -> list[str]:
    """The end of a prompt without marks and labels: its last line, and the one above where that is only a label."""
    lines = [line.strip() for line in _BLANK.sub("", prompt).split("\n") if line.strip()]
    ends = lines[-1:] + (lines[-2:-1] if lines and ONLY_A_LABEL.match(lines[-1]) else [])
    return [_case(re.sub(f"{_MARK.pattern}$", "", line)) for line in ends] or [""]


def _case(text: str) -> str:
    return bare(_LABEL.sub("", text))


def _examples(prompt: str) -> Iterator[tuple[str, str, str]]:
    """Line, item and value of what has a mark between them, and of lines below each other; not of the last line."""
    lines = [line.strip() for line in prompt.split("\n") if line.strip()][:MOST_LINES]
    found = []
    for line, below in pairwise(lines):
        marks = [one for one in _MARK.finditer(line) if one.start() and one.end() < len(line)]
        if marks:
            found.append((line, _case(line[: marks[-1].start()]), _case(line[marks[-1].end() :])))
        if _LABEL.match(line) and _LABEL.match(below):
            found.append((f"{line} / {below}", _case(line), _case(below)))
    of_item = Counter(item for item, _ in {(item, value) for _, item, value in found})  # a label has several values
    yield from ((line, item, value) for line, item, value in found if item and value and of_item[item] == 1)
