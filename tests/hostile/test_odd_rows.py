"""Rows whose values, names or classes act as they are read: one line that says where, and nothing else ends."""

import itertools

import numpy
import pytest
from datasets import Dataset

from grpo_env_sdk import SingleTurnEnv, reward
from grpo_env_sdk.envs.loading import load
from grpo_env_sdk.errors import DatasetError, DeadlineError
from tests.hostile.test_odd_values import ACTS, VALUES, Text, Thing


class Rows(SingleTurnEnv):
    """Three rows, of which the second one has the odd thing in one of its places."""

    @reward
    def right(self, completion):
        return 1.0

    def build_dataset(self, tokenizer):
        return self.built()


def rows_with(odd):
    return [{"prompt": f"Row {number}", "extra": odd if number == 1 else None} for number in range(3)]


def built(monkeypatch, kind, rows, seconds=20.0):
    """What a command says of an environment that gives these rows."""
    monkeypatch.setattr("tests.hostile.test_odd_values._act", ACTS[kind])
    env = type("Hostile", (Rows,), {"built": lambda self: rows, "__module__": __name__})
    with pytest.raises((DatasetError, DeadlineError)) as caught:
        load(env, build_timeout=seconds).rows("all")
    text = str(caught.value)
    assert "\n" not in text
    assert "test_odd_rows:Hostile" in text
    return text


INSIDE = {
    "alone": lambda odd: odd, "in a list": lambda odd: [odd], "in a dict": lambda odd: {"a": [{"b": odd}]},
    "in a tuple": lambda odd: (1, odd), "in an array": lambda odd: numpy.array([1, odd], dtype=object),
    "in a set": lambda odd: {odd},
}  # fmt: skip


@pytest.mark.parametrize("inside", INSIDE)
@pytest.mark.parametrize("kind", ["exit", "interrupt"])
def test_a_value_whose_class_acts_is_one_line_with_its_row_and_column(monkeypatch, kind, inside):
    text = built(monkeypatch, kind, rows_with(INSIDE[inside](Thing())))
    assert "row 1, column 'extra'" in text
    assert "test_odd_values.py" in text


@pytest.mark.parametrize("odd", ["items", "names"])
@pytest.mark.parametrize("kind", ["exit", "interrupt"])
def test_a_value_whose_items_act_is_one_line_with_its_row_and_column(monkeypatch, kind, odd):
    assert "row 1, column 'extra'" in built(monkeypatch, kind, rows_with(VALUES[odd]))


def test_a_value_whose_class_never_comes_is_late(monkeypatch):
    assert "did not come back" in built(monkeypatch, "hang", rows_with(Thing()), seconds=1.0)


@pytest.mark.parametrize("odd", ["thing", "names"])
def test_a_row_that_acts_is_one_line_with_its_row(monkeypatch, odd):
    rows = [{"prompt": "Row"}, VALUES[odd]]
    assert "row 1" in built(monkeypatch, "interrupt", rows)


@pytest.mark.parametrize("odd", ["text", "number"])
def test_a_row_that_is_none_and_acts_as_it_is_shown_is_one_line_with_its_row(monkeypatch, odd):
    assert "as row 1" in built(monkeypatch, "interrupt", [{"prompt": "Row"}, VALUES[odd]])


@pytest.mark.parametrize("odd", VALUES)
def test_what_is_returned_in_the_place_of_rows_may_act(monkeypatch, odd):
    built(monkeypatch, "interrupt", VALUES[odd])


def test_rows_without_end_are_one_line(monkeypatch):
    monkeypatch.setattr("grpo_env_sdk.data.readable_rows.MOST_ROWS", 1000)
    rows = ({"prompt": f"Row {number}"} for number in itertools.count())
    assert "more than 1000 rows" in built(monkeypatch, "exit", rows)


def test_values_of_one_type_after_another_are_named_with_the_first_row_that_differs(monkeypatch):
    text = built(monkeypatch, "exit", [{"prompt": "Row", "extra": item} for item in (1, 2, "three", 4)])
    assert "'extra'" in text
    assert "(row 2)" in text


def test_texts_numbers_and_names_of_subclasses_are_what_they_are_made_of(monkeypatch):
    monkeypatch.setattr("tests.hostile.test_odd_values._act", ACTS["exit"])
    rows = [{"prompt": "Row", Text("extra"): [VALUES["number"], VALUES["whole"], numpy.float64(2)], "tuple": (1, 2)}]
    env = type("Sound", (Rows,), {"built": lambda self: rows})
    (row,) = load(env).rows("all")
    assert row == {"prompt": "Row", "extra": [0.5, 1.0, 2.0], "tuple": [1, 2], "case_idx": 0}


@pytest.mark.parametrize("error", [RuntimeError, SystemExit, KeyboardInterrupt])
@pytest.mark.parametrize("first", [True, False])
def test_a_transform_of_a_dataset_that_raises_is_one_line(error, first):
    asked = []

    def transform(batch):
        asked.append(batch)
        if first or len(asked) > 4:
            raise error("from the transform")
        return batch

    dataset = Dataset.from_list([{"prompt": f"Row {number}"} for number in range(3)])
    dataset.set_transform(transform)
    env = type("Hostile", (Rows,), {"built": lambda self: dataset})
    loaded = load(env, build_timeout=20.0)
    with pytest.raises(DatasetError, match=error.__name__):
        [*loaded.rows("all"), *loaded.rows("all"), *loaded.rows("train")]
