"""What `build_dataset` may return, and one clear line for each thing it may not."""

import gc
import re
import warnings

import pandas
import pytest
from datasets import Dataset, DatasetDict, are_progress_bars_disabled, enable_progress_bars

from grpo_env_sdk.data.messages import prompt_messages
from grpo_env_sdk.data.rows import build_rows
from grpo_env_sdk.errors import DatasetError

ROWS = [{"prompt": "a", "answer": 1}, {"prompt": "b", "answer": 2}]


def env_of(build):
    """An environment whose `build_dataset` is this function."""
    cls = type("Hotel", (), {"build_dataset": build, "score_episode": lambda self, m, t, c: 1.0})
    return cls()


def giving(value):
    """An environment that returns a value as its dataset."""

    def build_dataset(self, tokenizer):
        return value

    return env_of(build_dataset)


def one_line(env, **options):
    """The error that building gives, which is one line that names class, file and line, and a next step."""
    with pytest.raises(DatasetError) as caught:
        build_rows(env, **options)
    text = str(caught.value)
    assert "\n" not in text
    assert re.search(r"test_rows:Hotel\.build_dataset .* \(tests/data/test_rows\.py:\d+\)\. ", text), text
    assert caught.value.hint
    return text


def generated(self, tokenizer):
    yield from ROWS


@pytest.mark.parametrize(
    "env",
    [giving(ROWS), giving(tuple(ROWS)), giving(iter(ROWS)), giving(Dataset.from_list(ROWS)), env_of(generated)],
    ids=["list", "tuple", "iterator", "Dataset", "generator"],
)
def test_rows_come_from_a_dataset_a_list_or_a_generator(env):
    rows = build_rows(env)
    assert list(rows) == [{"prompt": "a", "answer": 1, "case_idx": 0}, {"prompt": "b", "answer": 2, "case_idx": 1}]
    assert rows.columns == ["prompt", "answer", "case_idx"]


def test_a_case_idx_of_the_authors_own_is_left_alone():
    rows = build_rows(giving([{"prompt": "a", "case_idx": 7}]))
    assert rows[0] == {"prompt": "a", "case_idx": 7}
    assert rows.columns == ["prompt", "case_idx"]


def test_rows_may_lack_columns_that_others_have():
    rows = build_rows(giving([{"prompt": "a"}, {"prompt": "b", "answer": 2}]))
    assert [row["answer"] for row in rows] == [None, 2]


def test_rows_are_a_sequence():
    rows = build_rows(giving(ROWS))
    assert (len(rows), rows[-1]["prompt"], [row["prompt"] for row in rows[1:]]) == (2, "b", ["b"])


def test_a_row_that_is_not_there_is_told_the_range():
    rows = build_rows(giving(ROWS))
    with pytest.raises(DatasetError, match=r"There is no row 2\. The dataset has rows 0 to 1\."):
        rows.row(2)


def test_text_prompts_are_what_one_user_says():
    assert not build_rows(giving(ROWS)).chat
    assert prompt_messages("a") == [{"role": "user", "content": "a"}]


def test_chat_prompts_come_back_as_the_author_wrote_them():
    call = {"type": "function", "function": {"name": "look", "arguments": {"city": "Lyon"}}}
    long = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "", "tool_calls": [call]}]
    rows = build_rows(giving([{"prompt": long}, {"prompt": long[:1]}]))
    assert rows.chat
    assert [row["prompt"] for row in rows] == [long, long[:1]]


def test_the_fingerprint_is_of_the_content():
    assert build_rows(giving(ROWS)).fingerprint() == build_rows(giving(Dataset.from_list(ROWS))).fingerprint()
    assert build_rows(giving(ROWS)).fingerprint() != build_rows(giving(ROWS[:1])).fingerprint()


def test_a_build_dataset_that_raises_names_the_line():
    def build_dataset(self, tokenizer):
        return [{"prompt": {}["missing"]}]

    assert re.search(r"raised KeyError: 'missing' \(tests/data/test_rows\.py:\d+\)\. ", one_line(env_of(build_dataset)))


def test_a_generator_that_raises_on_the_way_names_the_line():
    def build_dataset(self, tokenizer):
        yield {"prompt": "a"}
        raise ValueError("out of rows")

    told = one_line(env_of(build_dataset))
    assert re.search(r"raised ValueError: out of rows \(tests/data/test_rows\.py:\d+\)\. ", told)


def test_a_build_dataset_that_exits_is_told():
    def build_dataset(self, tokenizer):
        raise SystemExit(3)

    assert "raised SystemExit: 3" in one_line(env_of(build_dataset))


@pytest.mark.parametrize(
    ("build", "what"),
    [
        (lambda self, tokenizer: tokenizer.apply_chat_template([]), "AttributeError"),
        (lambda self, tokenizer: tokenizer("a"), "TypeError"),
        (lambda self, tokenizer: "a" + tokenizer.eos_token, "AttributeError"),
    ],
)
def test_a_build_dataset_that_needs_a_tokenizer_is_told_so_in_words(build, what):
    told = one_line(env_of(build))
    assert f"seems to need a tokenizer, but got None: {what}: " in told
    assert told.endswith("Name one (--tokenizer MODEL), or build prompts as chat messages, which need no tokenizer.")


