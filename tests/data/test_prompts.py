"""People's own data as prompts."""

import csv
import json
import logging
import os
import subprocess
import sys

import pandas
import pytest

from grpo_env_sdk import SingleTurnEnv, evaluate, load_prompts
from grpo_env_sdk.data.quiet_reading import quiet_reading
from grpo_env_sdk.errors import DatasetError, GrpoEnvWarning
from grpo_env_sdk.rewards import exact_match

ROWS = [{"question": "2 + 2?", "answer": "4", "level": 1}, {"question": "3 + 4?", "answer": "7", "level": 2}]
USER = [[{"role": "user", "content": "2 + 2?"}], [{"role": "user", "content": "3 + 4?"}]]


def written(path):
    """The rows in a file of the kind that its suffix says."""
    if path.suffix.lower() in (".csv", ".tsv"):
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, ROWS[0], delimiter="\t" if path.suffix == ".tsv" else ",")
            writer.writeheader()
            writer.writerows(ROWS)
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    elif path.suffix == ".json":
        path.write_text(json.dumps(ROWS))
    else:
        from datasets import Dataset

        Dataset.from_list(ROWS).to_parquet(str(path))
    return path


def test_a_data_frame_gives_prompts_and_its_gaps_are_none():
    frame = pandas.DataFrame([*ROWS, {"question": "5 + 5?", "answer": "10"}], index=[7, 8, 9])
    rows = load_prompts(frame, question="question")
    assert rows["answer"] == ["4", "7", "10"]
    assert [row["level"] for row in rows] == [1, 2, None]
    assert rows[0]["prompt"] == USER[0]


@pytest.mark.parametrize("name", ["rows.csv", "rows.CSV", "rows.tsv", "rows.json", "rows.jsonl", "rows.parquet"])
def test_a_file_of_any_kind_gives_prompts_answers_and_its_other_columns(tmp_path, name):
    dataset = load_prompts(written(tmp_path / name))
    assert list(dataset["prompt"]) == USER
    assert [str(answer) for answer in dataset["answer"]] == ["4", "7"]
    assert sorted(dataset.column_names) == ["answer", "level", "prompt"]
    assert list(dataset["level"]) == [1, 2]


def test_a_path_may_be_text(tmp_path):
    assert len(load_prompts(str(written(tmp_path / "rows.csv")))) == 2


def test_a_folder_of_files_is_taken_as_the_hub_would(tmp_path):
    written(tmp_path / "train.csv")
    assert len(load_prompts(str(tmp_path))) == 2


@pytest.mark.parametrize("rows", [ROWS, tuple(ROWS), iter(ROWS)], ids=["list", "tuple", "iterator"])
def test_rows_in_memory_are_as_good_as_a_file(rows):
    assert list(load_prompts(rows)["prompt"]) == USER


def test_a_dataset_is_as_good_as_a_file():
    from datasets import Dataset

    assert list(load_prompts(Dataset.from_list(ROWS))["prompt"]) == USER


def test_rows_that_begin_to_have_a_column_later_keep_it():
    dataset = load_prompts([{"question": "a", "answer": "b"}, {"question": "c", "answer": "d", "hint": "e"}])
    assert list(dataset["hint"]) == [None, "e"]


def test_a_system_prompt_comes_first():
    first = load_prompts(ROWS, system="Be brief.")["prompt"][0]
    assert first == [{"role": "system", "content": "Be brief."}, *USER[0]]


def test_a_list_of_messages_is_the_prompt():
    chats = [{"messages": [{"role": "system", "content": "Be brief."}, *USER[0]], "answer": "4"}]
    assert load_prompts(chats, question="messages")[0] == {"prompt": chats[0]["messages"], "answer": "4"}
    asked = load_prompts([{"prompt": USER[0], "answer": "4"}], question="prompt", system="Count.")
    assert asked["prompt"] == [[{"role": "system", "content": "Count."}, *USER[0]]]


SAID = [[*USER[0], {"role": "assistant", "content": "4"}], [*USER[1], {"role": "assistant", "content": "7"}]]
SHARE_GPT = [[{"from": "human", "value": row["question"]}, {"from": "gpt", "value": row["answer"]}] for row in ROWS]


@pytest.mark.parametrize("answer", [None, "answer"])
@pytest.mark.parametrize("chats", [SAID, SHARE_GPT], ids=["usual", "ShareGPT"])
def test_the_last_message_of_the_assistant_is_the_answer_where_the_data_has_none(tmp_path, chats, answer):
    (tmp_path / "chats.jsonl").write_text("".join(json.dumps({"messages": chat}) + "\n" for chat in chats))
    with pytest.warns(GrpoEnvWarning, match="'messages' ends with the assistant's message .* is the answer"):
        rows = load_prompts(tmp_path / "chats.jsonl", question="messages", answer=answer)
    assert rows.to_list() == [{"answer": "4", "prompt": USER[0]}, {"answer": "7", "prompt": USER[1]}]


