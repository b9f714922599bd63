"""The dialect of `--rl-env-module`: every flag of it, its defaults, and what is wrong at once."""

import re
from pathlib import Path

import pytest
from transformers.trainer_utils import SchedulerType

from grpo_env_sdk.errors import GrpoEnvError, GrpoEnvWarning
from grpo_env_trl.settings import read_settings, settings_from_arguments
from grpo_env_trl.settings.fields import trainer_fields
from grpo_env_trl.settings.other_names import ALIASES, DEFAULTS

PLAIN = ["--rl-env-module", "my_envs.countdown", "--rl-env-class", "Countdown"]
PAGE = Path(__file__).parents[4] / "docs" / "train-flags.md"
IN_TRL = {
    "--rl-num-generations": ("num_generations", "6", 6),
    "--rl-max-new-tokens": ("max_completion_length", "64", 64),
    "--rl-kl-coef": ("beta", "0.3", 0.3),
    "--rl-clip-range": ("epsilon", "0.1", 0.1),
    "--rl-top-k": ("top_k", "7", 7),
    "--rl-top-p": ("top_p", "0.9", 0.9),
    "--rl-temperature": ("temperature", "0.7", 0.7),
    "--use-vllm": ("use_vllm", "true", True),
    "--vllm-mode": ("vllm_mode", "server", "server"),
    "--vllm-gpu-memory-utilization": ("vllm_gpu_memory_utilization", "0.5", 0.5),
    "--vllm-server-url": ("vllm_server_base_url", "http://127.0.0.1:8000", "http://127.0.0.1:8000"),
    "--vllm-tensor-parallel-size": ("vllm_tensor_parallel_size", "2", 2),
    "--peft": ("use_peft", "true", True),
    "--lora-r": ("lora_r", "8", 8),
    "--lora-alpha": ("lora_alpha", "16", 16),
    "--lr": ("learning_rate", "1e-4", 1e-4),
    "--batch-size": ("per_device_train_batch_size", "4", 4),
    "--epochs": ("num_train_epochs", "2", 2.0),
}
OURS = {
    "--model": ("model", "some/model", "some/model"),
    "--project-name": ("out", "my-run", "my-run"),
    "--rl-env-config": ("env_config", '{"longest": 7}', {"longest": 7}),
    "--vllm-server-gpus": ("vllm_server_gpus", "2", 2),
    "--trainer": ("env", "grpo", "my_envs.countdown:Countdown"),
}
ALONE = {"--rl-env-module", "--rl-env-class"}


@pytest.mark.filterwarnings("ignore:.*lora")
@pytest.mark.parametrize("flag", IN_TRL)
@pytest.mark.parametrize("spelling", ["-", "_"])
def test_every_flag_of_the_dialect_sets_a_field_of_trl(flag, spelling, tmp_path):
    name, written, value = IN_TRL[flag]
    spelt = f"--{flag[2:].replace('-', spelling)}"
    settings = read_settings([*PLAIN, spelt, written])
    assert {**settings.grpo, **settings.model_config}[name] == value
    assert settings.sources[name] == "flag"
    file = tmp_path / "run.toml"
    file.write_text(f"rl_env_module = 'm'\nrl_env_class = 'C'\n{spelt[2:]} = {value!r}\n".replace("True", "true"))
    settings = read_settings(["--config", str(file)])
    assert {**settings.grpo, **settings.model_config}[name] == value
    assert settings.env == "m:C"


@pytest.mark.parametrize("flag", OURS)
def test_every_flag_of_the_dialect_sets_one_of_our_settings(flag):
    name, written, value = OURS[flag]
    for spelt in (flag, f"--{flag[2:].replace('-', '_')}"):
        assert getattr(read_settings([*PLAIN, spelt, written]), name) == value


