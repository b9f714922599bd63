import pytest
from environments import Letters, rows

from grpo_env_sdk import load
from grpo_env_sdk.ext import DatasetError
from grpo_env_sdk.images.image import data_url, png_of
from grpo_env_sdk.types import without_none
from grpo_env_trl.bridges.dataset import ROW, held_out_rows, row_of, shows_images, training_dataset
from grpo_env_trl.bridges.trainer_kwargs import _rows_of
from tests.images.pictures import square


def test_every_column_stays_and_each_row_says_which_it_is():
    whole = load(Letters).rows("test")
    made = training_dataset(whole, True, True)
    assert sorted(made.column_names) == [ROW, "place", "prompt"]
    assert made[ROW] == list(whole.indices)
    assert [row_of(prompt) for prompt in made["prompt"]] == list(whole.indices)
    assert made["place"] == [whole.row(index)["place"] for index in whole.indices]


@pytest.mark.parametrize(("chat", "marked", "prompt"), [
    (True, True, [{"role": "user", "content": "Task 0: say yes.", ROW: 0}]),
    (True, False, [{"role": "user", "content": "Task 0: say yes."}]),
    (False, False, "Task 0: say yes."),
])  # fmt: skip
def test_a_prompt_of_text_is_one_users_message_where_the_model_chats(chat, marked, prompt):
    assert training_dataset(load(Letters).rows()[:1], chat, marked)[0]["prompt"] == prompt


def test_a_prompt_in_parts_that_are_all_text_is_one_text():
    parts = [{"type": "text", "text": "Say "}, {"type": "text", "text": "yes."}]
    whole = load(Told([{"role": "user", "content": parts}])).rows()
    assert training_dataset(whole, True, False)[0]["prompt"] == [{"role": "user", "content": "Say yes."}]
    assert whole.row(0)["prompt"][0]["content"] == parts


def test_the_rows_themselves_stay_as_they_are():
    whole = load(Letters).rows()
    training_dataset(whole, True, True)
    assert whole.row(0)["prompt"] == "Task 0: say yes."


def test_rows_may_have_a_prompt_and_nothing_else():
    class Bare(Letters):
        def build_dataset(self, tokenizer):
            return [{"prompt": "one"}, {"prompt": "two"}, {"prompt": "three"}]

        def score_episode(self, model, tokenizer, completion):
            return 0.5

    made = training_dataset(load(Bare).rows()[1:], False, False)
    assert made.to_dict() == {ROW: [1, 2], "prompt": ["two", "three"]}


class Told(Letters):
    def __init__(self, prompt=None, **columns):
        super().__init__()
        self.prompt, self.columns = prompt, columns

    def build_dataset(self, tokenizer):
        return [{**row, **self.columns, "prompt": self.prompt or row["prompt"]} for row in rows(3)]


def asking(*parts):
    return [{"role": "user", "content": [*parts, TEXT]}]


TEXT, PLACE, IMAGE = {"type": "text", "text": "What is it?"}, {"type": "image"}, square("red")


@pytest.mark.parametrize(("told", "prompt"), [
    (Told(image=IMAGE), [{"role": "user", "content": "Task 0: say yes."}]),
    (Told(images=[IMAGE]), [{"role": "user", "content": "Task 0: say yes."}]),
    (Told(asking({**PLACE, "image": IMAGE})), asking(PLACE)),
    (Told(asking({"type": "image_url", "image_url": {"url": data_url(png_of(IMAGE))}})), asking(PLACE)),
])  # fmt: skip
def test_images_come_in_a_column_as_trl_reads_them(told, prompt):
    whole = load(told).rows()
    assert shows_images(whole)
    first = training_dataset(whole, True, False)[0]
    assert [image.tobytes() for image in [first.get("image"), *first.get("images", [])] if image] == [IMAGE.tobytes()]
    assert without_none(first["prompt"]) == prompt


@pytest.mark.parametrize("told", [Told(), Told(asking()), Told(image="python:3.11"), Told(images=["a", "b"])])
def test_what_shows_no_image_gives_trl_none(told):
    whole = load(told).rows()
    assert not shows_images(whole)
    assert not {"image", "images"} & set(training_dataset(whole, True, False).column_names)


def test_a_column_of_our_own_name_is_ours():
    assert training_dataset(load(Told(**{ROW: 99})).rows(), True, True)[ROW] == [0, 1, 2]


def test_columns_with_the_names_of_trls_own_arguments_are_not_given_twice():
    class Judged(Letters):
        def build_dataset(self, tokenizer):
            return rows(40, prompts="a", completions="b", answer="c")

    made = training_dataset(load(Judged).rows("test"), True, True)
    assert {*made.column_names} == {ROW, "answer", "place", "prompt"}


def test_a_column_whose_lists_mix_types_stays_as_it_was_written():
    class Priced(Letters):
        def build_dataset(self, tokenizer):
            return [{**row, "item": ["cork", row["place"]]} for row in super().build_dataset(tokenizer)]

    whole = load(Priced).rows("test")
    made = training_dataset(whole, True, True)
    assert made["item"] == [["cork", place] for place in made["place"]]


def test_a_split_without_rows_to_evaluate_says_how_to_train_without_it():
    class OnlyTrain(Letters):
        def build_dataset(self, tokenizer, split="train"):
            return super().build_dataset(tokenizer) if split == "train" else []

    loaded = load(OnlyTrain)
    with pytest.raises(DatasetError, match=r"no rows for the split 'test'.* --eval-rows 0"):
        held_out_rows(loaded, "test")
    train, held_out = _rows_of(loaded, None, 0)
    assert (len(train) > 0, len(held_out)) == (True, 0)
