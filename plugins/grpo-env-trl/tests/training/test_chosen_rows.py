"""Training on the rows whose pass rate in an evaluation is in a range."""

import json
import shutil
import sys
from pathlib import Path

import pytest
import yaml
from lessons import Spell
from quick import flags, quick_run
from test_interrupting import UNMEASURED, At, interrupt

from grpo_env_sdk import evaluate, load
from grpo_env_sdk.cli import main
from grpo_env_sdk.runs.reading import open_run
from grpo_env_trl import train
from grpo_env_trl.settings import TrainSettings
from grpo_env_trl.setup.chosen_rows import row_choice_of

SUMS = """
class Sums:
    reward_range = (0.0, {highest})

    def __init__(self, plus="plus"):
        self.plus = plus

    def build_dataset(self, tokenizer):
        return [{{"prompt": f"Add {{n}} {{self.plus}} {{n}}.", "n": n}} for n in range({rows})]

    def score_episode(self, model, tokenizer, completion, n):
        return float(completion == str(2 * n))
"""
RANGE = ["--rows-of", "base", "--pass-rate", "0.1,0.9"]


def answers(request):
    """Solves a third of the rows always, a third every other time, and a third never."""
    n = request.row["n"]
    return str(2 * n) if n % 3 == 0 or (n % 3 == 1 and request.sample % 2) else "no"


@pytest.fixture
def sums(workplace, monkeypatch):
    """Writes the module, and forgets the one before."""
    monkeypatch.syspath_prepend(str(workplace))

    def write(rows=40, highest="1.0"):
        sys.modules.pop("sums", None)
        (workplace / "sums.py").write_text(SUMS.format(rows=rows, highest=highest))

    write()
    return write


def evaluated(split="train", out="base", samples=4, **options):
    return evaluate("sums:Sums", answers, split=split, samples=samples, out=out, **options)


@pytest.fixture
def command(sums, models, capsys):
    """Runs `--dry-run`: gives its exit code, stdout and stderr."""

    def run(*words):
        model = models()  # the first one shows how it is saved
        capsys.readouterr()
        code = main(["train", "sums:Sums", "--model", model, *flags(out=None), *words, "--dry-run"])
        told = capsys.readouterr()
        return code, told.out, told.err

    return run


@pytest.fixture
def dry_run(command):
    """What `--dry-run --json` finds, and what it says for people."""

    def run(*words):
        code, out, told = command(*words, "--json")
        assert code == 0, out
        return json.loads(out), told

    return run


def test_only_rows_in_the_range_are_trained_on_and_the_others_are_counted(dry_run):
    evaluated()
    found, told = dry_run(*RANGE)
    rows = found["config"]["rows"]
    assert rows
    assert all(row % 3 == 1 for row in rows)
    wanted = {"kept": len(rows), "low": 0.1, "high": 0.9, "run": "base", "rate": "pass rate", "unplayed": 0}
    assert found["rows_of"].items() >= wanted.items()
    assert found["rows_of"]["of"] == sum(found["rows_of"][name] for name in ("kept", "below", "above"))
    assert f"{len(rows)} of {found['rows_of']['of']} rows have a pass rate from 0.1 to 0.9 in base (answers): " in told
    assert f"on sums:Sums: {len(rows)} rows," in told


def test_held_out_rows_stay_held_out_and_rows_that_were_not_played_are_left_out(dry_run):
    evaluated("all", rows=20)
    found, told = dry_run(*RANGE)
    assert found["rows_of"]["unplayed"] > 0
    assert "not played" in told
    assert max(found["config"]["rows"]) < 20
    everything, _ = dry_run(*RANGE, "--eval-rows", "0")
    assert everything["rows_of"]["of"] == 40
    assert {*found["config"]["rows"]} <= {*everything["config"]["rows"]}


def test_without_a_highest_reward_the_mean_reward_decides(sums, dry_run):
    sums(highest="float('inf')")
    evaluated()
    found, told = dry_run("--rows-of", "base", "--pass-rate", "0.4,5")
    assert found["rows_of"]["rate"] == "mean reward"
    assert {row % 3 for row in found["config"]["rows"]} == {0, 1}
    assert "have a mean reward from 0.4 to 5 in base" in told


def test_few_samples_are_a_warning(dry_run):
    evaluated(samples=2)
    _, told = dry_run(*RANGE)
    assert (
        "base has 2 samples of a row: one that is solved half of the time looks always or never solved in 50%" in told
    )
    assert "grpo-env eval sums:Sums --model " in told


