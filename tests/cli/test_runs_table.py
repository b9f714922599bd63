"""`runs export --table`: every episode of one or more runs in a flat row."""

import csv
import json

import pytest
from datasets import load_dataset

from grpo_env_sdk import ToolEnv, Turn, evaluate, metric, open_run, reward, tool
from grpo_env_sdk.cli import main
from grpo_env_sdk.evaluation.flat_table import written_table
from grpo_env_sdk.ext import table_of_run
from tests.environments import Countdown


class Desk(ToolEnv):
    """Rows, calls and figures that differ from episode to episode."""

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Row {number}.", "number": number} for number in range(3)]

    @tool
    def look(self, item: str) -> str:
        """Look."""
        return item

    @reward
    def right(self, number):
        if number == 2:
            raise RuntimeError("broken")
        return number

    @metric
    def odd(self, number):
        return number + 1


class Calls:
    name = "calls"

    async def respond(self, request):
        arguments = "{not json" if request.row_index else {"item": "lamp"}
        call = {"function": {"name": "look", "arguments": arguments}}
        if request.turn == 0:
            return Turn({"role": "assistant", "content": "", "tool_calls": [call]}, completion_tokens=3)
        return Turn({"role": "assistant", "content": "half \ud800, done"}, completion_tokens=4)


@pytest.fixture
def runs(workplace):
    evaluate(Desk, Calls(), split="all", out="desk")
    evaluate(Countdown, "gold", split="all", rows=2, out="count")
    return ["desk", "count"]


def test_runs_with_all_kinds_of_episodes_become_one_table(runs, capsys):
    capsys.readouterr()
    for name in ("all.parquet", "all.csv", "all.jsonl"):
        assert main(["runs", "export", *runs, "--table", name]) == 0
    assert capsys.readouterr().out.startswith("all.parquet: 5 episodes, ")
    table = load_dataset("parquet", data_files="all.parquet", split="train")
    first, second, failed, *counted = table
    assert [first[name] for name in ("run", "split", "policy", "row_index", "turns")] == ["desk", "all", "calls", 0, 2]
    assert (first["reward/right"], first["metric/odd"], first["completion_tokens"]) == (0.0, 1.0, 7)
    assert (second["reward"], second["failed_tool_calls"], second["error"]) == (1.0, 1, None)
    assert (failed["reward"], failed["error"]) == (None, "environment score: RuntimeError")
    assert (first["prompt"], first["answer"]) == ("Row 0.", "half ?, done")
    assert json.loads(first["row"])["number"] == 0
    assert [row["reward/right"] for row in counted] == [None, None]
    with open("all.csv", newline="") as file:
        assert [row["reward"] for row in csv.DictReader(file)] == ["0.0", "1.0", "", "1.0", "1.0"]
    with open("all.jsonl") as file:
        lines = [json.loads(line) for line in file]
    assert [line["metric/odd"] for line in lines] == [1.0, 2.0, None, None, None]
    assert {tuple(line) for line in lines} == {tuple(table.column_names)}


def test_a_figure_that_json_has_not_is_nothing_there():
    assert json.loads(written_table([{"metric/odd": float("nan"), "turns": 2}], ".jsonl")) == {
        "metric/odd": None,
        "turns": 2,
    }


def test_the_row_of_a_table_is_json_that_every_reader_takes():
    class Odd(Countdown):
        def build_dataset(self, tokenizer):
            return [{"prompt": "NaN?", "start": 3, "limits": [float("nan"), float("-inf"), 1.0]}]

    (row,) = evaluate(Odd, "echo", split="all").table()
    assert json.loads(row["row"], parse_constant=pytest.fail)["limits"] == ["NaN", "-Infinity", 1.0]


def test_python_has_the_same_rows():
    found = evaluate(Countdown, "gold", split="all", rows=2)
    assert [(row["row_index"], row["split"], row["run"]) for row in found.table()] == [
        (0, "all", None),
        (1, "all", None),
    ]


def test_those_of_a_run_are_the_same_as_those_of_its_evaluation(tmp_path):
    found = evaluate(Countdown, "gold", split="all", rows=2, out=tmp_path / "run")
    assert table_of_run(open_run(tmp_path / "run")) == found.table()


@pytest.mark.parametrize(("words", "said"), [
    (["--table", "a.xlsx"], "A table's file ends with .parquet or .csv or .jsonl, got 'a.xlsx'."),
    (["--table", "a.csv", "--best"], "--best cannot be combined with --table."),
    (["--table", "a.csv", "--min-reward", "0"], "--min-reward cannot be combined with --table."),
    (["--table", "desk/a.csv"], "in the folder of the run itself"),
    (["--table", "gone/a.csv"], "cannot be written"),
])  # fmt: skip
def test_a_table_that_cannot_be_written_is_one_line(words, said, runs, capsys):
    capsys.readouterr()
    assert main(["runs", "export", *runs, *words]) == 2
    told = capsys.readouterr().err
    assert said in told
    assert told.count("\n") == 1
