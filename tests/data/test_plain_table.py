"""Rows of plain data need no `datasets` until somebody asks for it, and read as its tables do."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from datasets import Dataset, concatenate_datasets
from hypothesis import example, given
from hypothesis import strategies as st
from pyarrow.lib import ArrowInvalid, ArrowTypeError

from grpo_env_sdk import load
from grpo_env_sdk.data.plain_table import plain_table

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=4)
LEAVES = [st.none() | kind for kind in (st.integers(-(2**63), 2**63 - 1), st.floats(), TEXT, st.booleans())]


def lists_and_dicts(values):
    return st.lists(values, max_size=3) | st.dictionaries(st.sampled_from("abc"), values, max_size=3)


ALIKE = st.one_of(*[st.recursive(leaf, lists_and_dicts, max_leaves=6) for leaf in LEAVES])
MIXED = st.recursive(st.one_of(*LEAVES), lists_and_dicts, max_leaves=6)
COLUMN = st.one_of(*[st.lists(values, min_size=3, max_size=3) for values in [*LEAVES, ALIKE, MIXED]])
NAMES = st.sampled_from(["prompt", "answer", "input_ids", "attention_mask"])


def rows_of(**columns):
    return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]


def read(table):
    """All that is read from a table; NaN equals itself in it."""
    columns = [(name, list(table[name])) for name in table.column_names]
    return repr([len(table), columns, list(table), table[1]])


def fits(columns):
    """Whether Arrow takes the columns as they are; see `test_mixed_columns` for those that it does not."""
    try:
        return bool(Dataset.from_dict(columns))
    except (ArrowInvalid, ArrowTypeError, TypeError):
        return False


@given(st.dictionaries(NAMES, COLUMN, min_size=1, max_size=2))
@example({"prompt": [{"a": 1}, {"b": "x"}, {}]})
@example({"prompt": [[], [None], [[1]]]})
@example({"prompt": [{}, {}, {}]})
@example({"prompt": [1, 2.5, None]})
@example({"prompt": [None, None, None]})
@example({"input_ids": [1, 2**40, 3], "attention_mask": [[1], [300], []]})
def test_a_plain_table_reads_as_a_dataset_does(columns):
    table = plain_table(rows_of(**columns))
    if table is not None and fits(columns):
        assert read(table) == read(Dataset.from_dict(columns)) == read(table.dataset)


@given(COLUMN, COLUMN)
@example([1, 2, 3], [1.5, 2.5, 3.5])
@example(["a", None, "b"], [None, None, None])
@example([{"a": 1}, {}, {}], [{"b": 1}, {}, {}])
@example([{"a": 1}, {"b": 2}, {}], [{"b": 1}, {"a": None}, {}])
def test_joined_tables_read_as_datasets_one_after_the_other_do(one, other):
    tables = [plain_table(rows_of(prompt=column)) for column in (one, other)]
    if None in tables:
        return  # columns of prompts never mix types
    joined = tables[0].joined(tables[1])
    alike = tables[0].dataset.features == tables[1].dataset.features
    assert (joined is not None) == alike
    if alike:
        assert read(joined) == read(concatenate_datasets([table.dataset for table in tables])) == read(joined.dataset)


def test_a_column_that_some_rows_lack_is_none_there():
    assert list(plain_table([{"prompt": "a"}, {"prompt": "b", "answer": 1}])) == rows_of(prompt="ab", answer=[None, 1])


@pytest.mark.parametrize("values", [[1, "one"], [{"a": 1}, {"a": "one"}], [2**80, 1], ["\ud800", ""], [b"x", b"y"]])
def test_what_is_odd_is_left_to_datasets(values):
    assert plain_table(rows_of(prompt=values)) is None


@pytest.mark.parametrize("rows", [[], [{}, {}], [{"prompt": "a", 1: "b"}], [{"prompt": "a", "\ud800": "b"}]])
def test_rows_without_columns_or_with_odd_names_of_them_are_left_to_datasets(rows):
    assert plain_table(rows) is None


def test_a_row_that_was_changed_is_whole_when_it_is_read_again():
    table = plain_table(rows_of(prompt=["a", "b"], answers=[["x"], ["y", "z"]]))
    table[1]["answers"].clear()
    next(iter(table))["answers"].clear()
    assert table["answers"] == [["x"], ["y", "z"]]


def test_a_trainer_gets_a_dataset():
    class Sums:
        def build_dataset(self, tokenizer):
            return [{"prompt": f"{n} + 1?", "answer": n + 1} for n in range(20)]

        def score_episode(self, model, tokenizer, completion, answer):
            return 1.0

    rows = load(Sums).rows("train")
    assert isinstance(rows.dataset, Dataset)
    assert rows.dataset is rows[:3].dataset
    assert [rows.dataset[index]["answer"] for index in rows.indices] == [row["answer"] for row in rows]


def test_an_evaluation_of_an_environment_with_plain_rows_never_imports_datasets():
    """It takes longer than all the rest of a short command."""
    code = """
import sys
from grpo_env_sdk import evaluate
print(evaluate("tests.environments:Phonebook", "gold", rows=2).tally.reward.mean, "datasets" in sys.modules)
"""
    shown = subprocess.run(
        [sys.executable, "-c", code],
        cwd=Path(__file__).parents[2], env=os.environ, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert shown.stdout.split() == ["1.0", "False"]
