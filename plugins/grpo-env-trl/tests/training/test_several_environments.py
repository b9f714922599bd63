"""Trainings on several environments: their results, files, commands and resumes."""

import json
import shutil
from pathlib import Path

import pytest
import yaml
from lessons import Haggle, Spell
from quick import QUICK, flags, quick_run

from grpo_env_sdk.cli import main
from grpo_env_sdk.errors import UsageError
from grpo_env_sdk.runs.reading import open_run
from grpo_env_trl.runs.run_folder import RunFolder

NAMES = {"lessons:Spell": 2, "lessons:Haggle": 1}
SPELL, HAGGLE = NAMES
SIZES = {"per_device_train_batch_size": 6, "max_steps": 2, "sample_every": 1}


@pytest.fixture(scope="module")
def mixed(models, tmp_path_factory):
    """A training on two environments; read it, and leave it as it is."""
    folder = tmp_path_factory.mktemp("mixed") / "run"
    return quick_run(NAMES, models(), folder, **SIZES | {"max_steps": 4}, save_strategy="steps", save_steps=2)


def test_results_are_of_each_environment_and_of_all_by_weight(mixed):
    assert list(mixed.environments) == [SPELL, HAGGLE]
    assert [env["weight"] for env in mixed.environments.values()] == [2, 1]
    for when in ("before", "after"):
        spell, haggle = (env["heldout"][when] for env in mixed.environments.values())
        assert mixed.heldout[when]["mean"] == pytest.approx((2 * spell["mean"] + haggle["mean"]) / 3)
        assert mixed.heldout[when]["greedy"] == pytest.approx((2 * spell["greedy"] + haggle["greedy"]) / 3)
    assert mixed.summary["environments"] == mixed.environments
    assert open_run(mixed.run).summary()["environments"] == json.loads(json.dumps(mixed.environments))


def test_the_manifest_says_what_each_environment_was(mixed):
    manifest = open_run(mixed.run).manifest
    assert manifest["env"] == f"{SPELL}=2 {HAGGLE}=1"
    assert open_run(mixed.run).environments == [SPELL, HAGGLE]
    spell, haggle = manifest["environments"].values()
    assert (spell["weight"], haggle["weight"]) == (2, 1)
    assert [tool["function"]["name"] for tool in spell["tools"]] == ["add"]
    assert haggle["tools"] == []
    assert manifest["rows"] == spell["rows"] + haggle["rows"]
    for env in (spell, haggle):
        assert env["dataset_fingerprint"] in manifest["dataset_fingerprint"]


def test_every_environment_is_measured_in_a_run_of_its_own(mixed):
    for name, env in mixed.environments.items():
        for when, found in env["heldout"].items():
            run = open_run(mixed.run / "heldout" / name.replace(":", "-") / when)
            assert (run.manifest["env"], run.summary()["reward"]["mean"]) == (name, found["mean"])
            assert run.environments == [name]


def test_episodes_of_every_environment_are_kept_and_numbered_apart(mixed):
    kept = [(episode.env, episode.row_index, episode.sample) for episode in open_run(mixed.run).episodes()]
    assert {env for env, _, _ in kept} == {SPELL, HAGGLE}
    assert len(set(kept)) == len(kept)
    assert open_run(mixed.run).summary()["rows"] == len({(env, row) for env, row, _ in kept})


def test_metrics_of_each_environment_are_logged_in_every_step(mixed):
    for entry in RunFolder(mixed.run).logged():
        assert {f"env/{SPELL}/reward", f"env/{HAGGLE}/reward", f"env/{SPELL}/rewards/length"} <= entry.keys()


def test_the_config_of_a_run_trains_on_the_same_environments(mixed):
    config = yaml.safe_load(RunFolder(mixed.run).config.read_text())
    assert config["envs"] == {SPELL: {"weight": 2}, HAGGLE: {"weight": 1}}
    assert "env" not in config


def test_a_resumed_training_draws_and_logs_what_one_that_never_stopped_does(mixed, tmp_path):
    folder = RunFolder(Path(shutil.copytree(mixed.run, tmp_path / "run")))
    (folder.path / "summary.json").unlink()
    shutil.rmtree(folder.checkpoints()[4])
    whole = {entry["step"]: entry for entry in folder.logged()}
    assert main(["train", "--resume", str(folder.path), "--quiet"]) == 0
    assert open_run(folder.path).summary()["steps"] == 4
    for entry in folder.logged():
        same = {name for name in entry if name.startswith(("env/", "reward", "loss"))}
        assert {name: entry[name] for name in same} == {name: whole[entry["step"]][name] for name in same}


def test_other_weights_are_another_training(models, mixed, tmp_path):
    folder = shutil.copytree(mixed.run, tmp_path / "run")
    (folder / "summary.json").unlink()
    with pytest.raises(UsageError, match=f"cannot be resumed: env was .*{HAGGLE}=1.* and is .*{HAGGLE}=3"):
        quick_run(NAMES | {HAGGLE: 3}, models(), None, resume=str(folder), **SIZES)


def test_the_order_in_which_they_are_named_again_does_not_matter(mixed, tmp_path, capsys):
    folder = shutil.copytree(mixed.run, tmp_path / "run")
    (folder / "summary.json").unlink()
    words = ["train", f"{HAGGLE}=1", f"{SPELL}=2", "--resume", str(folder), "--print-config"]
    assert main(words) == 0
    assert list(yaml.safe_load(capsys.readouterr().out)["envs"]) == [SPELL, HAGGLE]


