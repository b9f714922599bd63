"""`grpo-env runs show --row` and `runs export`: single episodes, to read and to learn from."""

import json

import pytest

from grpo_env_sdk import evaluate
from grpo_env_sdk.cli import main
from tests.environments import Countdown, Phonebook

SCORED = """
class Scored:
    def build_dataset(self, tokenizer):
        return [{"prompt": f"Row {number}."} for number in range(3)]

    def score_episode(self, model, tokenizer, completion):
        if "fail" in completion:
            raise RuntimeError("broken")
        return float(completion)
"""
ANSWERS = ["0.5", "1", "1", "fail", "0.25", "0"]
"""Those of two samples of each row."""


@pytest.fixture(autouse=True)
def folder(workplace):
    """Where the commands run."""
    return workplace.folder


@pytest.fixture
def scored(folder):
    """The name of a run of three rows with two samples each, of which one has failed."""
    (folder / "scored.py").write_text(SCORED)
    (folder / "first.jsonl").write_text("".join(f'"{answer}"\n' for answer in ANSWERS[::2]))
    assert main(["eval", "scored:Scored", "--split", "all", "-m", "scripted:first.jsonl", "--out", "run"]) == 0
    path, manifest = folder / "run" / "episodes.jsonl", folder / "run" / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"samples": 1', '"samples": 2'))
    records = [json.loads(line) for line in path.read_text().splitlines()]
    for record, answer in zip(sorted(records, key=lambda one: one["row_index"]), ANSWERS[1::2], strict=True):
        failed = answer == "fail"
        again = record | {"sample": 1, "reward": None if failed else float(answer)}
        again["messages"] = [*record["messages"][:-1], {"role": "assistant", "content": answer}]
        if failed:
            again["stop_reason"] = "env_error"
        with path.open("a") as file:
            file.write(json.dumps(again) + "\n")
    return "run"


@pytest.fixture
def phonebook():
    """The name of a run of an environment with a tool."""
    evaluate(Phonebook, "gold", split="all", rows=2, out="calls")
    return "calls"


def exported(*words):
    assert main(["runs", "export", *words, "--out", "sft.jsonl", "--yes"]) == 0
    with open("sft.jsonl") as file:
        return [json.loads(line) for line in file]


def test_text_prompts_are_exported_with_their_completions(scored, capsys):
    found = {(line["prompt"], line["completion"]) for line in exported(scored, "--min-reward", "0.5")}
    assert found == {("Row 0.", "0.5"), ("Row 0.", "1"), ("Row 1.", "1")}
    said = capsys.readouterr().out
    assert "sft.jsonl: 3 episodes; left out: " in said
    assert "2 below 0.5" in said
    assert "1 without a reward" in said


def test_the_worst_are_exported_with_their_rewards(scored, capsys):
    lines = exported(scored, "--max-reward", "0.3")
    assert sorted((line["row_index"], line["sample"], line["reward"]) for line in lines) == [(2, 0, 0.25), (2, 1, 0.0)]
    assert "above 0.3" in capsys.readouterr().out


def test_the_best_of_each_row_is_exported(scored, capsys):
    assert [line["completion"] for line in exported(scored, "--best")] == ["1", "1", "0.25"]
    capsys.readouterr()
    exported(scored, "--best", "--json")
    assert json.loads(capsys.readouterr().out) == {
        "file": "sft.jsonl", "episodes": 3, "format": "prompt-completion",
        "left_out": {"without a reward": 1, "that are not the best of their row": 2},
    }  # fmt: skip


def test_calls_are_objects_for_chat_templates_and_text_for_openai(phonebook):
    line = exported(phonebook)[0]
    assert [message["role"] for message in line["messages"]] == ["user", "assistant", "tool", "assistant"]
    assert line["messages"][1]["tool_calls"][0]["function"]["arguments"] == {"name": "Person0"}
    assert line["tools"][0]["function"]["name"] == "look_up"
    line = exported(phonebook, "--openai")[0]
    assert line["messages"][1]["tool_calls"][0]["function"]["arguments"] == '{"name": "Person0"}'
    assert line.keys() == {"messages", "tools"}
    assert set(line["messages"][2]) == {"role", "content", "tool_call_id"}
    assert line["tools"][0]["function"].keys() == {"name", "description", "parameters"}


def test_text_prompts_are_messages_for_openai(scored, capsys):
    messages = [{"role": "user", "content": "Row 2."}, {"role": "assistant", "content": "0.25"}]
    capsys.readouterr()
    assert exported(scored, "--openai", "--best", "--json")[2] == {"messages": messages}
    assert json.loads(capsys.readouterr().out)["format"] == "messages"


