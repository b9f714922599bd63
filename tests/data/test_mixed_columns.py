"""Lists and dicts of several types come back as they were written, from memory and from a table of `datasets`."""

import json

import pytest
from datasets import Dataset, Json
from PIL import Image

from grpo_env_sdk import load_prompts
from grpo_env_sdk.data.mixed_columns import as_written
from grpo_env_sdk.data.plain_table import PlainTable, plain_table
from grpo_env_sdk.data.rows import build_rows
from grpo_env_sdk.errors import DatasetError

ITEMS = [["cork", 4], ["tin", 0.1], None, ["oak", None, {"deep": [True, "x"]}]]
CALLS = [{"id": 7}, {"id": "seven", "note": "a"}, {"note": "b"}, {}]


def rows_of(**columns):
    return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]


def an_env(rows):
    class Env:
        def build_dataset(self, tokenizer, rows=rows):
            return rows

    return Env()


ROWS = rows_of(prompt=list("abcd"), item=ITEMS, other=[{"a": 1}, {"b": 2}, {}, {}], calls=CALLS)
FILLED = [{"a": 1, "b": None}, {"a": None, "b": 2}, {"a": None, "b": None}, {"a": None, "b": None}]
READ = rows_of(prompt=list("abcd"), item=ITEMS, other=FILLED, calls=CALLS)


def test_rows_and_columns_are_read_as_they_were_written():
    table = plain_table(ROWS)
    assert list(table) == READ
    assert table["item"] == ITEMS


def test_as_a_dataset_they_keep_the_order_of_columns_and_are_read_the_same():
    dataset = plain_table(ROWS).dataset
    assert dataset.column_names == ["prompt", "item", "other", "calls"]
    assert [isinstance(feature, Json) for feature in dataset.features.values()] == [False, True, False, True]
    assert list(dataset) == READ == list(build_rows(an_env(dataset)).table)


def test_a_row_that_is_read_is_a_copy():
    table = plain_table(ROWS)
    table[0]["item"].append("mine")
    table[3]["item"][2]["deep"].clear()
    assert list(table) == READ


def test_a_tuple_is_read_as_a_list():
    table = plain_table(rows_of(prompt="ab", item=[("cork", 4), (("tin", 5), 6)]))
    assert table["item"] == [["cork", 4], [["tin", 5], 6]]


def test_parts_are_joined_also_where_one_alone_mixes_types():
    mixed, plain = plain_table(ROWS[:1]), plain_table(rows_of(prompt="e", item=[["elm"]], other=[{"a": 3}], calls=[{}]))
    for one, other in ((mixed, plain), (plain, mixed), (mixed, mixed)):
        assert [row["item"] for row in one.joined(other)] == [*one["item"], *other["item"]]


def test_rows_of_an_environment_with_own_splits_keep_them():
    class Split:
        def build_dataset(self, tokenizer, split="train"):
            return ROWS[:2] if split == "train" else ROWS[2:]

    rows = build_rows(Split(), split="all")
    assert [row["item"] for row in rows] == ITEMS
    assert list(rows.dataset["item"]) == ITEMS


def test_beside_images_they_are_kept_too():
    image = Image.new("RGB", (2, 2))
    rows = build_rows(an_env([{**row, "image": image} for row in ROWS]))
    assert not isinstance(rows.table, PlainTable)
    assert [(row["item"], row["calls"], row["image"].size) for row in rows] == [
        (item, calls, (2, 2)) for item, calls in zip(ITEMS, CALLS, strict=True)
    ]


def test_data_in_memory_and_in_a_file_are_loaded_so(tmp_path):
    data = [{"question": row["prompt"], "item": row["item"], "calls": row["calls"]} for row in ROWS]
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(map(json.dumps, data)))
    for loaded in (load_prompts(data, answer=None), load_prompts(path, answer=None)):
        assert isinstance(loaded, Dataset)
        assert [row["item"] for row in loaded] == ITEMS


@pytest.mark.parametrize("values", [
    [1, "one"], [["a"], {"a": 1}], [["a", 2**80]], [["a", float("nan")]], [["\ud800", 1]], [[b"x", 1]], [[{1: 2}, "a"]],
    [[{"a", "b"}, 1]],
])  # fmt: skip
def test_what_json_does_not_hold_and_columns_of_several_kinds_are_refused(values):
    assert as_written(values) is None
    with pytest.raises(DatasetError, match=r"column 'item'( does not fit one type: .* \(row \d\)|: 'utf-8')"):
        build_rows(an_env(rows_of(prompt=["a"] * len(values), item=values)))


def test_what_contains_itself_is_refused():
    endless = ["a", 1]
    endless.append(endless)
    assert as_written([endless]) is None


def test_prompts_hold_messages_of_one_kind_alone():
    told = [{"role": "user", "content": "a"}, {"role": "user", "content": ["b", 4]}]
    assert plain_table(rows_of(prompt=[told])) is None


def test_an_older_datasets_says_what_it_cannot_hold(monkeypatch):
    monkeypatch.delattr("datasets.Json")
    with pytest.raises(DatasetError, match=r"The column 'items' has lists or dicts .* pip install 'datasets>=4\.7'"):
        assert plain_table(rows_of(items=ITEMS)).dataset
