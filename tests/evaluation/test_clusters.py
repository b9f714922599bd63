"""Rows that belong together, as those of one document, count as one for the intervals of every command."""

import json
import math

import pytest

from grpo_env_sdk import SingleTurnEnv, evaluate, open_run, reward
from grpo_env_sdk.cli import main
from grpo_env_sdk.cli.runs_command import summary_of
from grpo_env_sdk.errors import UsageError
from grpo_env_sdk.evaluation.compare import compare
from grpo_env_sdk.evaluation.gates import max_drop_gate
from grpo_env_sdk.evaluation.metrics import Metrics
from grpo_env_sdk.evaluation.plan import plan_of

ENV = f"{__name__}:Documents"


class Documents(SingleTurnEnv):
    """Four rows of each of five documents, of which one cannot be answered."""

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"question {i}", "answer": "no" if i < 4 else "yes", "document": f"page {i // 4}", "book": "one"}
            for i in range(20)
        ]

    @reward
    def right(self, completion, answer):
        return float(completion == answer == "yes")

    def solve(self, row):
        return row["answer"]


@pytest.fixture
def run(tmp_path, monkeypatch):
    """A run in the current folder that was evaluated by document."""
    monkeypatch.chdir(tmp_path)
    assert main(["eval", ENV, "-m", "gold", "--split", "all", "--cluster", "document", "--out", "run"]) == 0
    return open_run("run")


def test_eval_says_that_its_intervals_are_over_clusters(run, capsys):
    capsys.readouterr()
    assert main(["runs", "show", "run"]) == 0
    assert "note: intervals over 5 clusters of rows with the same 'document'.\n" in capsys.readouterr().out
    plain = evaluate(Documents, "gold", split="all").summary
    clustered = evaluate(Documents, "gold", split="all", cluster="document").summary
    assert clustered["cluster"] == {"column": "document", "n": 5}
    assert "cluster" not in plain
    for name in ("reward", "rewards"):
        before, after = (found[name].get("right", found[name]) for found in (plain, clustered))
        assert after["mean"] == before["mean"] == 0.8
        assert after["high"] - after["low"] > 1.5 * (before["high"] - before["low"])


def test_a_run_keeps_its_column_so_that_every_command_has_the_same_interval(run):
    assert plan_of(run).cluster == "document"
    reward = run.summary()["reward"]
    assert summary_of(run, changed=True)["reward"] == reward
    assert Metrics.of_manifest(run.manifest).cluster == "document"
    found = compare(run, evaluate(Documents, "gold", split="all", cluster="document"))
    assert (found.before.as_json(), found.clusters.column, found.clusters.n) == (reward, "document", 5)


def test_diff_clusters_runs_that_were_evaluated_without(run, capsys):
    evaluate(ENV, "gold", split="all", out="one")
    evaluate(ENV, "echo", split="all", out="two")
    assert compare("one", "two").clusters is None
    capsys.readouterr()
    assert main(["diff", "one", "two", "--cluster", "document"]) == 0
    assert "intervals over 5 clusters of rows with the same 'document'\n" in capsys.readouterr().out
    assert main(["diff", "one", "two", "--cluster", "document", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["cluster"] == {"column": "document", "n": 5}
    assert found["runs"]["before"]["reward"] == run.summary()["reward"] == found["before"]


def test_the_sign_test_counts_clusters(run):
    before, after = (evaluate(Documents, policy, split="all") for policy in ("gold", "echo"))
    assert compare(before, after).p_value == pytest.approx(2 * 0.5**16)
    assert compare(before, after, cluster="document").p_value == pytest.approx(2 * 0.5**4)


def test_one_cluster_has_no_interval_and_passes_no_confident_gate(run):
    found = compare(run, run, cluster="book")
    assert (found.difference.mean, found.difference.low) == (0.0, None)
    gate = max_drop_gate(found, 0.5, confident=True)
    assert not gate.passed
    assert gate.result.endswith("there is no interval: one cluster of rows")


def test_an_unknown_column_is_named_with_the_one_that_was_meant(run, capsys):
    said = "--cluster documnet: no such column. Did you mean 'document'?"
    assert main(["eval", ENV, "-m", "gold", "--cluster", "documnet"]) == 2
    assert said in capsys.readouterr().err
    assert main(["diff", "run", "run", "--cluster", "documnet"]) == 2
    assert said in capsys.readouterr().err
    for call in (lambda: evaluate(Documents, cluster="nope"), lambda: compare(run, run, cluster="nope")):
        with pytest.raises(UsageError, match=r"^cluster='nope': no such column"):
            call()


def test_a_row_without_the_value_is_independent():
    columns = {0: "a", 1: "a", 2: None}
    found = Metrics(cluster="document")
    for episode in evaluate(Documents, "gold", split="all", rows=3).kept:
        episode.row["document"] = columns[episode.row_index]
        found.add(episode)
    assert found.summary()["cluster"] == {"column": "document", "n": 2}


class Charts(Documents):
    """Four questions about each of two charts, and two about no chart."""

    def build_dataset(self, tokenizer):
        from PIL import Image

        return [
            {
                "prompt": f"question {i}", "answer": "yes", "book": math.nan if i > 7 else i // 4,
                "chart": Image.new("RGB", (2, 2), (i // 4, 0, 0)),
            }
            for i in range(10)
        ]  # fmt: skip


def test_rows_with_the_same_image_are_one_cluster_before_and_after_they_are_written(tmp_path):
    made = evaluate(Charts, "gold", split="all", cluster="chart", out=tmp_path / "run")
    found = made.summary["cluster"]
    assert found == {"column": "chart", "n": 3}
    assert summary_of(open_run(tmp_path / "run"), changed=True)["cluster"] == found
    in_memory = evaluate(Charts, "gold", split="all")
    assert compare(in_memory, in_memory, cluster="chart").clusters.n == 3


def test_nan_is_no_value_to_share():
    assert evaluate(Charts, "gold", split="all", cluster="book").summary["cluster"]["n"] == 4


def test_runs_with_two_columns_are_compared_over_rows_and_a_note_says_so(run, capsys):
    evaluate(ENV, "echo", split="all", out="other", cluster="book")
    assert compare("run", "other").clusters is None
    capsys.readouterr()
    assert main(["diff", "run", "other"]) == 0
    told = capsys.readouterr().out
    assert "intervals over rows, as the runs were evaluated with clusters of 'document' and 'book': --cluster" in told
    assert main(["diff", "run", "other", "--cluster", "book"]) == 0
    assert "intervals over rows" not in capsys.readouterr().out


@pytest.mark.parametrize("column", ["", " ", "a\nb", 7, ["document"]])
def test_what_is_no_name_of_a_column_is_refused_in_one_line(run, column):
    for call in (lambda: evaluate(Documents, cluster=column), lambda: compare(run, run, cluster=column)):
        with pytest.raises(
            UsageError, match=r"^cluster must be the name of a column, got .*There are prompt"
        ) as raised:
            call()
        assert "\n" not in str(raised.value)
