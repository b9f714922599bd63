"""`grpo-env train` as a person types it: what it prints, where it writes, and what it refuses."""

import json
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml
from quick import flags

from grpo_env_sdk.cli import main
from grpo_env_sdk.registry import entry_points as installed
from grpo_env_sdk.runs.reading import open_run
from grpo_env_sdk.scaffold.project import init_package

PLAIN = """
class Yes:
    def build_dataset(self, tokenizer):
        assert tokenizer.padding_side == "left"
        return [{"prompt": f"Is {number} a number?", "number": number} for number in range(40)]

    def score_episode(self, model, tokenizer, completion, number):
        return len(completion) % 7 / 7
"""
DIALECT = (
    "--trainer grpo --rl-env-module my_env --rl-env-class Yes --rl-env-config {} --rl-num-generations 2 "
    "--rl-max-new-tokens 12 --rl_kl_coef 0 --rl-clip-range 0.3 --rl-top-k 20 --rl-top-p 0.9 --rl-temperature 0.8 "
    "--vllm-mode colocate --vllm-gpu-memory-utilization 0.3 --vllm-tensor-parallel-size 1 --peft --lora-r 4 "
    "--lora-alpha 8 --lr 1e-3 --batch_size 4 --epochs 1 --project-name run"
)


@pytest.fixture
def train(workplace, capsys):
    """Runs `grpo-env train` here: gives exit code, stdout and stderr."""

    def run(*words):
        capsys.readouterr()
        code = main(["train", *words])
        told = capsys.readouterr()
        return code, told.out, told.err

    return run


def test_a_training_says_what_it_does_and_what_to_type_next(train, models):
    code, out, told = train("lessons:Spell", "--model", models(), *flags())
    assert (code, out) == (0, "")
    lines = told.splitlines()
    assert lines[0] == (
        f"Training {models()} on lessons:Spell: 34 rows, tools, 2 completions per row, 2 rows per step."
    )
    for stage in ("held-out rows before, sampled 0/2", "step 0/2", "held-out rows after, greedy 2/2"):
        assert stage in lines
    assert lines[1] == "lessons:Spell: not tested yet: grpo-env test lessons:Spell"
    assert [line for line in lines if line.startswith("step ")][-1].startswith("step 2/2, reward ")
    for wanted in (
        "--- best episode of step 1, row ", ", before: ", "--- the same row, after: ", "2 steps in ",
        "Held-out reward before: ", "Open the report:   run/report.html", "Read episodes:     grpo-env view run",
        "Export the model:  grpo-env export run", "Evaluate it:       grpo-env eval lessons:Spell --model run",
    ):  # fmt: skip
        assert wanted in told
    assert not re.search("it/s|Warning|WARNING|None", told)


def test_where_nothing_could_be_learnt_it_is_said(train, models):
    code, _, told = train("environments:Errands", "--model", models(), *flags(eval_rows=0))
    assert code == 0
    assert "In every step all completions of a row had the same reward, so there was nothing to learn from." in told


def test_json_is_one_object_on_stdout_and_the_rest_is_for_people(train, models):
    code, out, told = train("environments:Parts", "--model", models(), "--json", *flags())
    assert code == 0
    summary = json.loads(out)
    assert {"run", "steps", "seconds", "heldout", "finished"} <= set(summary)
    assert (summary["run"], summary["steps"], summary["finished"]) == ("run", 2, True)
    assert (summary["model"], summary["report"], summary["resume_command"]) == ("run/model", "run/report.html", None)
    assert summary["last_reward"] == json.loads(Path(summary["metrics"]).read_text().splitlines()[-1])["reward"]
    assert set(summary["heldout"]["after"]) >= {"mean", "low", "high", "greedy"}
    assert "Held-out reward after:" in told


def test_a_plain_class_in_the_working_directory_trains_by_the_other_dialect(train, models, workplace):
    (workplace / "my_env.py").write_text(PLAIN)
    code, _, told = train("--model", models(), *DIALECT.split(), "--max-steps", "2", "--eval-rows", "0")
    assert code == 0, told
    config = yaml.safe_load((workplace / "run/config.yaml").read_text())
    assert config["env"] == "my_env:Yes"
    wanted = {
        "num_generations": 2, "max_completion_length": 12, "beta": 0.0, "epsilon": 0.3, "top_k": 20, "top_p": 0.9,
        "temperature": 0.8, "use_peft": True, "lora_r": 4, "lora_alpha": 8, "learning_rate": 1e-3,
        "per_device_train_batch_size": 4, "vllm_mode": "colocate",
    }  # fmt: skip
    assert wanted.items() <= config.items()
    assert (workplace / "run/model/adapter_config.json").exists()


@pytest.mark.parametrize(("name", "text"), [
    ("train.yaml", "env: environments:Parts\nmax_steps: 1\n"),
    ("train.toml", 'env = "environments:Parts"\nmax-steps = 1\n'),
])  # fmt: skip
def test_a_file_gives_settings_and_flags_go_over_it(train, models, workplace, name, text):
    (workplace / name).write_text(text + ("learning_rate: 0.5\n" if name.endswith("yaml") else "learning_rate = 0.5\n"))
    code, _, told = train("--config", name, "--model", models(), *flags(max_steps=None, eval_rows=0))
    assert code == 0, told
    config = yaml.safe_load((workplace / "run/config.yaml").read_text())
    assert (config["max_steps"], config["learning_rate"]) == (1, 1e-3)


