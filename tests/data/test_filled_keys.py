"""Keys that a table adds to the objects of a column are named, and those of an author's own are let be."""

import pytest

from grpo_env_sdk import load
from grpo_env_sdk.data.filled_keys import filled_key, filled_keys_note


class Recipes:
    def build_dataset(self, tokenizer):
        return [{"prompt": f"Bake {n}.", "grams": {"flour": n, ("eggs", "milk")[n % 2]: 2}} for n in range(10)]

    def score_episode(self, model, tokenizer, completion, grams):
        return float(completion == str(grams))


@pytest.mark.parametrize(
    ("values", "key"),
    [
        ([{"a": 1}, {"a": 2}], None),
        ([{"a": None}, {"a": None}], None),
        (["text", "none"], None),
        ([{"a": 1, "b": None}, {"a": 1, "b": 2}], "b"),
        ([{"of": {"a": None}}, {"of": {"a": 1}}], "of.a"),
        ([[{"a": 1}, {"a": None}], []], "a"),
    ],
)
def test_a_key_that_is_none_in_some_rows_alone_is_found(values, key):
    found = filled_key({"prompt": "p", "column": value} for value in values)
    assert found == (key and ("column", key))


def test_the_note_names_the_key_of_a_built_dataset():
    note = filled_keys_note(load(Recipes).rows("all"))
    assert "the key 'milk' of column 'grams' is None" in note or "the key 'eggs' of column 'grams' is None" in note
    assert filled_keys_note([{"prompt": [{"role": "user", "content": "x", "tool_calls": None}]}]) == ""


def test_the_note_names_columns_that_some_rows_lack():
    class Renamed(Recipes):
        def build_dataset(self, tokenizer):
            return [{"prompt": f"Bake {n}.", "always": n, ("grams", "weight")[n % 2]: n} for n in range(4)]

    note = filled_keys_note(load(Renamed).rows("all"))
    assert "'grams', 'weight'" in note
    assert "always" not in note