@pytest.mark.parametrize(("samples", "split", "words", "told"), [
    (4, "test", RANGE, "base (split test) has none of the 37 rows to train on. Evaluate those: grpo-env eval "),
    (1, "train", RANGE, "With one sample a pass rate is 0 or 1. Take more: grpo-env eval sums:Sums"),
    (4, "train", ["--rows-of", "base", "--pass-rate", "0.6,0.9"], "--rows-of leaves no row to train on: 0 of 37 rows"),
    (4, "train", ["--rows-of", "base", "--pass-rate", "10,90"], "--pass-rate is 10,90, and a pass rate is from 0 to 1"),
    (4, "train", [*RANGE, "--env-config", '{"plus": "and"}'], 'another config: config.plus was not set and is "and"'),
    (4, "train", ["environments:Parts", *RANGE], "--rows-of chooses rows of one environment, and 2 are trained on"),
])  # fmt: skip
def test_what_cannot_choose_rows_is_one_line_with_the_next_step(command, samples, split, words, told):
    evaluated(split, samples=samples)
    code, _, error = command(*words)
    assert (code, error.count("\n")) == (2, 1)
    assert told in error


def test_runs_of_other_environments_rows_and_code_are_named(sums, command, dry_run, models, capsys):
    evaluated()
    assert main(["train", "environments:Parts", "--model", models(), *RANGE, "--dry-run"]) == 2
    assert "base is a run of 'sums:Sums', not of environments:Parts" in capsys.readouterr().err
    sums(rows=41)
    found, told = dry_run(*RANGE)
    assert "base was scored by other code: the environment's code changed. With the scores of today: " in told
    assert found["rows_of"]["unplayed"] in (0, 1)
    Path("sums.py").write_text(Path("sums.py").read_text().replace("Add {n}", "Please add {n}"))
    del sys.modules["sums"]
    code, _, told = command(*RANGE)
    assert code == 2
    assert "has another content than in base. The rows have changed since" in told


def test_the_config_keeps_the_rows_so_that_it_trains_without_the_run(dry_run):
    evaluated()
    found, _ = dry_run(*RANGE)
    Path("kept.yaml").write_text(
        yaml.safe_dump({"rows": found["config"]["rows"], "rows_of": "base", "pass_rate": [0, 1]})
    )
    shutil.rmtree("base")
    again, _ = dry_run("--config", "kept.yaml")
    assert again["config"]["rows"] == found["config"]["rows"]


def test_a_stopped_training_goes_on_without_the_run(models, workplace):
    evaluate("lessons:Spell", "random", split="train", samples=2, out="base")
    wanted = {"rows_of": "base", "pass_rate": (0, 0.6)}
    with pytest.warns(UserWarning, match="base has 2 samples of a row"):
        made = quick_run("lessons:Spell", models(), "run", callbacks=[At(3, interrupt)], **UNMEASURED, **wanted)
    assert not made.finished
    kept = made.rows_of
    assert 0 < kept["kept"] <= kept["of"]
    shutil.rmtree("base")
    made = train("lessons:Spell", models(), out="run", resume=True, quiet=True, **wanted)
    assert (made.finished, made.rows_of) == (True, kept)
    assert open_run("run").manifest["training"]["rows_of"] == kept
    assert f"{kept['kept']} of {kept['of']} rows have a pass rate from 0 to 0.6 in base" in made.report.read_text()
    config = yaml.safe_load(Path("run/config.yaml").read_text())
    assert len(config["rows"]) == kept["kept"]
    assert {episode.row_index for episode in open_run("run").episodes()} <= {*config["rows"]}


def test_a_program_gives_a_list_of_rows(models, workplace):
    rows = Spell().build_dataset(None)
    made = quick_run(Spell, models(), "run", rows=range(4), eval_rows=0)
    assert {episode.row_index for episode in open_run(made.run).episodes()} <= {0, 1, 2, 3}
    assert len(rows) > 4


def test_a_row_that_is_held_out_is_not_trained_on(command):
    (held_out, *_) = load("sums:Sums").rows("test").indices
    Path("kept.yaml").write_text(yaml.safe_dump({"rows": [0, held_out]}))
    code, _, told = command("--config", "kept.yaml")
    assert code == 2
    assert f"Not among these 37 rows: {held_out}. They are not trained on" in told
    code, _, told = command("environments:Parts", "--config", "kept.yaml")
    assert code == 2
    assert "A list of rows is one of a single environment, and 2 are trained on" in told


def test_a_run_that_goes_on_reads_no_other_run():
    written = TrainSettings(env="sums:Sums", rows_of="nowhere", pass_rate=(0.0, 1.0), resume="run")
    assert row_choice_of(written, []) is None
