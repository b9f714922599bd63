"""`grpo-env train --resume` on a run that somebody else wrote or changed."""

import fcntl
import json
import pickle
import shutil
import sys
from pathlib import Path

import pytest
import torch
import yaml
from quick import quick_run
from test_interrupting import LONG, At, interrupt

from grpo_env_sdk import evaluate
from grpo_env_sdk.cli import main
from grpo_env_sdk.ext import is_sealed, seal
from grpo_env_sdk.runs.reading import open_run
from grpo_env_trl.runs.checkpoint_files import files_that_run_code
from grpo_env_trl.runs.run_folder import RunFolder
from grpo_env_trl.runs.whole_checkpoints import mark_whole

SPY = (
    "from pathlib import Path\nfrom lessons import Spell\n\nPath('imported').touch()\n\n\nclass Spy(Spell):\n    pass\n"
)


class Bomb:
    """What runs when it is unpickled."""

    def __reduce__(self):
        return Path.touch, (Path("ran"),)


@pytest.fixture(scope="session")
def stopped(models, tmp_path_factory):
    """A training of `spy:Spy` that was stopped after step 2 of 3; copy it."""
    folder = tmp_path_factory.mktemp("stopped")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        (folder / "spy.py").write_text(SPY)
        settings = LONG | {"max_steps": 3, "eval_rows": 0, "sample_every": 0}
        patch.syspath_prepend(str(folder))
        quick_run("spy:Spy", models(), "run", callbacks=[At(2, interrupt)], **settings)
        sys.modules.pop("spy", None)
    return folder


@pytest.fixture
def resume(stopped, workplace, capsys):
    """Resumes a copy of that run: gives exit code and stderr."""
    shutil.copytree(stopped, workplace, dirs_exist_ok=True)

    def run(*more, words=("--resume", "run")):
        Path("imported").unlink(missing_ok=True)
        sys.modules.pop("spy", None)
        capsys.readouterr()
        code = main(["train", *words, *more, "--quiet"])
        return code, capsys.readouterr().err

    yield run
    sys.modules.pop("spy", None)


def changed(**keys):
    path = Path("run/config.yaml")
    path.write_text(yaml.safe_dump(yaml.safe_load(path.read_text()) | keys))


def refused(answer, *texts):
    code, told = answer
    assert (code, told.count("\n")) == (2, 1), told
    for text in texts:
        assert text in told
    assert not Path("imported").exists()
    assert not Path("ran").exists()


