"""The commands of the guide to aitraining's GRPO trainer, as printed there."""

import dataclasses
import shlex
from importlib.util import find_spec

import pytest
from guide_env import HOTEL_ENV
from tiny_models import save_tiny_model

from grpo_env_sdk.cli import main
from grpo_env_trl.settings import read_settings, settings_from_arguments

MODEL = "deepseek-ai/DeepSeek-R1-Distill-Qwen-1.5B"
HOTEL = """
aitraining llm --train \\
  --model deepseek-ai/DeepSeek-R1-Distill-Qwen-1.5B \\
  --trainer grpo \\
  --rl-env-module my_envs.hotel_env \\
  --rl-env-class HotelEnv \\
  --rl-num-generations 4 \\
  --rl-max-new-tokens 256 \\
  --peft \\
  --lora-r 16 \\
  --lr 1e-5 \\
  --batch-size 4
"""
VLLM = """
aitraining llm --train --trainer grpo \\
  --model deepseek-ai/DeepSeek-R1-Distill-Qwen-1.5B \\
  --rl-env-module my_envs.hotel_env \\
  --rl-env-class HotelEnv \\
  --use-vllm \\
  --vllm-gpu-memory-utilization 0.3
"""
COMMANDS = [
    HOTEL,
    VLLM,
    """
aitraining llm --train \\
  --model deepseek-ai/DeepSeek-R1-Distill-Qwen-1.5B \\
  --trainer grpo \\
  --rl-env-module my_envs.hotel_env \\
  --rl-env-class HotelEnv \\
  --rl-num-generations 4 \\
  --rl-max-new-tokens 256
""",
    """
aitraining llm --train \\
  --trainer grpo \\
  --rl-env-module my_envs.hotel_env \\
  --rl-env-class HotelEnv \\
  --rl-env-config '{"max_turns": 5, "difficulty": "hard"}'
""",
    """
aitraining llm --train --trainer grpo \\
  --model deepseek-ai/DeepSeek-R1-Distill-Qwen-1.5B \\
  --rl-env-module my_envs.hotel_env \\
  --rl-env-class HotelEnv \\
  --use-vllm \\
  --vllm-mode server \\
  --vllm-server-gpus 2 \\
  --vllm-tensor-parallel-size 2
""",
]
NOTE = "`grpo-env llm --train` is `grpo-env train` here"


def words_of(command):
    """The words after the name of the program."""
    return shlex.split(command.replace("\\\n", ""))[1:]


@pytest.fixture
def guide(workplace, capsys):
    """Runs a command of the guide where its files are: gives exit code and stderr."""
    (workplace / "my_envs").mkdir()
    (workplace / "my_envs/hotel_env.py").write_text(HOTEL_ENV)
    save_tiny_model("deepseek-r1-distill", workplace / MODEL)

    def run(command, *more):
        capsys.readouterr()
        return main([*words_of(command), *more]), capsys.readouterr().err

    return run


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_read(command):
    settings = read_settings([word for word in words_of(command)[1:] if word != "--train"])
    assert settings.env == "my_envs.hotel_env:HotelEnv"
    assert (settings.model in (None, MODEL), settings.grpo["num_generations"], settings.grpo["beta"]) == (True, 4, 0.1)


def test_a_command_runs_as_printed_and_a_note_names_ours(guide, workplace):
    code, told = guide(HOTEL, "--max-steps", "1", "--eval-rows", "0")  # which only makes it quick
    assert code == 0, told
    assert told.count(NOTE) == 1
    (run,) = (workplace / "runs").iterdir()
    assert (run / "model/adapter_config.json").exists()


def test_a_command_without_its_package_says_what_to_install(guide):
    if find_spec("vllm"):
        pytest.skip("vLLM is installed")
    code, told = guide(VLLM, "--batch-size", "4", "--dry-run")
    assert code == 2
    assert "--use-vllm needs vLLM, which is not installed. pip install 'grpo-env-trl[vllm]'" in told


def test_llm_without_train_is_refused(workplace, capsys):
    assert main(["llm", "--deploy", "--model", "m"]) == 2
    assert "`grpo-env llm` only trains. Add --train, or use `grpo-env train`." in capsys.readouterr().err


def test_llm_shows_the_help_of_train(capsys):
    with pytest.raises(SystemExit):
        main(["llm", "--help"])
    assert capsys.readouterr().out.startswith("usage: grpo-env train ")


def plain(settings):
    """The settings without where each came from."""
    return dataclasses.replace(settings, sources={})


def test_the_parameters_of_its_python_api_are_those_of_the_flags():
    def params(**given):
        return settings_from_arguments(given, with_env=False)

    given = params(
        model=MODEL, project_name="grpo-agent", trainer="grpo", rl_env_module="my_envs.hotel_env",
        rl_env_class="HotelEnv", rl_num_generations=4, rl_max_new_tokens=256, rl_temperature=1.0, rl_kl_coef=0.1,
        rl_clip_range=0.2, epochs=1, batch_size=4, lr=1e-5, peft=True, lora_r=16, lora_alpha=32,
    )  # fmt: skip
    words = (
        f"--model {MODEL} --project-name grpo-agent --trainer grpo --rl-env-module my_envs.hotel_env "
        "--rl-env-class HotelEnv --rl-num-generations 4 --rl-max-new-tokens 256 --rl-temperature 1.0 --rl-kl-coef 0.1 "
        "--rl-clip-range 0.2 --epochs 1 --batch-size 4 --lr 1e-5 --peft --lora-r 16 --lora-alpha 32"
    )
    assert plain(given) == plain(read_settings(words.split()))