def test_last_messages_of_the_assistant_in_some_rows_alone_are_no_answers():
    with pytest.raises(DatasetError, match=r"Row 0 .* end with the assistant's"):
        load_prompts([{"messages": SAID[0]}, {"messages": USER[1]}], question="messages", answer=None)
    with pytest.raises(DatasetError, match="no column 'answer'"):
        load_prompts([{"messages": USER[0]}], question="messages")


@pytest.mark.parametrize("asked", [USER, [chat[:1] for chat in SHARE_GPT]], ids=["usual", "ShareGPT"])
def test_messages_as_json_text_are_messages_where_all_rows_are(tmp_path, asked):
    with (tmp_path / "chats.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["messages", "answer"], *([json.dumps(chat), 1] for chat in asked)])
    with pytest.warns(GrpoEnvWarning, match="'messages' is JSON text in every row: it is read as messages"):
        assert load_prompts(tmp_path / "chats.csv", question="messages")["prompt"] == USER
    texts = [{"question": json.dumps(USER[0]), "answer": "4"}, {"question": "[1]", "answer": "7"}]
    assert load_prompts(texts)["prompt"][0][0]["content"] == texts[0]["question"]


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ({"role": "user", "content": "2 + 2?"}, r"Row 0 .* 'question' \{'content'.* Give text, or messages: \["),
        ([{"from": "human", "text": "2 + 2?"}], r"Row 0 .* \[\{'from'.* Give text, or messages"),
        (["2 + 2?"], r"Row 0 .* \['2 \+ 2\?'\]\. Give text, or messages"),
        ([*USER[0], {"role": "assistant", "content": "4"}], "end with the assistant's, .* a column of its own"),
        ([{"role": "system", "content": "Add."}, *USER[0]], r"a system message of its own\. Leave system=\.\.\. out"),
    ],
)
def test_a_question_that_is_no_prompt_is_refused_with_the_next_step(question, told):
    with pytest.raises(DatasetError, match=told):
        load_prompts([{"question": question, "answer": "4"}], system="Be brief.")


def test_columns_of_other_names_are_named():
    dataset = load_prompts([{"problem": "2 + 2?", "solution": "4"}], question="problem", answer="solution")
    assert dataset[0] == {"prompt": USER[0], "answer": "4"}


def test_data_without_answers_is_asked_for_with_none():
    assert load_prompts([{"question": "2 + 2?"}], answer=None)[0] == {"prompt": USER[0]}


def test_rows_without_an_answer_are_noted(tmp_path):
    (tmp_path / "sums.csv").write_text("question,answer\n1 + 1?,2\n1 + 2?,\n", encoding="utf-8")
    told = r"1 row of 2 has no 'answer', the first is row 1\. .*pass answer=None"
    with pytest.warns(GrpoEnvWarning, match=told):
        load_prompts(tmp_path / "sums.csv")
    with pytest.warns(GrpoEnvWarning, match="1 row of 2 has no 'answer', the first is row 0"):
        load_prompts([{"question": "1 + 1?", "answer": ""}, {"question": "1 + 2?", "answer": "3"}])


def test_a_column_that_is_called_prompt_already_is_made_a_chat():
    assert load_prompts([{"prompt": "2 + 2?", "answer": "4"}], question="prompt")[0] == {
        "prompt": USER[0],
        "answer": "4",
    }


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (
            {"question": "qustion"},
            r"The data has no column 'qustion', only question, answer, level\. Did you mean 'quest",
        ),
        (
            {"answer": "xyz"},
            r"The data has no column 'xyz', only .*\. Name your columns with question=\.\.\. and answer=\.\.\.",
        ),
    ],
)
def test_a_column_that_is_not_there_is_told_with_those_that_are(options, told):
    with pytest.raises(DatasetError, match=told):
        load_prompts(ROWS, **options)


def test_a_file_that_is_not_there_is_told_with_its_line_and_the_working_directory(workplace):
    with pytest.raises(DatasetError, match=r"There is no file 'rows\.csv' \(.*test_prompts\.py:\d+\)\.") as caught:
        load_prompts("rows.csv")
    assert f"The working directory is {workplace.folder};" in caught.value.hint
    assert "write Path(__file__).parent / 'rows.csv'." in caught.value.hint


