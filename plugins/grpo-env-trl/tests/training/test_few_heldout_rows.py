"""What the end of a training says of its held-out rows: of very few, and of those that have no reward."""

import json
from pathlib import Path
from types import SimpleNamespace

import pytest
from quick import flags, quick_run

from grpo_env_sdk import evaluate, open_run
from grpo_env_sdk.cli import main
from grpo_env_sdk.envs.loading import load
from grpo_env_trl.report.messages import _verdict
from grpo_env_trl.result import TrainingRun
from grpo_env_trl.setup.trained_env import TrainedEnv
from grpo_env_trl.training.heldout_results import rows_of_both, whole
from tests.documented_json import documented_keys


def change(rows, before, after, of=None):
    """What was measured on rows that were scored both times, without a difference among them."""
    means = {"before": before, "after": after, "difference": after - before}
    found = {"rows": rows, "of": of or rows} | {
        name: {"mean": mean, "low": mean, "high": mean} for name, mean in means.items()
    }
    heldout = {"after": {"rows": of or rows, "trained_on": 0}}
    return TrainingRun(Path("run"), 1, 1.0, [], heldout, compared={"sampled": found, "greedy": found})


def test_a_training_is_shown_in_a_line():
    before = {"mean": 0.25, "low": 0.2, "high": 0.3, "greedy": 0.5, "rows": 4, "scored": 4, "greedy_scored": 4}
    shown = repr(TrainingRun(Path("run"), 1, 1.0, [{"loss": 1}], {"before": before, "after": None}, finished=False))
    assert shown == "<TrainingRun run: 1 step in 1 s, not finished, before sampled 0.250 [0.200, 0.300], greedy 0.500>"


def test_a_stopped_training_has_in_its_json_the_command_that_goes_on_and_only_files_that_are_there(tmp_path):
    (tmp_path / "metrics.jsonl").write_text("{}\n")
    made = TrainingRun(tmp_path, 1, 1.0, [{"reward": 0.5}, {"loss": 1}], None, finished=False)
    found = made.as_json("grpo-env train --resume run")
    assert (found["resume_command"], found["last_reward"]) == ("grpo-env train --resume run", 0.5)
    assert documented_keys("train") <= found.keys()
    assert (found["model"], found["report"], found["metrics"]) == (None, None, str(tmp_path / "metrics.jsonl"))


MORE_ROWS, MORE_STEPS = "more --eval-rows", "more steps"


@pytest.mark.parametrize(("rows", "counted"), [(1, "1 held-out row: "), (4, "4 held-out rows: ")])
@pytest.mark.parametrize("after", [0.0, 1.0])
def test_with_very_few_rows_their_number_comes_first_whatever_was_measured(rows, counted, after):
    (told,) = _verdict(change(rows, 0.0, after), [MORE_STEPS, MORE_ROWS])
    assert told.startswith(counted)
    assert "--eval-split" not in told
    assert "Nothing changed" not in told


def test_few_rows_of_more_are_told_apart_from_few_rows():
    assert _verdict(change(3, 0.0, 1.0, of=4), [])[0].startswith("3 of 4 held-out rows scored both times: ")


def test_with_more_rows_the_verdict_is_about_the_difference():
    assert "Nothing changed" in _verdict(change(5, 0.0, 0.0), [])[0]
    assert _verdict(change(5, 0.0, 1.0), []) == []


def test_equal_rewards_without_a_range_count_as_exact_where_others_have_an_interval():
    assert "may be noise" in _verdict(without_interval(change(5, 0.5, 0.25)), [])[0]
    assert _verdict(without_interval(change(5, 0.0, 1.0)), []) == []
    envs = [SimpleNamespace(name=name, weight=SimpleNamespace(mean=1)) for name in ("open", "closed")]
    counts = {"greedy": None, "rows": 4, "greedy_scored": 0, "trained_on": 0, "errors": {}, "error_examples": {}}
    closed = {"mean": 0.5, "low": 0.25, "high": 1.0, "scored": 4, **counts}
    for scored, ends in ((4, (0.125, 0.5)), (1, (None, None))):
        found = whole(
            envs, {"open": {"mean": 0.0, "low": None, "high": None, "scored": scored, **counts}, "closed": closed}
        )
        assert (found["mean"], found["low"], found["high"]) == (0.25, *ends)


