"""Every field of TRL's configs can be set, by a flag and by a file, and what makes no sense is refused."""

import dataclasses
import json
import subprocess
import sys
from types import NoneType
from typing import get_origin

import pytest
import yaml
from trl.trainer.grpo_config import GRPOConfig
from trl.trainer.model_config import ModelConfig

from grpo_env_sdk.errors import GrpoEnvError
from grpo_env_trl.settings import read_settings
from grpo_env_trl.settings.field_names import field_names, plain_kinds
from grpo_env_trl.settings.fields import BOUNDS, CHOICES, NOT_USED, out_of_bounds, trainer_fields
from grpo_env_trl.settings.other_names import ALIASES
from grpo_env_trl.settings.values import value_of
from grpo_env_trl.trl_async import async_config_class

pytestmark = pytest.mark.filterwarnings("ignore:.*without --peft")
FIELDS = [field.name for config in (GRPOConfig, ModelConfig) for field in dataclasses.fields(config)]
OURS = sorted(set(ALIASES) & set(FIELDS))


def example(field):
    """A value that a field takes, as a file says it."""
    if field.choices:
        return field.choices[-1]
    kind = next(kind for kind in reversed(field.kinds) if kind is not NoneType)
    if get_origin(kind) is list:
        return [0.5, 2.0] if "float" in str(kind) else ["q_proj", "v_proj"]
    number = next(
        one for one in (0.5, 1, 2, 8000) if not out_of_bounds(field.name, one) and (kind is not int or one >= 1)
    )
    return {bool: True, int: int(number), float: float(number), str: "some text", dict: {"a": {"b": 1}}}.get(kind, {})


def part_of(name, settings):
    return {**settings.grpo, **settings.model_config}[name]


def test_the_fields_are_those_of_trl():
    parts = {name: field.part for name, field in trainer_fields().items()}
    assert {name for name, part in parts.items() if part != "asynchronous"} == set(FIELDS)
    asynchronous = {field.name for field in dataclasses.fields(async_config_class())}
    assert {name for name, part in parts.items() if part == "asynchronous"} == asynchronous - set(FIELDS) - set(
        NOT_USED
    )
    assert (parts["beta"], parts["lora_r"]) == ("grpo", "model_config")


@pytest.mark.parametrize("name", sorted(set(FIELDS) - set(OURS)))
def test_every_field_is_set_by_flag_and_by_file_and_by_set(name, tmp_path):
    field = trainer_fields()[name]
    value = example(field)
    words = [str(item) for item in value] if isinstance(value, list) else [json.dumps(value).strip('"')]
    file = tmp_path / "run.yaml"
    file.write_text(yaml.safe_dump({name: value}))
    by_flag = read_settings(["hotel-v1", *([field.flag, *words] if len(words) > 1 else [f"{field.flag}={words[0]}"])])
    by_file = read_settings(["hotel-v1", "--config", str(file)])
    by_set = read_settings(["hotel-v1", "--set", f"{name}={','.join(words)}"])
    found = part_of(name, by_flag)
    assert found == part_of(name, by_file) == part_of(name, by_set)
    if isinstance(value, dict) and dict not in field.kinds:
        assert isinstance(found, field.kinds[-1])
    else:
        assert found == value
        assert type(found) is type(value)
    assert by_flag.sources[name] == by_set.sources[name] == "flag"
    assert by_file.sources[name] == f"file {file}"


@pytest.mark.parametrize("name", OURS)
def test_a_field_that_is_a_setting_of_ours_is_that_setting(name):
    settings = read_settings(["hotel-v1", f"--{name}", "there"])
    assert getattr(settings, ALIASES[name]) == "there"
    assert not settings.grpo
    assert not settings.model_config


def test_underscores_and_hyphens_are_the_same():
    assert read_settings(["h", "--num_generations", "4"]) == read_settings(["h", "--num-generations=4"])


def test_a_switch_with_words_of_its_own_takes_them_and_leaves_the_environment_alone():
    words = ["--include-num-input-tokens-seen", "all", "--bf16", "hotel-v1"]
    read = read_settings(words)
    assert (read.env, read.grpo["include_num_input_tokens_seen"], read.grpo["bf16"]) == ("hotel-v1", "all", True)


@pytest.mark.parametrize("name", [field.name for field in trainer_fields().values() if field.is_switch])
def test_every_switch_has_all_its_forms(name):
    flag = trainer_fields()[name].flag
    for words, value in [
        ([flag], True), ([flag, "true"], True), ([f"{flag}=yes"], True), ([flag, "1"], True),
        ([flag, "False"], False), ([f"{flag}=0"], False), ([f"--no-{flag[2:]}"], False),
    ]:  # fmt: skip
        settings = read_settings([*words, "hotel-v1"])
        assert part_of(name, settings) is value
        assert settings.env == "hotel-v1"


