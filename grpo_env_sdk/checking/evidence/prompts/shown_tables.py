"""The tables that a prompt shows: in Markdown, with separators, or names with a figure each, in lines or sentences."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import groupby

from grpo_env_sdk.late_patterns import regex

FEWEST_RECORDS = 3
_RULE = regex(r"[\s|:+=-]*")
_NAMED = regex(r"\W{0,3}(?:\d+[.)] )?\s*([^\W\d_][\w .'&()-]{0,40}?)\s*(?::|=|\s[-\u2013\u2014]\s)\s*(\S.{0,30})")
_FIGURE = regex(
    r"[$\u20ac\u00a3\u00a5]? ?(-?\d{1,3}(?:,\d{3})+(?:\.\d+)?|-?\d+(?:\.\d+)?) ?"
    r"(?:%|[$\u20ac\u00a3\u00b0]|[^\W\d_]{1,14})?[/\w]{0,4}\.?"
)
"""A number with a sign of currency or a unit."""
_IN_A_SENTENCE = regex(
    r"(?<![\w'-])(?!(?:and|or)\b)(\w[\w'-]*(?: [\w'-]+){0,3}?)(?:\s?[:=]\s?| \(| )"
    r"([$\u20ac\u00a3]?-?\d+(?:\.\d+)?(?: ?(?:[%\u20ac\u00a3$\u00b0]|(?!and\b|or\b)[^\W\d_]{1,14}))?)"
    r"(?![\w.]*\w|\s?[:=]| \()\)?"
)
"""The words before a figure, and the figure."""
_BETWEEN = regex(r"(?:[,;]|,? and|,? or) (?:and |or )?")


@dataclass(frozen=True, slots=True)
class Table:
    """The names of its columns, which may be empty, the cells of each record, and the prompt around it."""

    names: tuple[str, ...]
    records: tuple[tuple[str, ...], ...]
    around: str

    def figures(self, column: int) -> list[float]:
        """The numbers of a column; none where some cell is no number."""
        found = [figure for record in self.records if (figure := _figure(record[column])) is not None]
        return found if len(found) == len(self.records) else []


def tables_in(prompt: str) -> list[Table]:
    """The tables of a prompt, of the first kind that it has."""
    return next(filter(None, (list(_tables(prompt, cells)) for cells in _KINDS)), list(_in_sentences(prompt)))


def _tables(prompt: str, cells: Callable[[str], list[str]]) -> Iterator[Table]:
    lines = prompt.splitlines()
    for width, group in groupby(enumerate(lines), key=lambda line: len(cells(line[1]))):
        if width < 2:
            continue
        places, texts = zip(*group, strict=True)
        records = [tuple(cells(text)) for text in texts if not _RULE.fullmatch(text)]
        headed = bool(records) and all(_figure(cell) is None for cell in records[0])
        names = records.pop(0) if headed else ("",) * width
        if len(records) >= FEWEST_RECORDS:
            yield Table(names, tuple(records), "\n".join(lines[: places[0]] + lines[places[-1] + 1 :]))


def _in_sentences(prompt: str) -> Iterator[Table]:
    """What sentences list, with figures in one unit: "Ada: 3 kg, Ben: 5 kg, ..." or "Ada has 3, Ben has 5, ..."."""
    runs: list[list[re.Match[str]]] = []
    for found in _IN_A_SENTENCE.finditer(prompt):
        if not runs or not _BETWEEN.fullmatch(prompt[runs[-1][-1].end() : found.start()]):
            runs.append([])
        runs[-1].append(found)
    for run in runs:
        if len(run) >= FEWEST_RECORDS and len({re.sub(r"[-\d. ]", "", one[2]) for one in run}) == 1:
            names = _without_verb([one[1].split() for one in run])
            records = tuple((name, one[2]) for name, one in zip(names, run, strict=True))
            yield Table(("", ""), records, f"{prompt[: run[0].start()]} {prompt[run[-1].end() :]}")


def _without_verb(names: list[list[str]]) -> list[str]:
    """The words before each figure, without a last one that all share and without those before the first name."""
    if len({words[-1] for words in names}) == 1:
        names = [words[:-1] for words in names]
    most = max(len(words) for words in names[1:])
    return [" ".join(words[-most:]) if most else "" for words in names]


def _figure(cell: str) -> float | None:
    found = _FIGURE.fullmatch(cell)
    return float(found[1].replace(",", "")) if found else None


def _separated(mark: str) -> Callable[[str], list[str]]:
    return lambda line: [cell.strip() for cell in line.strip().strip("|").split(mark)] if mark in line.strip() else []


def _named(line: str) -> list[str]:
    found = _NAMED.fullmatch(line.strip())
    return [found[1], found[2].strip()] if found else []


_KINDS = (*map(_separated, "|\t;,"), _named)
