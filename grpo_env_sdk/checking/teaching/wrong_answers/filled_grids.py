"""Whether the cells of a grid count that an answer fills: by rows, by columns, and those that were given."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.variants import Variant, golds_with_text, played, still_earns
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.lazy_answers.idling import MOSTLY
from grpo_env_sdk.late_patterns import regex

MOST_ROWS = {"quick": 6, "default": 12, "thorough": 40}
SMALLEST, FEWEST_ROWS = 3, 4
_IN_A_ROW, _IN_A_COLUMN = "with two cells of a row in each other's place", "with two cells of a column likewise"
_OTHER_NAMES = "with each value for the next one, the given ones too"
_OF_COLUMNS = regex(r"\bcolumns?\b|\bsudoku\b|\blatin\b|\bvertical", re.IGNORECASE)
_OF_ROWS = regex(r"\brows?\b|\bsudoku\b|\blatin\b|\bhorizontal", re.IGNORECASE)
"""What prompts say where the cells of a column, or of a row, depend on each other."""
_CELL = regex(r"[^\s|,\[\]\"']+")
_RULE = regex(r"[-+=| ]*")
_HINT = "Check every row, every column and every given cell, or compare the whole grid with the right one."
Cells = list[list[tuple[int, int]]]
"""By line, where each cell of a grid begins and ends in its text."""


@dataclass(frozen=True, slots=True)
class Grid:
    """The cells of a text in lines of the same length."""

    text: str
    cells: Cells

    @property
    def places(self) -> list[tuple[int, int]]:
        """The row and the column of each cell."""
        return [(row, column) for row, line in enumerate(self.cells) for column in range(len(line))]

    def value(self, row: int, column: int) -> str:
        """What is in a cell."""
        start, end = self.cells[row][column]
        return self.text[start:end]

    def with_values(self, changed: dict[tuple[int, int], str]) -> str:
        """The text with other values in some cells."""
        text = self.text
        for row, column in sorted(changed, reverse=True):
            start, end = self.cells[row][column]
            text = f"{text[:start]}{changed[row, column]}{text[end:]}"
        return text


@check("G621", needs=("gold",), kinds=("single-turn",))
def every_cell_of_a_grid_counts(subject: Subject) -> Iterator[Finding]:
    """A filled grid with two cells exchanged, or with other values than were given, scores less than gold."""
    variants = [
        Variant(name, gold, text)
        for gold in golds_with_text(subject, MOST_ROWS[subject.effort])
        if (filled := grid_of(gold.text)) is not None
        for name, text in _changed(filled, prompt_text(subject, gold.row))
    ]
    for outcome in played(subject, variants).values():
        if outcome.proven(MOSTLY) and len(outcome.won) >= FEWEST_ROWS:
            yield still_earns(subject, outcome, outcome.name, _HINT, "error")
            return


def grid_of(text: str) -> Grid | None:
    """The grid that a text is or has as its last lines; None where it has none."""
    grids = list(_grids(text))
    return grids[-1] if grids else None


def _grids(text: str) -> Iterator[Grid]:
    """The grids of a text: runs of lines with the same number of cells, three or more of each."""
    run: Cells = []
    start = 0
    for line in [*text.split("\n"), ""]:
        cells = _cells(line, start)
        if run and len(cells) != len(run[0]) and not (line and _RULE.fullmatch(line)):
            if len(run) >= SMALLEST:
                yield Grid(text, run)
            run = []
        if len(cells) >= SMALLEST and not _RULE.fullmatch(line) and (not run or len(cells) == len(run[0])):
            run.append(cells)
        start += len(line) + 1


def _cells(line: str, start: int) -> list[tuple[int, int]]:
    """Where the cells of a line are: between spaces or commas, or else its letters."""
    cells = [(start + found.start(), start + found.end()) for found in _CELL.finditer(line)]
    if len(cells) == 1:
        first, end = cells[0]
        return [(at, at + 1) for at in range(first, end)]
    return cells


def _changed(filled: Grid, prompt: str) -> Iterator[tuple[str, str]]:
    """Gold with some cells changed that its prompt leaves open, by how."""
    for asked in _grids(prompt):
        open_cells = _open_cells(filled, asked)
        if open_cells:
            if _OF_COLUMNS.search(prompt):
                yield from _exchanged(filled, open_cells, 0, _IN_A_ROW)
            if _OF_ROWS.search(prompt):
                yield from _exchanged(filled, open_cells, 1, _IN_A_COLUMN)
            yield _OTHER_NAMES, _renamed(filled)
            return


def _open_cells(filled: Grid, asked: Grid) -> list[tuple[int, int]]:
    """The cells that a prompt leaves open, all with the same sign; none where it shows another grid."""
    if [len(line) for line in filled.cells] != [len(line) for line in asked.cells]:
        return []
    differing = [place for place in filled.places if filled.value(*place) != asked.value(*place)]
    signs = {asked.value(*place) for place in differing}
    known = {filled.value(*place) for place in filled.places}
    return differing if len(signs) == 1 and not signs & known and len(differing) < len(filled.places) else []


def _exchanged(filled: Grid, places: Sequence[tuple[int, int]], same: int, name: str) -> Iterator[tuple[str, str]]:
    """Two open cells of the same line in each other's place."""
    for one, other in combinations(places, 2):
        if one[same] == other[same] and filled.value(*one) != filled.value(*other):
            yield name, filled.with_values({one: filled.value(*other), other: filled.value(*one)})
            return


def _renamed(filled: Grid) -> str:
    values = sorted({filled.value(*place) for place in filled.places})
    after = dict(zip(values, [*values[1:], values[0]], strict=True))
    return filled.with_values({place: after[filled.value(*place)] for place in filled.places})
