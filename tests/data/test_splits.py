"""Which rows are held out: a stable tenth by content, or what the class itself says."""

import random

import pytest
from datasets import Dataset

from grpo_env_sdk.data.rows import build_rows
from grpo_env_sdk.envs.loading import load
from grpo_env_sdk.errors import DatasetError, UsageError


class Env:
    """An environment of given rows."""

    def __init__(self, rows):
        self.rows = rows

    def build_dataset(self, tokenizer):
        return self.rows


def prompts(env, split):
    return [row["prompt"] for row in build_rows(env, None, split)]


def numbered(count):
    return [{"prompt": f"question {n}", "answer": n} for n in range(count)]


def test_about_a_tenth_is_held_out():
    assert 60 <= len(prompts(Env(numbered(1000)), "test")) <= 140


@pytest.mark.parametrize("count", [2, 3, 5, 10, 40])
def test_some_rows_are_held_out_and_never_all(count):
    env = Env(numbered(count))
    train, test = prompts(env, "train"), prompts(env, "test")
    assert train
    assert test
    assert sorted(train + test) == sorted(prompts(env, "all"))


def test_one_row_is_to_train_on():
    env = Env(numbered(1))
    assert (prompts(env, "train"), prompts(env, "test")) == (["question 0"], [])


def test_the_order_of_the_rows_does_not_matter():
    rows = numbered(50)
    held_out = set(prompts(Env(rows), "test"))
    random.Random(1).shuffle(rows)
    assert set(prompts(Env(rows), "test")) == held_out


def test_rows_that_are_added_move_no_others():
    before = set(prompts(Env(numbered(50)), "test"))
    after = set(prompts(Env(numbered(60)), "test"))
    assert {prompt for prompt in after if int(prompt.split()[1]) < 50} == before


def test_a_row_added_with_a_new_key_moves_no_others():
    chats = [{"prompt": [{"role": "user", "content": f"question {n}"}]} for n in range(50)]
    named = [{"prompt": [{"role": "user", "name": "Ada", "content": "question x"}], "hint": "think"}]
    before = [str(prompt) for prompt in prompts(Env(chats), "test")]
    after = [str(prompt) for prompt in prompts(Env(chats + named), "test") if "name" not in prompt[0]]
    assert after == before


def test_an_index_of_its_own_does_not_decide_where_a_row_goes():
    plain = prompts(Env(numbered(50)), "test")
    indexed = [{**row, "case_idx": 50 - n} for n, row in enumerate(numbered(50))]
    assert prompts(Env(indexed), "test") == plain


@pytest.mark.parametrize("count", [2, 3, 4, 12])
def test_copies_of_a_row_stay_together(count):
    env = Env(numbered(count) * 3)
    assert not set(prompts(env, "train")) & set(prompts(env, "test"))
    assert prompts(env, "train")
    assert prompts(env, "test")


def test_copies_of_one_row_alone_are_held_out_once():
    env = Env(numbered(1) * 4)
    assert (len(prompts(env, "train")), len(prompts(env, "test"))) == (3, 1)


def test_rows_keep_their_index_in_the_whole_dataset():
    env = Env(numbered(30))
    for split in ("train", "test"):
        rows = build_rows(env, None, split)
        assert [row["case_idx"] for row in rows] == list(rows.indices)
        assert all(rows.dataset[index]["answer"] == index for index in rows.indices)


class Splitting:
    """A class that splits its rows itself."""

    def build_dataset(self, tokenizer, split="train"):
        return [{"prompt": f"{split} {n}"} for n in range(3 if split == "train" else 2)]


def test_a_class_that_takes_split_is_asked_for_each():
    assert prompts(Splitting(), "train") == ["train 0", "train 1", "train 2"]
    assert prompts(Splitting(), "test") == ["test 0", "test 1"]


def test_all_of_a_class_that_splits_is_train_then_test():
    assert prompts(Splitting(), "all") == ["train 0", "train 1", "train 2", "test 0", "test 1"]


class Passing:
    """A class that takes anything, and so says nothing of splits."""

    def build_dataset(self, tokenizer=None, **options):
        assert not options
        return numbered(20)


def test_a_class_that_takes_anything_does_not_split():
    assert not set(prompts(Passing(), "train")) & set(prompts(Passing(), "test"))


def test_splits_of_different_columns_are_told():
    class Uneven:
        def build_dataset(self, tokenizer, split):
            return Dataset.from_list([{"prompt": "a", "answer": 1 if split == "train" else "one"}])

    with pytest.raises(DatasetError, match=r"Uneven\.build_dataset returned splits whose columns differ: ") as caught:
        build_rows(Uneven(), None, "all")
    assert caught.value.hint


def test_an_unknown_split_is_answered_with_the_nearest():
    with pytest.raises(UsageError, match=r"No split named 'trian'\. Did you mean 'train'\?"):
        build_rows(Splitting(), None, "trian")


class Misnamed:
    """A class that knows its held-out rows by another name."""

    def build_dataset(self, tokenizer, split="train"):
        return [{"prompt": f"question {n}"} for n in range(50)] if split in ("train", "eval") else []


@pytest.mark.parametrize("split", ["test", "all"])
def test_an_empty_split_is_named_beside_the_other(split):
    with pytest.raises(DatasetError, match=r"no rows for the split 'test', and 50 for 'train' \(tests.*\)\.") as caught:
        build_rows(Misnamed(), None, split)
    assert "'train' and 'test' by name" in caught.value.hint


def test_the_config_of_rows_that_cannot_be_built_is_named():
    class Levels:
        def __init__(self, level: int) -> None:
            self.level = level

        def build_dataset(self, tokenizer):
            return numbered(self.level)

        def score_episode(self, model, tokenizer, completion):
            return 1.0

    with pytest.raises(DatasetError, match=r'returned no rows \(.*\), with the config \{"level":0\}\.'):
        load(Levels, {"level": 0}).rows()