def without_interval(made):
    """The same, with equal rewards before and after that have no range, and so no interval."""
    for when in ("before", "after"):
        made.compared["sampled"][when] |= {"low": None, "high": None}
    return made


@pytest.mark.parametrize("rows", [4, 5])
@pytest.mark.parametrize("ways", [[], [MORE_STEPS], [MORE_ROWS], [MORE_STEPS, MORE_ROWS]])
def test_only_what_can_help_is_recommended(rows, ways):
    (told,) = _verdict(change(rows, 0.5, 0.5), ways)
    assert (MORE_ROWS in told) == (MORE_ROWS in ways)
    assert (MORE_STEPS in told) == (MORE_STEPS in ways and rows == 5)


def test_rows_that_are_trained_on_come_last_and_are_never_called_held_out(models, workplace, capsys):
    spell = load("lessons:Spell")
    held_out = {*spell.rows("test").indices}
    enough = TrainedEnv(spell, None, len(held_out), "all")
    assert ({*enough.measured.indices}, enough.trained_on, enough.has_more_to_measure) == (held_out, 0, False)
    count = len(held_out) + 1
    given = flags(max_steps=1, eval_split="all", eval_rows=count)
    assert main(["train", "lessons:Spell", "--model", models(), *given]) == 0
    told = capsys.readouterr().err
    assert main(["runs", "show", "run"]) == 0
    shown = capsys.readouterr().out
    for text in (told, shown, Path("run/report.html").read_text(), Path("run/model/README.md").read_text()):
        assert f"{count} rows (1 trained on)" in text
        assert "held-out" not in text.lower().replace("heldout", "")


def test_only_rows_with_a_reward_before_and_after_count(tmp_path):
    for when, rows in (("before", 3), ("after", 2)):
        evaluate("lessons:Spell", "random", split="all", rows=rows, out=tmp_path / when)
    found = rows_of_both(tmp_path / "before", tmp_path / "after")
    assert (found["rows"], found["of"]) == (2, 3)


@pytest.fixture(scope="module")
def sifted(models, tmp_path_factory):
    """A training that teaches nothing, in which low answers fail once it has begun."""
    folder = tmp_path_factory.mktemp("sifted") / "run"
    return quick_run("lessons:Sifts", models(), folder, learning_rate=0.0, max_steps=1, eval_rows=6)


def test_rows_that_fail_raise_no_score_unseen(sifted):
    before, after = sifted.heldout["before"], sifted.heldout["after"]
    assert (before["scored"], before["rows"], before["errors"]) == (6, 6, {})
    assert 0 < after["scored"] < 6
    assert sum(after["errors"].values()) == 12 - after["scored"] - after["greedy_scored"]
    assert after["mean"] > before["mean"]
    found = sifted.compared["sampled"]
    assert (found["rows"], found["of"]) == (after["scored"], 6)
    assert found["before"] == found["after"]
    assert open_run(sifted.run).summary()["heldout_compared"] == sifted.compared


def test_every_place_with_the_figures_says_how_many_rows_have_one(sifted, capsys):
    after, rows = sifted.heldout["after"], sifted.compared["sampled"]["rows"]
    scored, both = f"({after['scored']} of 6 scored)", f"On the {rows} of 6 held-out rows scored both times: sampled"
    assert main(["runs", "show", str(sifted.run)]) == 0
    shown = capsys.readouterr().out
    for text in (shown, sifted.report.read_text(), (sifted.model / "README.md").read_text()):
        assert scored in text
        assert both in text
        assert "environment score: ConnectionError" in text
    assert "the judge has gone home" in shown
    assert "(6 of 6 scored)" not in shown
    assert main(["runs", "show", str(sifted.run), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["summary"]["training"]["heldout"]["after"] == after
    assert main(["runs", "--dir", str(sifted.run.parent)]) == 0
    assert f"(6 of 6, {after['scored']} of 6 scored)" in capsys.readouterr().out
