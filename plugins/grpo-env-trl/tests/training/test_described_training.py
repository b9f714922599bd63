"""Trainings whose environments only workers import: what they do to a process never happens to the trainer."""

import json
import os
import shutil
import sys
from pathlib import Path

import pytest
from lessons import Spell
from quick import quick_run
from test_interrupting import At, interrupt, interruptible  # noqa: F401

from grpo_env_sdk.cli import main
from grpo_env_sdk.errors import UsageError
from grpo_env_sdk.runs.reading import open_run
from grpo_env_trl import train
from grpo_env_trl.runs.run_folder import RunFolder

NOTING = """
import os

try:
    with open("pids", "a") as file:
        print(os.getpid(), file=file)
except OSError:
    pass

from lessons import Haggle, Spell

class Noting(Spell):
    pass

class Other(Haggle):
    pass
"""
HARMS = {
    "segfaults": ("import ctypes\nctypes.string_at(0)", "crashed (SIGSEGV)"),
    "exits": ("import os\nos._exit(7)", "exit code 7"),
    "raises": ("raise RuntimeError('not today')", "not today"),
    "hangs": ("import threading\nthreading.Event().wait()", "--limit-build"),
    "reads-a-key": ("import os\nraise RuntimeError(f'the key is {os.environ[\"HF_TOKEN\"]}')", "the key is hf_abc"),
}


@pytest.fixture
def noting(workplace):
    """The ids of the processes that have imported the environments of `noting.py`."""
    Path("noting.py").write_text(NOTING)
    yield lambda: Path("pids").read_text().split() if Path("pids").exists() else []
    assert "noting" not in sys.modules


def numbers_of(run):
    """What each step logged of rewards and the loss."""
    kept = ("step", "reward", "reward_std", "loss", "rewards/length/mean")
    return [{name: entry[name] for name in kept if name in entry} for entry in RunFolder(Path(run)).logged()]


def test_one_worker_process_imports_what_is_trained_on_and_the_numbers_are_those_of_threads(finished, noting, models):
    pool = {"env_pool": "process", "env_workers": 4}  # as many episodes at once as in threads
    made = quick_run("noting:Noting", models(), "run", max_steps=3, save_strategy="steps", save_steps=2, **pool)
    assert len(noting()) == 1
    assert str(os.getpid()) not in noting()
    assert numbers_of("run") == numbers_of(finished.run)
    assert (made.heldout, Path("run/report.html").is_file()) == (finished.heldout, True)
    there, here = open_run("run").manifest, open_run(finished.run).manifest
    for key in ("dataset_fingerprint", "tools", "part_ranges", "tokenizer", "split", "rows"):
        assert there[key] == here[key]


@pytest.mark.slow
@pytest.mark.parametrize("pool", ["process", "sandbox"])
def test_several_environments_are_imported_in_workers_alone_and_when_they_are_resumed_too(noting, models, pool):
    names = {"noting:Noting": 2, "noting:Other": 1}
    settings = {"env_pool": pool, "save_strategy": "steps", "save_steps": 1, "per_device_train_batch_size": 6}
    stopped = quick_run(names, models(), "run", callbacks=[At(2, interrupt)], **settings | {"max_steps": 3})
    assert (stopped.steps, stopped.finished) == (2, False)
    assert len(noting()) == (2 if pool == "process" else 0)  # a sandbox does not let them write here
    assert main(["train", "--resume", "run"]) == 0
    assert len(noting()) == (4 if pool == "process" else 0)
    assert [entry["step"] for entry in RunFolder(Path("run")).logged()] == [1, 2, 3]
    assert set(open_run("run").summary()["environments"]) == set(names)


