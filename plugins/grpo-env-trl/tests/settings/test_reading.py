"""Our own flags, the config file, the help texts, and the config that is written down."""

import subprocess
import sys
from enum import Enum

import pytest
import yaml

from grpo_env_sdk.errors import GrpoEnvError
from grpo_env_sdk.rollout.commands import Limits
from grpo_env_trl.settings import TrainSettings, common_help, config_text, full_help, read_settings, resolved
from grpo_env_trl.settings.fields import trainer_fields
from grpo_env_trl.settings.flags import COMMON

OWN = {
    "model": ("--model M1", "M1"),
    "rows": ("--rows 50", 50),
    "eval_rows": ("--eval-rows 0", 0),
    "eval_split": ("--eval-split all", "all"),
    "max_turn_tokens": ("--max-turn-tokens 24", 24),
    "env_config": ('--env-config {"a":1}', {"a": 1}),
    "reward_func": ("--reward-func accuracy_reward=0.5", ("accuracy_reward=0.5",)),
    "reward_model": ("--reward-model judge", ("judge",)),
    "bridge": ("--bridge native", "native"),
    "sample_every": ("--sample-every 5", 5),
    "limit_turns": ("--limit-turns 3", 3),
    "limit_tool_calls": ("--limit-tool-calls 9", 9),
    "limit_episode": ("--limit-episode 30", 30.0),
    "limit_call": ("--limit-call 2.5", 2.5),
    "limit_build": ("--limit-build 10", 10.0),
    "env_pool": ("--env-pool process", "process"),
    "env_workers": ("--env-workers 3", 3),
    "env_memory": ("--env-memory 1.5", 1.5),
    "out": ("--out runs/a", "runs/a"),
    "resume": ("--resume runs/b", "runs/b"),
    "dry_run": ("--dry-run", True),
    "plan": ("--plan", True),
    "print_config": ("--print-config", True),
    "quiet": ("--quiet", True),
    "json": ("--json", True),
}


@pytest.mark.parametrize("name", OWN)
def test_every_setting_of_ours_is_set_by_flag_and_by_file(name, tmp_path):
    words, value = OWN[name]
    by_flag = read_settings(["hotel-v1", *words.split()])
    assert getattr(by_flag, name) == value
    assert by_flag.sources == {"env": "flag", name: "flag"}
    file = tmp_path / "run.yaml"
    file.write_text(yaml.safe_dump({"env": "hotel-v1", name.replace("_", "-"): value}))
    by_file = read_settings(["--config", str(file)])
    assert getattr(by_file, name) == value
    assert by_file.sources[name] == f"file {file}"


def test_what_nobody_says_is_as_usual():
    settings = read_settings(["hotel-v1"])
    assert settings == TrainSettings(env="hotel-v1", sources={"env": "flag"})
    assert settings.limits == Limits()
    assert (settings.model, settings.eval_rows, settings.bridge) == (None, 200, "auto")


def test_flags_win_over_the_file(tmp_path):
    file = tmp_path / "run.toml"
    file.write_text('env = "hotel-v1"\nrows = 10\nlr = 1e-4\nmodel = "M"\n')
    settings = read_settings(["--config", str(file), "--rows", "20", "--learning-rate", "2e-4", "phone-v1"])
    assert (settings.env, settings.rows, settings.grpo, settings.model) == (
        "phone-v1",
        20,
        {"learning_rate": 2e-4},
        "M",
    )