def test_unreadable_arguments_are_json_for_openai(phonebook, folder):
    file = folder / phonebook / "episodes.jsonl"
    file.write_text(file.read_text().replace('"arguments": {"name": "Person0"}', '"arguments": "{Person0"', 1))
    calls = exported(phonebook, "--openai")[0]["messages"][1]["tool_calls"]
    assert json.loads(calls[0]["function"]["arguments"]) == {"unreadable": "{Person0"}


def test_what_ended_first_does_not_change_an_export(scored, folder):
    before = exported(scored), exported(scored, "--best")
    path = folder / "run" / "episodes.jsonl"
    path.write_text("".join(reversed(path.read_text().splitlines(keepends=True))))
    assert (exported(scored), exported(scored, "--best")) == before
    assert [(line["row_index"], line["sample"]) for line in before[0]] == [(0, 0), (0, 1), (1, 0), (2, 0), (2, 1)]


def test_an_export_overwrites_nothing_unless_asked(scored, folder, capsys):
    (folder / "mine.jsonl").write_text("mine")
    assert main(["runs", "export", scored, "--out", "mine.jsonl"]) == 2
    assert "'mine.jsonl' exists already" in capsys.readouterr().err
    assert (folder / "mine.jsonl").read_text() == "mine"
    before = (folder / "run/episodes.jsonl").read_bytes()
    assert main(["runs", "export", scored, "--out", "run/episodes.jsonl", "--yes"]) == 2
    assert (folder / "run/episodes.jsonl").read_bytes() == before


def test_an_export_of_nothing_writes_no_file_and_says_why(scored, folder, capsys):
    assert main(["runs", "export", scored, "--out", "sft.jsonl", "--min-reward", "2"]) == 2
    assert "nothing to export: 0 episodes; left out: " in capsys.readouterr().err
    assert not (folder / "sft.jsonl").exists()


def test_the_samples_of_a_row_are_shown_in_their_order(scored, folder, capsys):
    file = folder / scored / "episodes.jsonl"
    file.write_text("".join(sorted(file.read_text().splitlines(keepends=True), key=lambda line: '"sample": 0' in line)))
    capsys.readouterr()
    assert main(["runs", "show", scored, "--row", "2", "--json"]) == 0
    assert [json.loads(line)["sample"] for line in capsys.readouterr().out.splitlines()] == [0, 1]


def test_an_episode_is_shown_with_its_calls_replies_and_rewards(phonebook, capsys):
    assert main(["runs", "show", phonebook, "--row", "1"]) == 0
    text = capsys.readouterr().out
    assert 'assistant: -> look_up(name="Person1")' in text
    assert 'tool look_up: {"number": "101"}' in text
    assert "reward 1 (terminated, 2 turns)\n  right: 1\n  looked_up: 1" in text
    assert "Person0" not in text
    assert main(["runs", "show", phonebook, "--row", "1", "--sample", "0", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["row"]["name"] == "Person1"


def test_all_samples_of_a_row_are_shown(scored, capsys):
    assert main(["runs", "show", scored, "--row", "0"]) == 0
    text = capsys.readouterr().out
    assert text.index("row 0, sample 0") < text.index("row 0, sample 1")


def test_text_that_steers_a_terminal_is_visible(capsys):
    class Steering(Countdown):
        def build_dataset(self, tokenizer):
            return [{"prompt": "\x1b[2J\n::error::x", "start": 1}]

    evaluate(Steering, "gold", split="all", out="steers")
    assert main(["runs", "show", "steers", "--row", "0"]) == 0
    assert "user: \\x1b[2J\n\\::error" in capsys.readouterr().out


@pytest.mark.parametrize(("words", "said"), [
    (["show", "calls", "--row", "9"], "calls has no episode of row 9. It has 2 rows: 0, 1."),
    (["show", "calls", "--row", "1", "--sample", "3"], "calls has no sample 3 of row 1. It has 1 sample: 0."),
    (["show", "calls", "--row", "x"], "--row must be a whole number of at least 0, got x"),
    (["show", "calls", "--sample", "0"], "--sample needs --row."),
    (["show", "calls", "--best"], "--best is for `grpo-env runs export`."),
    (["export", "calls", "--row", "1"], "--row is for `grpo-env runs show`."),
    (["export", "calls"], "runs export needs --out FILE."),
    (["export", "calls", "calls", "--out", "a"], "reads the episodes of one run, not of 2."),
    (["exprot", "calls"], "Did you mean 'export'?"),
])  # fmt: skip
def test_what_cannot_be_shown_or_exported_is_one_line(words, said, phonebook, capsys):
    capsys.readouterr()
    assert main(["runs", *words]) == 2
    told = capsys.readouterr().err
    assert said in told
    assert told.count("\n") == 1