def test_a_tokenizer_that_was_given_arrives():
    def build_dataset(self, tokenizer):
        return [{"prompt": "a" + tokenizer}]

    assert build_rows(env_of(build_dataset), "</s>")[0]["prompt"] == "a</s>"


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (None, "returned nothing"),
        ("a prompt", "returned str"),
        (5, "returned int"),
        ({"prompt": ["a"]}, "returned dict"),
        (DatasetDict(train=Dataset.from_list(ROWS)), "returned DatasetDict"),
        ([], "returned no rows"),
        (Dataset.from_dict({"prompt": []}), "returned no rows"),
        (["a", "b"], "gave 'a' as row 0"),
        ([{"prompt": "a"}, 5], "gave 5 as row 1"),
        ([{"question": "a"}], "returned no `prompt` column, only question"),
        ([{"promt": "a"}], "returned no `prompt` column, only promt"),
        ([{"prompt": "a"}, {"prompt": " "}], "row 1: the prompt is empty"),
        ([{"prompt": "a"}, {"answer": 1}], "row 1: it has no prompt"),
        ([{"prompt": []}], "row 0: the prompt is an empty list"),
        ([{"prompt": [{"role": "user", "content": "a"}]}, {"prompt": None}], "row 1: it has no prompt"),
        ([{"prompt": [{"content": "a"}]}], "row 0: the message {'content': 'a'} has no role"),
        ([{"prompt": [{"role": "user", "content": ""}]}], "row 0: the user message is empty"),
        ([{"prompt": 5}], "row 0: the prompt is 5"),
        (
            [{"prompt": "a"}, {"prompt": [{"role": "user", "content": "b"}]}],
            "mixes two kinds of prompts: text (row 0) and chat messages (row 1)",
        ),
        ([{"prompt": "a"}, {"prompt": 5}], "mixes two kinds of prompts: text (row 0) and int (row 1)"),
    ],
)  # fmt: skip
def test_what_is_no_dataset_of_prompts_is_named(value, told):
    assert f".build_dataset {told} (" in one_line(giving(value))


def test_chat_messages_are_no_raw_prompts():
    env = giving([{"prompt": [{"role": "user", "content": "a"}]}])
    env.raw_prompts = True
    assert "gives prompts of chat messages, but raw_prompts = True" in one_line(env)
    env.raw_prompts = None
    assert len(build_rows(env)) == 1


def test_a_misspelt_prompt_column_is_guessed():
    assert one_line(giving([{"promt": "a"}])).endswith("Rename 'promt' to 'prompt'.")


def test_a_dataset_with_splits_is_told_to_pick_one():
    told = one_line(giving(DatasetDict(train=Dataset.from_list(ROWS))))
    assert told.endswith("Return one split of it, or all: def build_dataset(self, tokenizer, split='train').")


@pytest.mark.parametrize(
    "columns", [{"prompt": ["a"], "answer": [1]}, {"question": ["a"]}, {"prompt": [{"role": "user"}]}]
)
def test_a_dict_of_columns_is_told_how_they_become_rows(columns):
    told = one_line(giving(columns))
    assert "Return a list of rows" in told
    assert "Dataset.from_dict" in told


def test_a_plain_dict_of_splits_is_told_to_pick_one():
    assert "Return one split of it" in one_line(giving({"train": ROWS, "test": ROWS}))


def test_an_async_build_dataset_is_told_to_be_plain_and_leaves_no_warning():
    async def build_dataset(self, tokenizer):
        return ROWS

    async def build_rows_one_by_one(self, tokenizer):
        yield ROWS[0]

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for function in (build_dataset, build_rows_one_by_one):
            assert "Remove `async`. Return a datasets.Dataset" in one_line(env_of(function))
        gc.collect()
    assert caught == []


def test_a_frame_and_rows_without_a_prompt_are_told_how_they_become_rows():
    frame = pandas.DataFrame(ROWS)
    assert one_line(giving(frame)).endswith("Of a DataFrame: .to_dict('records').")
    assert build_rows(giving(frame.to_dict("records"))).columns
    told = one_line(giving([{"land": "Peru", "capital": "Lima"}]))
    assert told.endswith("Add it, as load_prompts(rows, question=...) does: text, or messages.")


def test_a_column_of_several_types_is_named():
    told = one_line(giving([{"prompt": "a", "answer": 1}, {"prompt": "b", "answer": "two"}]))
    assert "gave rows whose column 'answer' does not fit one type: int (row 0) and str (row 1)" in told


@pytest.mark.parametrize("answer", ["bad \ud800", ["\ud800"], {"word": "\ud800"}])
def test_text_with_half_a_surrogate_pair_is_named_by_row_and_column(answer):
    told = one_line(giving([{"prompt": "a", "answer": None}, {"prompt": "b", "answer": answer}]))
    assert "gave text that is not Unicode in row 1, column 'answer': 'utf-8' codec can't encode" in told
    assert "one type" not in told


def test_an_error_of_ours_inside_build_dataset_is_passed_on():
    def build_dataset(self, tokenizer):
        raise DatasetError("There is no file 'x.csv'.")

    with pytest.raises(DatasetError, match=r"^There is no file 'x\.csv'\.$"):
        build_rows(env_of(build_dataset))


def test_building_shows_no_bars_of_datasets_and_leaves_their_setting_as_it_was(capfd):
    enable_progress_bars()

    def build_dataset(self, tokenizer):
        return Dataset.from_list(ROWS).filter(lambda row: row["answer"] == 1)

    assert len(build_rows(env_of(build_dataset))) == 1
    assert "Filter" not in capfd.readouterr().err
    assert not are_progress_bars_disabled()