def test_yaml_says_no_and_numbers_as_people_write_them(tmp_path):
    file = tmp_path / "run.yaml"
    file.write_text(
        "env: h\neval_strategy: no\nlearning_rate: 1e-5\nrun_name: 7\nmodel: null\nmax_completion_length: null\n"
    )
    settings = read_settings(["--config", str(file)])
    assert settings.grpo == {
        "eval_strategy": "no", "learning_rate": 1e-5, "run_name": "7", "max_completion_length": None,
    }  # fmt: skip
    assert settings.model is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("learnin_rate: 1", "run.yaml: learnin_rate is not a setting. Did you mean 'learning_rate'"),
        ("row: 1", "run.yaml: row is not a setting. Did you mean"),
        ("config: a.yaml", "config is not a setting"),
        ("learning_rate: [1]", "run.yaml: learning_rate is .1.. Give a number"),
        ("learning_rate: -1", "run.yaml: learning_rate is -1.0. Give 0 or more."),
        ("learning_rate: null", "run.yaml: learning_rate is null. Give a number"),
        ("num_generations: true", "run.yaml: num_generations is True. Give a whole number or none."),
        ("use_vllm: 3", "run.yaml: use_vllm is 3. Give true or false."),
        ("loss_type: grop", "Did you mean 'grpo'"),
        ("rows: 0", "run.yaml: rows: must be a whole number of at least 1, got 0"),
        ("limit_call: soon", "run.yaml: limit_call: soon is not a number above 0"),
        ("bridge: best", "run.yaml: bridge is 'best'. Give one of auto, native"),
        ("quiet: 1", "run.yaml: quiet is 1. Give true or false."),
        ("model: [a]", "run.yaml: model is .'a'.. Give text or a number."),
        ("learning-rate: 1\nlearning_rate: 2", "learning-rate is 1.0, and .*run.yaml: learning_rate is 2.0.*keep"),
        ("lr: 1\nlearning_rate: 2", "run.yaml: lr is 1.0, and .*run.yaml: learning_rate is 2.0.*keep one"),
        ("no: 1", "run.yaml has no names with values"),
        ("lora_target_modules: 3", "run.yaml: lora_target_modules is 3. Give"),
        ("- a", "has no names with values"),
        ("env_config: 3", "run.yaml: env_config is 3. Give JSON or a file of it"),
        ("warmup_ratio: 0.1", "run.yaml: warmup_ratio is not a setting of TRL .* Use --warmup-steps"),
    ],
)
def test_a_file_is_checked_as_flags_are(text, message, tmp_path):
    file = tmp_path / "run.yaml"
    file.write_text(text)
    with pytest.raises(GrpoEnvError, match=message) as caught:
        read_settings(["h", "--config", str(file)])
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "train needs the name of an environment. Give it first: grpo-env train hotel-v1"),
        (["--lora-target-modules", "q_proj", "hotel-v1"], "the name of an environment. Give it first"),
        (["a", "b", "a=2"], "a is given twice. Give it once, with its weight: a=2."),
        (["a", "b=0"], "The weight of b is '0'. Give a number above 0, like b=2."),
        (["a", "b=-1"], "The weight of b is '-1'. Give a number above 0"),
        (["a", "b=much"], "The weight of b is 'much'. Give a number above 0"),
        (["a", "b=inf"], "The weight of b is 'inf'. Give a number above 0"),
        (["a", "b="], "The weight of b is ''. Give a number above 0"),
        (["a", "b=1@5"], "The weight of b is '1@5'. Steps begin at 0 and increase"),
        (["a=1@0,0@5", "b=1@0,0@9"], "From step 9 on every environment has weight 0."),
        (["a", "b", "--env-config", '{"c": {}}'], "config of several environments has 'c', which is not one of them"),
        (["a", "--env-config", "[]"], r"--env-config is '\[\]', not an object. Write it like"),
        (["a", "b", "--env-config", '{"b": 1}'], "The config of b is 1. Give names with values."),
        (["h", "--rows", "0"], "must be a whole number of at least 1, got 0"),
        (["h", "--limit-call", "-1"], "-1 is not a number above 0"),
        (["h", "--limit-call", "x"], "x is not a number above 0"),
        (["h", "--bridge", "best"], "invalid choice: 'best'"),
        (["h", "--config", "no.yaml"], "--config no.yaml cannot be read"),
        (["h", "--modle", "M"], "Did you mean '--model'"),
    ],
)
def test_what_is_wrong_with_our_flags_is_one_line(words, message):
    with pytest.raises(GrpoEnvError, match=message) as caught:
        read_settings(words)
    assert "\n" not in str(caught.value)