@pytest.mark.parametrize("harm", HARMS)
@pytest.mark.parametrize("where", ["import", "rows"])
def test_code_that_never_gets_ready_is_one_line_before_anything_is_written(
    workplace, models, capsys, monkeypatch, harm, where
):
    monkeypatch.setenv("HF_TOKEN", "hf_abc")
    code, told = HARMS[harm]
    body = "\n".join(f"        {line}" for line in code.splitlines())
    at_import, in_rows = (code, "        return []") if where == "import" else ("", body)
    Path("harmful.py").write_text(
        f"{at_import}\nfrom lessons import Spell\nclass Harmful(Spell):\n"
        f"    def build_dataset(self, tokenizer):\n{in_rows}\n"
    )
    seconds = "3" if harm == "hangs" else "60"
    words = ["train", "harmful:Harmful", "--model", models(), "--env-pool", "process", "--limit-build", seconds]
    capsys.readouterr()  # what making the model has printed
    assert main(words) == 2
    said = capsys.readouterr().err
    assert told in said
    assert said.strip().count("\n") == 0
    assert "harmful" not in sys.modules
    assert [path.name for path in Path().iterdir() if path.name != "__pycache__"] == ["harmful.py"]


@pytest.mark.skipif(not shutil.which("bwrap"), reason="bubblewrap is not installed")
def test_in_a_sandbox_the_environment_of_a_training_has_the_tokenizer_and_no_key(
    workplace, models, capsys, monkeypatch
):
    monkeypatch.setenv("HF_TOKEN", "hf_abc")
    Path("tokenized.py").write_text(
        "import os\nfrom lessons import Spell\nseen = os.environ.get('HF_TOKEN', 'no key')\n"
        "class Asking(Spell):\n    def build_dataset(self, tokenizer):\n"
        "        text = tokenizer.decode(tokenizer.encode(f'I see {seen}.'))\n"
        "        return [{**row, 'prompt': text} for row in super().build_dataset(None)]\n"
    )
    assert main(["train", "tokenized:Asking", "--model", models(), "--env-pool", "sandbox", "--dry-run", "--json"]) == 0
    assert "I see no key." in capsys.readouterr().out
    assert "tokenized" not in sys.modules
    cached = Path("cache/models--of--hub")  # the same by the id of a hub, from the cache
    (cached / "refs").mkdir(parents=True)
    (cached / "refs/main").write_text("abc")
    shutil.copytree(models(), cached / "snapshots/abc")
    monkeypatch.setenv("HF_HUB_CACHE", str(cached.parent.absolute()))
    words = ["eval", "tokenized:Asking", "--model", "echo", "--env-pool", "sandbox", "-n", "1"]
    assert main([*words, "--tokenizer", "of/hub"]) == 0


@pytest.mark.parametrize(
    ("env", "words", "told"),
    [
        ("lessons:Spell", ["--bridge", "environment_factory"], "runs tools in TRL's own loop"),
        ("tests.rollout.hostile_envs:ScoresByModel", [], "uses_model"),
    ],
)
def test_what_workers_cannot_do_is_refused_before_anything_is_written(workplace, models, capsys, env, words, told):
    command = ["train", env, "--model", models(), "--env-pool", "process", *words]
    capsys.readouterr()  # what making the model has printed
    assert main(command) == 2
    assert told in (said := capsys.readouterr().err)
    assert said.strip().count("\n") == 0
    assert [*Path().iterdir()] == []


def test_objects_of_this_process_are_refused_before_anything_is_written(workplace, models):
    class Local(Spell):
        pass

    for env, told in ((Local, "defined in a function"), (Spell(), "instance of this process")):
        with pytest.raises(UsageError, match=told):
            train(env, models(), env_pool="process", out="run")
    assert [*Path().iterdir()] == []


def test_a_dry_run_shows_what_a_worker_has_told(noting, models, capsys):
    assert (
        main(
            [
                "train",
                "noting:Noting",
                "--model",
                models(),
                "--env-pool",
                "process",
                "--env-workers",
                "1",
                "--dry-run",
                "--json",
            ]
        )
        == 0
    )
    printed = capsys.readouterr()
    shown = json.loads(printed.out)
    assert "noting:Noting plays 1 at once, not 8: one in each worker" in printed.err
    assert "add" in json.dumps(shown["first_prompt"])
    assert len(noting()) == 1