@pytest.mark.parametrize(
    ("words", "value"),
    [
        (["--report-to", "wandb"], "wandb"),
        (["--report-to", "wandb", "tensorboard"], ["wandb", "tensorboard"]),
        (["--report-to=wandb,tensorboard"], ["wandb", "tensorboard"]),
        (["--report-to", "none"], "none"),
        (["--lora-target-modules", "all-linear"], ["all-linear"]),
        (["--lora-target-modules", '["a,b", "c"]'], ["a,b", "c"]),
        (["--lora-target-modules", "q_proj,", "v_proj"], ["q_proj", "v_proj"]),
        (["--reward-weights=1,0.5"], [1.0, 0.5]),
        (["--max-steps", "1e3"], 1000),
        (["--max-steps", "-1"], -1),
        (["--max-completion-length", "none"], None),
        (["--pad-to-multiple-of", "8"], 8),
        (["--pad-to-multiple-of", "auto"], "auto"),
        (["--scale-rewards", "false"], "none"),
        (["--scale-rewards", "true"], "group"),
        (["--debug", "underflow_overflow", "tpu_metrics_debug"], ["underflow_overflow", "tpu_metrics_debug"]),
        (["--include-num-input-tokens-seen", "no"], "no"),
        (["--trackio-static-space-id", "false"], False),
        (["--fsdp"], True),
    ],
)
def test_values_become_what_trl_wants(words, value):
    name = words[0].partition("=")[0][2:].replace("-", "_")
    found = part_of(name, read_settings(["h", *words]))
    assert found == value
    assert type(found) is type(value)


def test_a_mapping_is_json_or_a_file_of_it(tmp_path):
    file = tmp_path / "ds.json"
    file.write_text('{"zero": 3}')
    for written in ('{"zero": 3}', str(file), f"@{file}"):
        assert read_settings(["h", "--deepspeed", written]).grpo == {"deepspeed": {"zero": 3}}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--learning-rate", "abc"], r"^--learning-rate is 'abc'\. Give a number\.$"),
        (["--learning-rate", "nan"], r"Give a number\."),
        (["--learning-rate", "-1e-5"], r"^--learning-rate is -1e-05\. Give 0 or more\.$"),
        (["--num-generations", "4.5"], r"^--num-generations is '4\.5'\. Give a whole number or none\.$"),
        (["--num-generations", "0"], r"Give 1 or more\."),
        (["--max-steps", "0"], "or -1 to use --num-train-epochs"),
        (["--temperature", "0"], "a number above 0"),
        (["--top-p", "1.5"], "above 0, at most 1"),
        (["--top-k", "-1"], "0 or more"),
        (["--lora-dropout", "2"], "from 0 to 1"),
        (["--vllm-server-port", "99999"], "a port"),
        (["--bf16=maybe"], r"^--bf16 is 'maybe'\. Give true or false or none\.$"),
        (["--loss-type", "grop"], r"^--loss-type is 'grop'\. Did you mean 'grpo'\?$"),
        (["--vllm-mode", "remote"], r"Choose from colocate, server\."),
        (["--dtype", "float8"], "Did you mean 'float"),
        (["--optim", "adam"], "Did you mean"),
        (["--debug", "nothing"], "underflow_overflow"),
        (["--deepspeed", "no.json"], "cannot be read"),
        (["--deepspeed", '{"a'], "^--deepspeed is not JSON"),
        (["--reward-weights", "1", "b"], "a list, such as 1,2"),
        (["--reward-weights=[1,"], "^--reward-weights is not JSON"),
        (["--parallelism-config", '{"dp": 1}'], "is not a valid ParallelismConfig"),
        (["--learnin-rate", "1"], "takes no '--learnin-rate'. Did you mean '--learning-rate'"),
        (
            ["--set", "learnin_rate=1"],
            "--set learnin_rate is not a field of .* Did you mean 'learning_rate'",
        ),
        (["--set", "learning_rate"], "--set learning_rate has no value. Example: --set learning_rate=1e-5"),
        (["--set", "rows=5"], "--set rows is not a field of TRL. Use the flag --rows."),
        (["--set", "output_dir=a"], "Use the flag --out."),
        (["--set", "warmup_ratio=0.1"], "^--set warmup_ratio is not a setting of TRL"),
        (["--lr", "1e-5", "--learning-rate", "2e-5"], "--lr is 1e-05, and --learning-rate is 2e-05.*keep one"),
        (["--learning-rate", "1", "--set", "learning_rate=2"], "keep one"),
        (["--out", "a", "--project-name", "b"], "keep one"),
        (["--lora-target-modules"], "expected at least one argument"),
    ],
)
def test_what_makes_no_sense_is_one_line_that_says_what_would(words, message):
    with pytest.raises(GrpoEnvError, match=message) as caught:
        read_settings(["h", *words])
    assert "\n" not in str(caught.value)