def test_commands_read_such_a_run_or_say_what_they_need(mixed, tmp_path, capsys):
    run = str(mixed.run)
    for words, told in {
        ("runs", "--dir", str(mixed.run.parent)): f"{SPELL}=2 {HAGGLE}=1",
        ("runs", "show", run): "reward",
        ("view", run, "--export", str(tmp_path / "page.html")): "episodes",
        ("rescore", run, "--env", SPELL, "--out", str(tmp_path / "again")): "0 rose, 0 fell",
        ("diff", f"{run}/heldout/lessons-Spell/before", f"{run}/heldout/lessons-Spell/after"): "2 rows",
        ("export", run, "--out", str(tmp_path / "model")): f"grpo-env eval {HAGGLE} --model",
    }.items():
        assert main(list(words)) == 0, words
        assert told in capsys.readouterr().out
    assert open_run(tmp_path / "again").environments == [SPELL]
    assert f"| {HAGGLE}, after |" in (tmp_path / "model" / "README.md").read_text()
    for words, told in {
        ("rescore", run): f"several environments: {SPELL}, {HAGGLE}. Name one: grpo-env rescore {run} --env {SPELL}",
        ("rescore", run, "--env", "lessons:Spel"): f"no environment 'lessons:Spel'. Did you mean '{SPELL}'?",
        ("diff", run, run): f"the folders below {run}/heldout are runs",
        ("eval", "--resume", run): f"grpo-env train --resume {run}",
    }.items():
        assert main(list(words)) == 2, words
        assert told in capsys.readouterr().err


def test_the_model_of_such_a_run_is_evaluated_on_one_environment(mixed, capsys):
    assert main(["eval", SPELL, "--model", str(mixed.run), "-n", "1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["env"] == SPELL


def test_the_report_names_every_environment(mixed):
    text = mixed.report.read_text()
    assert all(f"{name}, after" in text for name in NAMES)
    assert f"on {SPELL}=2 {HAGGLE}=1" in text


def test_classes_with_configs_train_together_from_a_program(models, tmp_path):
    run = quick_run([Spell, Haggle], models(), tmp_path / "run", **SIZES | {"max_steps": 1}, eval_rows=0)
    assert list(run.environments) == [SPELL, HAGGLE]
    assert run.heldout is None
    assert [env["heldout"] for env in run.environments.values()] == [None, None]


def test_one_environment_in_a_list_is_one_environment(models, tmp_path):
    run = quick_run({"lessons:Spell": 3}, models(), tmp_path / "run", max_steps=1, eval_rows=0)
    assert open_run(run.run).manifest["env"] == SPELL


@pytest.mark.parametrize(("words", "told"), [
    (["lessons:Spell", "lessons:Spell=2"], "lessons:Spell is given twice"),
    (["lessons:Spell=0", "lessons:Haggle"], "The weight of lessons:Spell is '0'"),
    (["lessons:Spell", "hotel-v9"], "No env named 'hotel-v9'. There is hotel-v1."),
    (["lessons:Spell", "lessons:Haggle", "--bridge", "native"], "'native' trains on one environment"),
])  # fmt: skip
def test_what_cannot_be_trained_together_is_one_line(models, workplace, capsys, words, told):
    assert main(["train", *words, "--model", models(), *flags()]) == 2
    err = capsys.readouterr().err
    assert told in err
    assert "Traceback" not in err
    assert not Path("run").exists()


def test_a_file_names_environments_with_weights_and_configs(models, workplace, capsys):
    Path("both.yaml").write_text(yaml.safe_dump(
        {"envs": {"lessons:Sours": {"weight": 2, "config": {"how": "nan", "after": 999}}, HAGGLE: 1}, "model": models()}
        | QUICK
    ))  # fmt: skip
    assert main(["train", "--config", "both.yaml", "--print-config", "--out", "run"]) == 0
    envs = yaml.safe_load(capsys.readouterr().out)["envs"]
    assert envs == {"lessons:Sours": {"weight": 2, "config": {"how": "nan", "after": 999}}, HAGGLE: {"weight": 1}}
    words = ["lessons:Sours=5", HAGGLE, "--config", "both.yaml", "--print-config", "--out", "run"]
    assert main(["train", *words]) == 0
    envs = yaml.safe_load(capsys.readouterr().out)["envs"]
    assert envs["lessons:Sours"] == {"weight": 5, "config": {"how": "nan", "after": 999}}


def test_the_preflight_looks_at_each_environment_and_names_it(models, workplace, capsys):
    words = ["lessons:Spell", "lessons:Sours", HAGGLE, "--model", models(), "--scale-rewards", "batch"]
    assert main(["train", *words, *flags(per_device_train_batch_size=4), "--dry-run"]) == 2
    err = capsys.readouterr().err
    assert "random episodes of lessons:Sours failed" in err
    assert "--scale-rewards batch" in err
    assert "A batch has 2 prompts, fewer than the 3 environments" in err


def test_a_dry_run_shows_the_first_prompt_of_each(models, workplace, capsys):
    assert main(["train", *NAMES, "--model", models(), *flags(per_device_train_batch_size=4), "--dry-run"]) == 0
    out = capsys.readouterr().out
    assert all(f"{name}: The first prompt, as the model will read it" in out for name in NAMES)


def test_a_changed_config_imports_no_environment(mixed, workplace, capsys):
    shutil.copytree(mixed.run, "run")
    Path("run/summary.json").unlink()
    Path("spy.py").write_text("from pathlib import Path\n\nPath('imported').touch()\n")
    config = Path("run/config.yaml")
    config.write_text(config.read_text().replace(HAGGLE, "spy:Spy"))
    assert main(["train", "--resume", "run"]) == 2
    assert "would be imported" in capsys.readouterr().err
    assert main(["train", f"{SPELL}=2", f"{HAGGLE}=1", "--resume", "run"]) == 2
    assert "name it again: grpo-env train lessons:Spell=2 spy:Spy=1 --resume run" in capsys.readouterr().err
    assert not Path("imported").exists()
