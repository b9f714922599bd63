"""Grids that are filled: exchanged cells and other given values are found, and scorers that look at all are not."""

import pytest

from grpo_env_sdk import answer_text
from grpo_env_sdk.checking.teaching.wrong_answers.filled_grids import every_cell_of_a_grid_counts as counts
from grpo_env_sdk.checking.teaching.wrong_answers.filled_grids import grid_of
from tests.checking.trying import found
from tests.gallery.broken.only_rows_counted import Latin


def cells_of(completion):
    return [line.split() for line in answer_text(completion).split("\n")]


def proper(lines):
    return all(len(line) == 4 and set(line) == set("1234") for line in lines)


def keeps_given(completion, asked):
    cells = answer_text(completion).split()
    return all(old in ("_", cell) for cell, old in zip(cells, asked.split(), strict=False))


class Whole(Latin):
    def score_episode(self, model, tokenizer, completion, square):
        return float(answer_text(completion) == square)


class AnySquare(Latin):
    def score_episode(self, model, tokenizer, completion, asked):
        lines = cells_of(completion)
        squared = proper(lines) and len(lines) == 4 and proper(zip(*lines, strict=True))
        return float(squared and keeps_given(completion, asked))


class OnlyColumns(Latin):
    def score_episode(self, model, tokenizer, completion, asked):
        lines = cells_of(completion)
        squared = [*map(len, lines)] == [4] * 4 and proper(zip(*lines, strict=True))
        return float(squared and keeps_given(completion, asked))


class GivenMayChange(Latin):
    def score_episode(self, model, tokenizer, completion):
        lines = cells_of(completion)
        return float(proper(lines) and len(lines) == 4 and proper(zip(*lines, strict=True)))


class RowsAlone(Latin):
    def build_dataset(self, tokenizer):
        return [
            {**row, "prompt": row["prompt"].replace(" and no column", "")} for row in super().build_dataset(tokenizer)
        ]


@pytest.mark.parametrize(
    ("env", "said"),
    [(Latin, "two cells of a row"), (OnlyColumns, "two cells of a column"), (GivenMayChange, "the given ones too")],
)
def test_cells_that_nobody_looks_at_are_found(env, said):
    (finding,) = found(counts, env)
    assert (finding.severity, said in finding.message) == ("error", True)


@pytest.mark.parametrize("env", [Whole, AnySquare, RowsAlone])
def test_nothing_is_said_of_grids_whose_rules_are_all_kept(env):
    assert not found(counts, env)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 2 3\n4 5 6\n7 8 9", "6"),
        ("Here:\n| a | b | c |\n|---|---|---|\n| d | e | f |\n| g | h | i |", "f"),
        ("[[1, 2, 3],\n [4, 5, 6],\n [7, 8, 9]]", "6"),
        ("XOX\nOXO\nXXO", "O"),
    ],
)
def test_grids_are_read_however_they_are_written(text, value):
    assert grid_of(text).value(1, 2) == value


def test_lines_of_a_sentence_are_no_grid():
    assert grid_of("Two lines\nthat have no\nsame number of words at all") is None