def test_the_defaults_of_the_dialect_hold_with_it_alone():
    settings = read_settings(PLAIN)
    assert settings.env == "my_envs.countdown:Countdown"
    assert settings.grpo == {
        "num_generations": 4, "max_completion_length": 128, "beta": 0.1, "epsilon": 0.2, "top_k": 50, "top_p": 1.0,
        "temperature": 1.0, "vllm_gpu_memory_utilization": 0.3,
    }  # fmt: skip
    assert {settings.sources[name] for name in settings.grpo} == {"dialect"}
    assert read_settings(["my_envs.countdown:Countdown", "--rl-kl-coef", "0.2"]).grpo == {"beta": 0.2}


def test_the_defaults_of_the_dialect_are_values_that_trl_takes():
    for name, value in DEFAULTS.items():
        assert type(value) in trainer_fields()[name].kinds


def test_flags_and_files_win_over_the_defaults_of_the_dialect(tmp_path):
    file = tmp_path / "run.yaml"
    file.write_text("beta: 0.5\ntop-k: 20\n")
    settings = read_settings([*PLAIN, "--config", str(file), "--rl-top-k", "0"])
    assert (settings.grpo["beta"], settings.grpo["top_k"], settings.grpo["epsilon"]) == (0.5, 0, 0.2)
    assert (settings.sources["beta"], settings.sources["top_k"]) == (f"file {file}", "flag")


def test_the_config_of_the_environment_may_be_a_file(tmp_path):
    file = tmp_path / "env.json"
    file.write_text('{"longest": 9}')
    for flag in ("--rl-env-config", "--env-config"):
        for written in (str(file), f"@{file}", '{"longest": 9}'):
            assert read_settings([*PLAIN, flag, written]).env_config == {"longest": 9}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--rl-env-module", "m"], "--rl-env-module m needs --rl-env-class too. Give both, or MODULE:CLASS"),
        (["--rl_env_class", "C"], "--rl-env-class C needs --rl-env-module too"),
        (["hotel-v1", *PLAIN], "hotel-v1 and --rl-env-module my_envs.countdown both name an environment"),
        ([*PLAIN, "--trainer", "ppo"], "Argument --trainer: invalid choice: 'ppo'"),
        ([*PLAIN, "--data-path", "d"], "--data-path is not a setting of TRL .* The rows come from the environment"),
        ([*PLAIN, "--rl-kl-coef", "0.1", "--beta", "0.2"], "--rl-kl-coef is 0.1, and --beta is 0.2. .*keep one"),
        ([*PLAIN, "--rl-env-config", '{"a": 1}', "--env-config", '{"a": 2}'], "keep one"),
        ([*PLAIN, "--rl-env-config", "no.json"], "--rl-env-config @no.json cannot be read"),
        ([*PLAIN, "--rl-env-config", '{"a'], "--rl-env-config is not JSON"),
        ([*PLAIN, "--rl-num-generation", "4"], "Did you mean '--rl-num-generations'"),
        ([*PLAIN, "--rl-kl-coef", "lots"], "--rl-kl-coef is 'lots'. Give a number."),
    ],
)
def test_what_is_wrong_with_it_is_one_line(words, message):
    with pytest.raises(GrpoEnvError, match=message) as caught:
        read_settings(words)
    assert "\n" not in str(caught.value)


def test_lora_flags_without_lora_are_told_of():
    with pytest.warns(GrpoEnvWarning, match="--lora-r without --peft"):
        assert read_settings(["h", "--lora-r", "8"]).model_config == {"lora_r": 8}