@pytest.mark.parametrize(("name", "data", "said"), [
    ("rows.jsonl", b'{"question": "a", "answer": "b"}\n{nonsense', r"rows\.jsonl:2 is not JSON: .* Write one"),
    ("rows.csv", "question,answer\nWie schön?,ja".encode("latin-1"), r"rows\.csv:2 is not UTF-8\. Save the file"),
    ("rows.jsonl", b"\n", r"rows\.jsonl' is empty\. Give at least one row"),
    ("rows.csv", b"question,answer\n", r"rows\.csv' has no rows\. Give at least one row"),
    ("rows.tsv", b"question\tanswer\n", r"rows\.tsv' has no rows"),
    ("rows.json", b"[]", r"rows\.json' has no rows"),
    ("rows.csv", b'question,answer\na,b\n"c,d\ne,f\n', r"rows\.csv:3: a quote begins .* Close it"),
    ("rows.csv", b'question,answer\na,b\n"' + b"c" * 200_000, r"rows\.csv:3: a quote begins"),
    ("rows.csv", b"question,answer\na,b,c\nd,e,f,g", r"rows\.csv:2: this row has 3 fields, and the header 2\."),
    ("rows.csv", b'question,answer\n\n"a\nb",c\n\n"d\n","e",f\n', r"rows\.csv:6: this row has 3 .* in quotes"),
    ("rows.csv", b"question;answer\na;b", r"no column 'question', .* The separator seems to be ';'"),
    ("rows.py", b"x = 1", r"rows\.py' is no file of a known kind\. Files end in \.csv, \.tsv"),
    ("rows.parquet", b"none", r"rows\.parquet' could not be read: .*\. Give each column values of one type"),
])  # fmt: skip
def test_a_file_that_cannot_be_read_is_told_with_the_line(tmp_path, name, data, said):
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(DatasetError, match=said) as caught:
        load_prompts(path)
    assert "\n" not in str(caught.value)


def test_a_column_of_texts_and_numbers_is_told_with_a_row_of_each():
    with pytest.raises(DatasetError, match=r"column 'answer' has str \(row 0\) and int \(row 1\)"):
        load_prompts([{"question": "a", "answer": "ja"}, {"question": "b", "answer": 3}])


def test_lines_of_json_may_begin_with_a_byte_order_mark_and_have_other_line_ends(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"question": "a", "answer": "b"}\r\n\r\n{"question": "c", "answer": "d"}\r\n')
    assert load_prompts(path)["answer"] == ["b", "d"]


@pytest.mark.parametrize("text", ["question,answer\na,b\n", "question,answer\na,b,c\nd,e,f,g\n"])
def test_reading_a_file_prints_nothing_of_its_own(text, tmp_path):
    (tmp_path / "rows.csv").write_text(text)
    code = "from grpo_env_sdk import load_prompts\ntry: load_prompts('rows.csv')\nexcept ValueError: pass"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env={**os.environ, "HF_HOME": str(tmp_path / "hf")},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert (done.stdout, done.stderr) == ("", "")


def test_progress_bars_and_the_log_of_datasets_are_as_before(tmp_path):
    from datasets import are_progress_bars_disabled
    from datasets.utils.logging import get_verbosity

    before = (get_verbosity(), are_progress_bars_disabled())
    with quiet_reading():
        assert (get_verbosity(), are_progress_bars_disabled()) == (logging.CRITICAL, True)
    assert (get_verbosity(), are_progress_bars_disabled()) == before


def test_no_rows_are_told():
    with pytest.raises(DatasetError, match="The data has no rows"):
        load_prompts([])


def test_a_row_that_is_no_dict_is_told():
    with pytest.raises(DatasetError, match=r"Row 1 of the data is 'two', not a dict"):
        load_prompts([ROWS[0], "two"])


def test_a_question_that_is_missing_is_an_empty_prompt_and_told_when_built():
    class Own(SingleTurnEnv):
        rewards = (exact_match(),)

        def build_dataset(self, tokenizer):
            return load_prompts([*ROWS, {"question": None, "answer": "1"}])

    with pytest.raises(DatasetError, match="row 2: the user message is empty"):
        evaluate(Own, "echo")


def test_own_data_takes_three_lines(tmp_path):
    path = written(tmp_path / "rows.csv")

    class Own(SingleTurnEnv):
        rewards = (exact_match("answer"),)

        def build_dataset(self, tokenizer):
            return load_prompts(path, system="Answer with a number.")

        def solve(self, row):
            return str(row["answer"])

    assert evaluate(Own, "gold", split="all").summary["reward"]["mean"] == 1.0