def test_the_source_of_trl_names_every_field_and_not_a_misspelt_one():
    assert {*field_names()} >= {*trainer_fields()}
    assert "max_stps" not in field_names()


def test_the_source_of_trl_says_which_fields_are_numbers_and_switches_as_trl_itself_does():
    told = {name: plain_kinds(name) for name in trainer_fields() if plain_kinds(name)}
    assert len(told) > 100
    for name, kinds in told.items():
        assert {*trainer_fields()[name].kinds} <= {*kinds, bool}, name


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--max-steps", "abc"], "--max-steps is 'abc'. Give a whole number."),
        (["--set", "max_steps=abc"], "--set max_steps is 'abc'. Give a whole number."),
        (["--lr=-1"], "--lr is -1.0. Give 0 or more."),
        (["--max-steps"], "--max-steps: expected one argument"),
        (["--bf16=maybe"], "--bf16 is 'maybe'. Give true or false"),
        (["--bf16", "maybe"], "--bf16 takes true or false, got 'maybe'."),
        (["--peft", "maybe", "--dry-run"], "--peft takes true or false, got 'maybe'."),
        (["--log_completions", "on"], "--log-completions takes true or false, got 'on'."),
        (["--rows", "abc", "--max-steps", "3"], "--rows must be a whole number"),
        (["--config", "run.yaml"], "run.yaml: max_steps is 'abc'. Give a whole number."),
    ],
)
def test_a_wrong_value_is_found_without_the_import_of_trl(words, message, tmp_path):
    (tmp_path / "run.yaml").write_text("max_steps: abc")
    code = (
        "import sys\nfrom grpo_env_trl.settings.reading import read_settings\n"
        "try:\n    read_settings(sys.argv[1:])\nexcept Exception as exc:\n    print(exc)\n"
        "print({'torch', 'trl', 'transformers'} & {*sys.modules})"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "hotel-v1", *words], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.stdout.splitlines()[1:] == ["set()"]
    assert message in done.stdout


def test_a_switch_beside_an_environment_takes_no_value_from_it():
    settings = read_settings(["--bf16", "hotel-v1", "--max-steps", "1", "--learning-rate", "-0.0"])
    assert (settings.env, settings.grpo["bf16"], settings.grpo["max_steps"]) == ("hotel-v1", True, 1)
    for near in ("hotel", "hotle-v1", "shelves-v3", "my.env:Class"):  # loading it says what is meant
        assert read_settings(["--bf16", near]).env == near


@pytest.mark.parametrize("words", [["--lr", "1e-5", "--learning-rate", "0.00001"], ["--out", "a", "--output-dir", "a"]])
def test_two_names_that_agree_are_no_conflict(words):
    assert read_settings(["h", *words])


def test_bounds_and_choices_are_of_fields_that_trl_has():
    bounded = {name for _, names in BOUNDS.values() for name in names}
    assert bounded | set(CHOICES) <= set(trainer_fields())
    for name in bounded | set(CHOICES):
        default = trainer_fields()[name].default
        assert default is None or not out_of_bounds(name, default if name in bounded else 0), name


@pytest.mark.parametrize("name", sorted(CHOICES))
def test_every_choice_that_we_list_is_one_that_trl_tells_of(name):
    field = trainer_fields()[name]
    assert field.default in CHOICES[name]
    assert [choice for choice in CHOICES[name] if choice not in field.help] == []


def test_a_choice_that_only_a_newer_trl_tells_of_is_taken():
    field = trainer_fields()["loss_type"]
    newer = dataclasses.replace(field, help=f"{field.help} 'brand_new': as of tomorrow.")
    assert value_of(newer, "brand_new", "--loss-type") == "brand_new"


def test_what_is_read_makes_the_configs_of_trl():
    settings = read_settings(
        ["h", "--peft", "--lora-target-modules", "all-linear", "--use-cpu", "--bf16", "false", "--eval-strategy", "no",
         "--optim", "adamw_torch", "--activation-checkpointing", "--report-to", "none"]
    )  # fmt: skip
    assert ModelConfig(**settings.model_config).lora_target_modules == "all-linear"
    assert GRPOConfig(**settings.grpo).optim == "adamw_torch"