def test_the_page_has_a_row_for_every_flag_of_the_dialect_with_what_it_sets_and_its_default():
    rows = dict(re.findall(r"^\| `(--[a-z-]+)` \| (.*) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE))
    assert IN_TRL.keys() | OURS.keys() | ALONE == rows.keys()
    for flag, (name, _, _) in IN_TRL.items():
        assert f"`{name}`" in rows[flag]
        if name in DEFAULTS:
            assert rows[flag].endswith(f"| {DEFAULTS[name]:g}")
    assert {f"--{name.replace('_', '-')}" for name in ALIASES} - rows.keys() == {
        "--model-name-or-path", "--output-dir", "--resume-from-checkpoint", "--reward-funcs",
        "--reward-model-name-or-path",
    }  # fmt: skip


def of_arguments(with_env=False, **given):
    return settings_from_arguments(given, with_env)


@pytest.mark.filterwarnings("ignore:.*lora")
@pytest.mark.parametrize("flag", [*IN_TRL, *OURS])
def test_every_flag_of_the_dialect_is_an_argument_of_train_too(flag):
    name, written, value = (IN_TRL | OURS)[flag]
    given = {flag[2:].replace("-", "_"): written if flag in ("--trainer", "--rl-env-config") else value}
    settings = of_arguments(rl_env_module="my_envs.countdown", rl_env_class="Countdown", **given)
    assert {**vars(settings), **settings.grpo, **settings.model_config}[name] == value
    assert settings.grpo["num_generations"] == (value if name == "num_generations" else 4)


def test_an_argument_that_is_none_leaves_the_default_of_a_setting_of_ours():
    settings = of_arguments(env="h", rows=None, rl_env_config=None, out=None, max_completion_length=None)
    assert (settings.rows, settings.env_config, settings.out) == (None, {}, None)
    assert settings.grpo == {"max_completion_length": None}


def test_what_a_program_gives_is_read_as_from_the_command_line():
    cosine = SchedulerType.COSINE
    settings = of_arguments(
        env="h", max_steps=None, epsilon_high="0.28", scale_rewards=False, lr_scheduler_type=cosine, report_to=["none"]
    )
    assert settings.grpo == {
        "epsilon_high": 0.28, "scale_rewards": "none", "lr_scheduler_type": cosine, "report_to": ["none"],
    }  # fmt: skip


def test_rewards_may_be_one_text_or_several():
    settings = of_arguments(env="h", reward_func="m:f", reward_model=["a/b", "c"])
    assert (settings.reward_func, settings.reward_model) == (("m:f",), ("a/b", "c"))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"rl_env_module": "m"}, "rl_env_module m needs --rl-env-class too"),
        ({"env": "h", "rl_env_module": "m", "rl_env_class": "C"}, "h and rl_env_module m both name an environment"),
        ({"with_env": True, "rl_env_module": "m", "rl_env_class": "C"}, "given twice: also as rl_env_module"),
        ({"env": "h", "lr": 1, "learning_rate": 2}, "lr is 1.0, and learning_rate is 2.0. .*keep one"),
        ({"env": "h", "trainer": "ppo"}, "trainer is 'ppo'. There are grpo and async."),
        ({"env": "h", "loss_type": "grop"}, "loss_type is 'grop'. Did you mean 'grpo'"),
        ({"env": "h", "top_p": 1.2}, "top_p is 1.2. Give a number above 0, at most 1."),
        ({"env": "h", "peft_config": object()}, "peft_config is not a setting .* --use-peft .*get_peft_model"),
        ({"env": "h", "args": object()}, r"args is not a setting .*trainer_kwargs\(env, tokenizer, args=args\)"),
        (
            {"env": "h", "max_staleness": 2},
            "of the asynchronous trainer. Add --trainer async",
        ),
        ({"env": "h", "max_prompt_length": 5}, "max_prompt_length is not a setting of TRL"),
        ({"env": "h", "torch_dtype": "auto"}, "torch_dtype is not a setting of TRL .* Its name is now --dtype"),
        ({"env": "h", "epohcs": 5}, "train has no setting named 'epohcs'. Did you mean 'epochs'"),
        ({"env": "h", "config": "f.yaml"}, "train has no setting named 'config'"),
        ({"env": "h", "rl_env_config": "{"}, "rl_env_config is not JSON"),
        ({}, "train needs the name of an environment"),
    ],
)
def test_what_is_wrong_with_an_argument_is_one_line(given, message):
    with pytest.raises(GrpoEnvError, match=message) as caught:
        of_arguments(**given)
    assert "\n" not in str(caught.value)
