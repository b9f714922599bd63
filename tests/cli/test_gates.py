"""`eval --min-reward` and `diff --max-drop`, which fail a command in CI."""

import json

import pytest

from grpo_env_sdk.cli import main

FIXED = """
class Fixed:
    def __init__(self, share=1.0, most=1.0):
        self.share, self.most = share, most

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Row {number}.", "value": value} for number, value in enumerate((1.0, 0.5, 0.0, -1.0))]

    def score_episode(self, model, tokenizer, completion, value):
        if value < 0 or value > self.most:
            raise RuntimeError("broken")
        return value * self.share
"""
EVAL = ("eval", "fixed:Fixed", "--model", "echo", "--split", "all")


@pytest.fixture(autouse=True)
def fixed(workplace):
    """An environment with a mean reward of 0.5 on its first three rows, whose fourth row fails."""
    workplace.write("fixed.py", FIXED)


@pytest.mark.parametrize(("limit", "code", "said"), [("0.5", 0, "passed"), ("-1", 0, "passed"), ("0.6", 1, "failed")])
def test_eval_fails_where_the_mean_reward_is_too_low(limit, code, said, capsys):
    assert main([*EVAL, "-n", "3", "--min-reward", limit]) == code
    assert f"--min-reward {limit}: {said}, the mean reward is 0.500" in capsys.readouterr().out


@pytest.mark.parametrize(("allowed", "code"), [
    ([], 1), (["--max-errors", "2"], 0), (["--max-errors", "0.25"], 0), (["--max-errors", "0.2"], 1),
])  # fmt: skip
def test_eval_fails_where_more_episodes_have_no_reward_than_may_fail(allowed, code, capsys):
    assert main([*EVAL, "--min-reward", "0.5", *allowed]) == code
    assert ("only 3 of 4 episodes have a reward" in capsys.readouterr().out) == bool(code)


def test_a_summary_says_on_how_many_rows_its_figures_are(capsys):
    assert main([*EVAL]) == 0
    told = capsys.readouterr().out
    assert "1 of 4 have no reward; the mean is over the other 3, on 3 of 4 rows.\n" in told
    assert "0.333 over 3 of 4 rows\n" in told
    assert "pass@k and pass^k are over the rows with k scored samples" in told


def test_a_run_that_is_resumed_can_have_a_gate_too(capsys):
    assert main([*EVAL, "-n", "3", "--out", "one"]) == 0
    assert main(["eval", "--resume", "one", "--min-reward", "0.4"]) == 0
    capsys.readouterr()
    assert main(["eval", "--resume", "one", "--min-reward", "0.6", "--json"]) == 1
    gate = json.loads(capsys.readouterr().out)["gate"]
    assert (gate["flag"], gate["limit"], gate["passed"]) == ("--min-reward", 0.6, False)


@pytest.fixture
def runs(capsys):
    """The names of two runs: with a mean reward of 0.5, and of 0.25."""
    assert main([*EVAL, "-n", "3", "--out", "one"]) == 0
    assert main([*EVAL, "-n", "3", "--out", "half", "--env-config", '{"share": 0.5}']) == 0
    capsys.readouterr()
    return "one", "half"


def test_diff_fails_where_the_mean_reward_fell_too_far(runs, capsys):
    assert main(["diff", *runs]) == 0
    assert main(["diff", *reversed(runs), "--max-drop", "0"]) == 0
    assert main(["diff", *runs, "--max-drop", "0.25"]) == 0
    assert "--max-drop 0.25: passed" in capsys.readouterr().out
    assert main(["diff", *runs, "--max-drop", "0.2"]) == 1
    line = capsys.readouterr().out.splitlines()[-1]
    assert line.startswith("--max-drop 0.2: failed, the mean reward changed by -0.250 [")
    assert line.endswith("], from 0.500 to 0.250, on 3 rows")
    assert main(["diff", *runs, "--max-drop", "0.2", "--json"]) == 1
    gate = json.loads(capsys.readouterr().out)["gate"]
    assert (gate["flag"], gate["limit"], gate["passed"]) == ("--max-drop", 0.2, False)


@pytest.mark.parametrize(("allowed", "code"), [
    ([], 1), (["--max-errors", "2"], 0), (["--max-errors", "0.34"], 0), (["--max-errors", "0.3"], 1),
])  # fmt: skip
def test_diff_fails_where_more_episodes_of_the_later_run_have_no_reward_than_may_fail(allowed, code, runs, capsys):
    assert main([*EVAL, "--out", "less", "--env-config", '{"most": 0.9}']) == 0
    capsys.readouterr()
    assert main(["diff", "one", "less", "--max-drop", "0.5", *allowed]) == code
    told = capsys.readouterr().out
    assert "no reward: 2 of 4 episodes of the second run\n" in told
    assert "each run's own mean: 0.500 [0.000, 1.000] on 3 rows before, 0.250 [" in told
    assert ("only 2 of 3 needed episodes of the second run have a reward" in told) == bool(code)


@pytest.mark.parametrize("flag", [["--max-errors", "2"], ["--confident"]])
def test_what_belongs_to_a_gate_is_refused_without_one(flag, runs, capsys):
    assert main(["diff", *runs, *flag]) == 2
    assert f"{flag[0]} is for --max-drop." in capsys.readouterr().err


def test_a_confident_diff_takes_the_lower_end_of_the_interval(runs, capsys):
    assert main(["diff", *runs, "--max-drop", "0.25", "--confident"]) == 1
    line = capsys.readouterr().out.splitlines()[-1]
    assert line.startswith("--max-drop 0.25: failed, the mean reward changed by -0.250 [-0.")
    assert line.endswith("on 3 rows, and the lower end counts")
    assert main(["diff", *runs, "--max-drop", "1", "--confident"]) == 0
    assert main(["diff", "one", "one", "--max-drop", "0.5", "--confident"]) == 1  # three equal rows prove little
    assert main([*EVAL, "-n", "1", "--out", "single"]) == 0
    assert main(["diff", "single", "single", "--max-drop", "1", "--confident"]) == 1
    assert capsys.readouterr().out.endswith("on 1 row, and there is no interval: one row\n")


def test_a_mean_above_the_range_is_refused_before_anything_is_played(workplace, capsys):
    workplace.write("declared.py", FIXED.replace("    def build", "    reward_range = (-1, 1)\n\n    def build", 1))
    assert main(["eval", "declared:Fixed", "--model", "echo", "--min-reward", "2", "--out", "none"]) == 2
    assert "--min-reward 2 cannot be reached: the rewards of declared:Fixed go up to 1." in capsys.readouterr().err
    assert not (workplace.folder / "none").exists()


@pytest.mark.parametrize(("words", "said"), [
    ((*EVAL, "--min-reward", "nan"), "--min-reward must be a finite number, got nan."),
    ((*EVAL, "--min-reward", "high"), "--min-reward must be a finite number, got high."),
    (("diff", "a", "b", "--max-drop", "-0.1"), "--max-drop must be a number of at least 0, got -0.1"),
    (("diff", "a", "b", "--max-drop", "nan"), "--max-drop must be a number of at least 0, got nan"),
    (("diff", "a", "b", "--max-drop", "1", "--max-errors", "1.5"), "--max-errors must be a whole number, or a share"),
    (("diff", "a", "b", "--max-drop", "5%"), "--max-drop must be a number of at least 0, got 5%"),
])  # fmt: skip
def test_a_limit_that_is_none_is_one_line(words, said, capsys):
    assert main(list(words)) == 2
    assert said in capsys.readouterr().err