def test_the_printed_config_is_read_back_to_the_same(train, models, workplace):
    code, first, _ = train("environments:Parts", "--model", models(), "--print-config", *flags())
    assert code == 0
    (workplace / "again.yaml").write_text(first)
    code, second, _ = train("--config", "again.yaml", "--print-config")
    read = [{name: value for name, value in yaml.safe_load(text).items() if value} for text in (first, second)]
    assert read[0] == read[1]
    assert [path.name for path in workplace.iterdir()] == ["again.yaml"]


@pytest.mark.parametrize("more", [[], ["--json"]])
def test_a_dry_run_writes_nothing(train, models, workplace, more):
    code, out, told = train("lessons:Spell", "--model", models(), "--dry-run", *more, *flags(out="a/b"))
    assert code == 0
    assert told.startswith("Training ")
    assert [*workplace.iterdir()] == []
    if more:
        assert json.loads(out)["ready"] is True


def test_a_package_made_by_init_trains(train, models, workplace, monkeypatch):
    folder = init_package("demo-task", "tools", workplace)
    info = folder / "demo_task-1.0.dist-info"
    info.mkdir()
    info.joinpath("METADATA").write_text("Metadata-Version: 2.1\nName: demo-task\nVersion: 1.0\n")
    info.joinpath("entry_points.txt").write_text("[grpo_env_sdk.envs]\ndemo-task-v1 = demo_task:DemoTaskEnv\n")
    monkeypatch.syspath_prepend(str(folder))
    installed.forget()
    code, _, told = train("demo-task-v1", "--model", models(), *flags(eval_rows=0, max_completion_length=64))
    assert code == 0, told
    assert open_run("run").manifest["env"] == "demo-task-v1"
    installed.forget()


@pytest.mark.skipif(not find_spec("tensorboard"), reason="no tracker that works offline is installed")
def test_a_tracker_is_told(train, models, workplace):
    code, _, told = train("environments:Parts", "--model", models(), "--report-to", "tensorboard", *flags())
    assert code == 0, told
    assert [*workplace.rglob("events.out.tfevents*")]


REFUSED = {
    "hotle-v1": "No env named 'hotle-v1'. Did you mean 'hotel-v1'?",
    "environments:Parts": "environments:Parts has no solve(row), which the demo model needs for its warm start.",
    "environments:Parts --model ./nowhere": "There is no folder './nowhere', which looks like a path.",
    "environments:Parts --model MODEL --num-generations 1": "num_generations is 1",
    "environments:Parts --model MODEL --num-generations 3": "Use --per-device-train-batch-size ",
    "environments:Parts --model MODEL --rows 1 --per-device-train-batch-size 16 --num-generations 8": "There is 1 row",
    "environments:Parts --model MODEL --max-stepss 3": "Did you mean '--max-steps'",
    "environments:Parts --policy MODEL": "Did you mean '--model'?",
    "--env environments:Parts": "The environment is named without a flag.",
    "environments:Parts --model MODEL --resume run": "",
    "environments:Parts --model MODEL --load-in-4bit": "--load-in-4bit needs a CUDA device",
    "environments:Parts --model MODEL --use-vllm": "pip install 'grpo-env-trl[vllm]'",
    "--rl-env-module my_env": "--rl-env-class",
    "--resume nowhere": "nowhere",
    "": "train needs the name of an environment.",
}


@pytest.mark.parametrize("words", REFUSED)
def test_what_cannot_be_trained_is_one_line_and_leaves_nothing(train, models, workplace, words):
    code, out, told = train(*words.replace("MODEL", models()).split())
    assert (code, out) == (2, "")
    assert told.startswith("grpo-env: ")
    assert REFUSED[words] in told
    assert told.count("\n") == 1
    assert [*workplace.iterdir()] == []


def test_a_folder_that_exists_is_left_alone_and_told_before_anything_heavy(train, models, workplace):
    (workplace / "run").mkdir()
    (workplace / "run" / "notes.txt").write_text("mine")
    code, _, told = train("environments:Parts", "--model", models(), *flags())
    assert code == 2
    assert "'run'" in told
    assert "loading the model" not in told
    assert [path.name for path in workplace.rglob("*")] == ["run", "notes.txt"]


TELLS = "import atexit, sys; atexit.register(lambda: print('torch' in sys.modules)); "


@pytest.mark.parametrize("words", [["hotle-v1"], ["--help"], ["hotel-v1", "--model", "./no"], ["--max-stps", "3"]])
def test_a_wrong_name_and_help_cost_no_torch(workplace, words):
    command = f"{TELLS}from grpo_env_sdk.cli import main; sys.exit(main(['train', *sys.argv[1:]]))"
    done = subprocess.run([sys.executable, "-c", command, *words], capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "False"
    assert done.returncode == (0 if words == ["--help"] else 2)


def test_a_trl_that_is_too_old_is_one_line_before_it_is_imported(train, workplace, monkeypatch):
    info = workplace / "trl-0.29.1.dist-info"
    info.mkdir()
    info.joinpath("METADATA").write_text("Metadata-Version: 2.1\nName: trl\nVersion: 0.29.1\n")
    monkeypatch.syspath_prepend(str(workplace))
    code, _, told = train("hotel-v1")
    assert code == 2
    assert told.startswith("grpo-env: trl 0.29.1 is installed; grpo-env-trl works with ")
    assert told.count("\n") == 1