def test_a_training_that_another_process_writes_is_refused_before_its_environment_is_imported(resume):
    with Path("run/.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        refused(resume(), "Another process is writing to 'run'. Wait until it ends")


def test_an_own_training_goes_on_unasked_in_another_place(resume):
    assert open_run("run").own
    Path("elsewhere").mkdir()
    shutil.move("run", "elsewhere/run")
    code, told = resume(words=("--resume", "elsewhere/run"))
    assert code == 0, told
    assert [entry["step"] for entry in RunFolder(Path("elsewhere/run")).logged()] == [1, 2, 3]


def test_a_changed_config_imports_nothing(resume):
    changed(learning_rate=0.5)
    refused(resume(), "changed since it was written or written elsewhere", "'spy:Spy'", "train spy:Spy --resume run")


def test_an_installed_environment_in_the_manifest_does_not_cover_another_in_the_config(resume):
    path = Path("run/manifest.json")
    path.write_text(json.dumps(json.loads(path.read_text()) | {"env": "hotel-v1"}))
    refused(resume(), "'spy:Spy' would be imported", "train spy:Spy --resume run")


@pytest.mark.parametrize(("name", "value"), [
    ("trust_remote_code", True), ("rl_env_module", "os"), ("deepspeed", {"zero_optimization": {"stage": 2}}),
    ("model_init_kwargs", {"trust_remote_code": True}),
    ("attn_implementation", "somebody/kernel"), ("push_to_hub", True), ("report_to", "wandb"),
    ("vllm_server_base_url", "http://127.0.0.1:1"), ("env_config", {"key": "env:HOME"}),
])  # fmt: skip
def test_a_foreign_config_sets_nothing_that_names_code_hosts_or_accounts(name, value, resume):
    changed(**{name: value})
    refused(resume("spy:Spy"), f"its config sets {name} to ", "--trust")


def test_a_manifest_that_is_foreign_is_enough(resume):
    path = Path("run/manifest.json")
    path.write_text(json.dumps(json.loads(path.read_text()) | {"created": "2020"}))
    refused(resume(), "'spy:Spy' would be imported")
    code, told = resume("spy:Spy")
    assert code == 0, told


def test_trust_goes_on_with_it(resume):
    changed(learning_rate=0.5)
    code, told = resume("--trust")
    assert code == 0, told
    assert open_run("run").summary()["finished"] is True


@pytest.mark.parametrize("name", ["optimizer.pt", "scheduler.pt", "rng_state.pth"])
def test_torch_s_own_files_run_no_code_not_even_in_an_own_run(name, resume):
    checkpoint = RunFolder(Path("run")).checkpoints()[2]
    with (checkpoint / name).open("wb") as file:
        torch.save({"python": Bomb(), "state": Bomb()}, file)
    mark_whole(checkpoint, 1)
    code, told = resume()
    assert code == 2
    assert not Path("ran").exists()
    assert told.splitlines()[-1].startswith("grpo-env: The checkpoint ")
    assert "Traceback" not in told


@pytest.mark.parametrize("name", ["other.pkl", "global_step2/states.pt", "pytorch_model_fsdp_0/.metadata"])
def test_what_is_pickled_in_a_checkpoint_is_loaded_where_this_user_has_written_it(name, resume):
    checkpoint = RunFolder(Path("run")).checkpoints()[2]
    assert files_that_run_code(checkpoint) == []
    path = checkpoint / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(pickle.dumps(Bomb()))
    refused_by_line = resume()
    assert refused_by_line[0] == 2
    assert f"checkpoint-2/{name} can run code when it is loaded" in refused_by_line[1]
    assert not Path("ran").exists()
    seal(checkpoint, files_that_run_code(checkpoint))
    assert is_sealed(checkpoint, files_that_run_code(checkpoint))
    path.write_bytes(path.read_bytes() + b" ")
    assert not is_sealed(checkpoint, files_that_run_code(checkpoint))


@pytest.mark.parametrize("name", ["metrics.jsonl", "checkpoints/checkpoint-2/linked.txt", ".summary.json.new"])
def test_a_link_that_leads_out_of_the_folder_is_not_written_to(name, resume, tmp_path):
    mine = tmp_path / "mine"
    mine.write_text("mine\n")
    path = Path("run", name)
    path.unlink(missing_ok=True)
    path.symlink_to(mine)
    code, told = resume()
    assert (code, "is a link that leads out of it" in told) == (2, True)
    assert mine.read_text() == "mine\n"


def test_what_cannot_be_resumed_at_all_is_said_as_it_is(resume):
    Path("run/config.yaml").unlink()
    refused(resume(), "'run' has no config.yaml, so its settings are lost. Start a new run.")
    evaluate("hotel-v1", "gold", rows=1, out="measured")
    refused(resume(words=("--resume", "measured")), "'measured' is a run of `grpo-env eval`. Use grpo-env eval")


@pytest.mark.parametrize(("name", "text"), [
    ("config.yaml", "- a\n"), ("config.yaml", "a: [" * 5000), ("metrics.jsonl", '{"step": "x"}\n'),
    ("metrics.jsonl", "{}\n"), ("checkpoints/checkpoint-2/trainer_state.json", "[]"),
    ("checkpoints/checkpoint-2/trainer_state.json", '{"global_step": "x", "unknown": 1}'),
])  # fmt: skip
def test_damaged_files_of_a_training_are_one_line(name, text, resume):
    path = Path("run", name)
    path.write_text(text)
    if path.parent.name == "checkpoint-2":
        mark_whole(path.parent, 1)  # as somebody would who wants it to be loaded
    code, told = resume("--trust")
    assert code == 2
    assert told.splitlines()[-1].startswith("grpo-env: ")
    assert "Traceback" not in told