def test_a_run_that_is_resumed_knows_its_environment():
    settings = read_settings(["--resume", "runs/a"])
    assert (settings.env, settings.resume) == ("", "runs/a")


def test_flags_of_ours_alone_import_neither_torch_nor_trl():
    code = (
        "import sys; from grpo_env_trl.settings import read_settings, common_help; common_help();"
        "read_settings(['hotle-v1', '--rows', '5', '--rl-env-config', '{}', '--project-name', 'p', '--json']);"
        "read_settings(['--rl_env_module', 'm', '--rl-env-class', 'C']);"
        "print([name for name in ('torch', 'trl', 'transformers', 'datasets') if name in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\n"


@pytest.mark.parametrize(("flag", "text"), [("--help", common_help), ("-h", common_help), ("--help-all", full_help)])
def test_help_is_printed_and_ends_the_command(flag, text, capsys):
    with pytest.raises(SystemExit) as ended:
        read_settings(["hotel-v1", "--learning-rate", "1", flag])
    assert ended.value.code == 0
    assert capsys.readouterr().out == text()


def test_the_short_help_shows_the_common_flags_and_the_long_one_all():
    short, long = common_help(), full_help()
    common = {name for flags in COMMON.values() for name in flags}
    assert common - {"peft"} <= set(trainer_fields())
    assert len(short.splitlines()) < 115
    for field in trainer_fields().values():
        assert f"{field.flag} " in long
        assert (f"{field.flag} " in short) is (field.name in common), field.name
    for told in ("--rl-kl-coef", "--limit-call", "--bridge", "--vllm-server-port"):
        assert told in long
        assert told not in short
    assert "grpo-env train hotel-v1 --model Qwen/Qwen3-0.6B --peft" in short


@pytest.mark.parametrize(
    "words",
    [
        "hotel-v1",
        "hotel-v1 --model M --peft --lora-r 8 --lora-target-modules q v --learning-rate 1e-5 --report-to none --rows 5",
        "--rl-env-module m --rl-env-class C --rl-env-config {\"a\":[1,2]} --eval-rows 0 --eval-strategy no --fsdp",
        "h --parallelism-config {\"dp_replicate_size\":1} --lr-scheduler-kwargs {\"n\":{\"m\":[]}} --limit-call 3",
        "h --max-completion-length none --run-name no --hub-model-id 1e5 --reward-weights 1 2 --out runs/x",
    ],
)  # fmt: skip
def test_the_resolved_config_reads_back_as_the_same_settings(words, tmp_path):
    settings = read_settings(words.split())
    config = resolved(settings, {"learning_rate": 3e-6, "seed": 7, "lora_r": 4})
    assert config["seed"] == 7
    assert config["learning_rate"] == settings.grpo.get("learning_rate", 3e-6)
    file = tmp_path / "config.yaml"
    file.write_text(config_text(config, settings.sources))
    assert yaml.safe_load(file.read_text()) == config
    again = read_settings(["--config", str(file), "--peft=true"])
    assert resolved(again, {}) == {**config, "use_peft": True}
    for name, value in settings.grpo.items():
        assert again.grpo[name] == value
        assert type(again.grpo[name]) is type(value)


def test_the_resolved_config_leaves_out_how_the_command_was_to_behave_this_once():
    config = resolved(read_settings(["h", "--json", "--quiet", "--dry-run", "--print-config", "--resume", "r"]), {})
    assert not {"json", "quiet", "dry_run", "print_config", "resume", "sources", "grpo"} & config.keys()
    assert config["env"] == "h"


def test_the_printed_config_says_where_each_value_came_from():
    settings = read_settings(["--rl-env-module", "m", "--rl-env-class", "C", "--lr", "1e-5"])

    class Kind(Enum):
        FAST = "fast"

    text = config_text(resolved(settings, {"optim": Kind.FAST}), settings.sources)
    assert "learning_rate: 1.0e-05  # flag\n" in text
    assert "beta: 0.1  # dialect\n" in text
    assert "optim: fast\n" in text
    assert "env: m:C  # flag\n" in text
