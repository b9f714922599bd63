"""The flags of `grpo-env train`, ours and those of TRL's dataclasses, and the two help texts."""

import argparse
from collections.abc import Mapping
from functools import cache

from grpo_env_sdk.ext import (
    SPLITS,
    Parser,
    add_env_config,
    add_json,
    add_trust,
    number_above_0,
    plugin_pools,
    pool_flags,
    pool_names,
    whole_number,
)
from grpo_env_trl.settings.field_names import flag_of
from grpo_env_trl.settings.fields import Field, trainer_fields
from grpo_env_trl.settings.other_names import ALIASES
from grpo_env_trl.settings.row_values import pass_rate
from grpo_env_trl.settings.values import metavar_of

EXAMPLE = (
    "  grpo-env train hotel-v1\n"
    "  grpo-env train hotel-v1 --model Qwen/Qwen3-0.6B --peft --learning-rate 1e-5"
)  # fmt: skip
TRAINERS = ("grpo", "async")
BRIDGES = ("auto", "native", "rollout", "tools", "environment_factory")
COMMON = {
    "training": {
        "max_steps": ("N", "optimizer steps; overrides --num-train-epochs"),
        "num_train_epochs": ("F", "passes over the rows"),
        "learning_rate": ("F", "learning rate; LoRA usually needs about ten times that of full training"),
        "per_device_train_batch_size": ("N", "completions per device and forward pass"),
        "gradient_accumulation_steps": ("N", "batches per optimizer step"),
        "num_generations": ("N", "completions per row: the group that GRPO compares"),
        "max_completion_length": ("N", "maximum tokens of an episode after its prompt"),
        "temperature": ("F", "sampling temperature"),
        "beta": ("F", "KL coefficient; 0 loads no reference model"),
        "loss_type": ("TEXT", "grpo, dr_grpo, dapo, bnpo, cispo, sapo, luspo, vespo"),
        "gradient_checkpointing": ("[true|false]", "use less memory, but take longer"),
        "bf16": ("[true|false]", "16-bit precision, if the device supports it"),
        "seed": ("N", "same seed, same result"),
    },
    "adapters": {
        "peft": ("[true|false]", "train LoRA adapters instead of the whole model"),
        "lora_r": ("N", "rank of the adapters"),
        "lora_alpha": ("N", "scale of the adapters"),
        "lora_target_modules": ("WORD", "layers that get an adapter, or all-linear"),
        "load_in_4bit": ("[true|false]", "QLoRA: load the model in 4 bit (CUDA only)"),
    },
    "sampling": {
        "use_vllm": ("[true|false]", "generate with vLLM: pip install 'grpo-env-trl[vllm]'"),
        "vllm_mode": ("TEXT", "colocate or server"),
        "vllm_gpu_memory_utilization": ("F", "vLLM's share of a GPU's memory"),
        "use_transformers_continuous_batching": (
            "[true|false]",
            "without vLLM: sample each turn the moment it is asked for",
        ),
    },
    "logging": {
        "report_to": ("WORD", "experiment trackers: wandb, tensorboard, trackio, ..."),
        "logging_steps": ("F", "log metrics every F steps"),
        "save_steps": ("F", "save a checkpoint every F steps"),
    },
}
"""The flags of TRL that `--help` shows: value and meaning, by group."""


@cache
def train_parser(all_fields: bool, everything: bool = False) -> Parser:
    """Our flags and TRL's common ones, or all of TRL's, which imports it; `everything` is for `--help-all`."""
    parser = Parser("grpo-env train", "train a model on an environment with GRPO", EXAMPLE)
    parser.usage = "grpo-env train [ENV[=WEIGHT] ...] [flags]"
    parser.argument_default = argparse.SUPPRESS
    parser.add_argument("--help-all", action="store_true", help="show every field of TRL's configs too")
    _add_ours(parser)
    _add_rare(parser, everything)
    _add_common(parser)
    if all_fields:
        _add_fields(parser, trainer_fields(), everything)
    _add_other_names(parser, everything)
    return parser


@cache
def own_actions() -> Mapping[str, argparse.Action]:
    """Our own settings, each with its flag; none of them needs TRL."""
    parser = Parser("grpo-env train", "", "")
    _add_ours(parser)
    _add_rare(parser, everything=True)
    return {action.dest: action for action in parser._actions if action.dest != "help"}


def common_help() -> str:
    """What `--help` prints; TRL is not imported."""
    return train_parser(all_fields=False).format_help()


def full_help() -> str:
    """What `--help-all` prints."""
    return train_parser(all_fields=True, everything=True).format_help()


def _add_ours(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument_group("what is trained").add_argument
    text = "an environment id, dist:id, or module:Class; several are trained on together, by weight: A=2 B=1"
    add("env", nargs="*", metavar="ENV", help=text)
    add("--model", "-m", metavar="M", help="a hub id, folder or run (a built-in demo model of 0.1M parameters)")
    add("-n", "--rows", type=whole_number(1), metavar="N", help="train on the first N rows (all)")
    text = "train on the rows of a --pass-rate in this eval run"
    add("--rows-of", metavar="RUN", help=text)
    text = "the lowest and the highest pass rate of these rows"
    add("--pass-rate", type=pass_rate, metavar="LOW,HIGH", help=text)
    text = "held-out rows to evaluate before and after (200); 0 trains on all rows"
    add("--eval-rows", type=whole_number(0), metavar="N", help=text)
    add("--max-turn-tokens", type=whole_number(1), metavar="N", help="maximum tokens of one turn of the model")
    text = "add a reward function: module:function, or a ready one by name; can be repeated"
    add("--reward-func", metavar="NAME[=WEIGHT]", action="append", help=text)
    text = "add a reward model: a hub id or folder; can be repeated"
    add("--reward-model", metavar="M[=WEIGHT]", action="append", help=text)
    add(
        "--user-model",
        metavar="M",
        help="who speaks for a ModelUser: openai:NAME, scripted:FILE, or a model",
    )
    add("--user-base-url", metavar="URL", help="address of its server; its key is read from OPENAI_USER_API_KEY")
    add_env_config(parser)
    add = parser.add_argument_group("the run").add_argument
    add("--out", metavar="DIR", help="folder of the run (a new one in runs/)")
    add(
        "--resume",
        metavar="RUN",
        help="continue a run from its last checkpoint, with its settings; --max-steps, --save-steps and "
        "--logging-steps may differ",
    )
    add_trust(parser, "with --resume: ")
    add("--config", metavar="FILE", help="read flags from a TOML or YAML file; flags given here win")
    add("--set", metavar="KEY=VALUE", action="append", help="set any field of TRL's configs; can be repeated")
    add(
        "--dry-run",
        action="store_true",
        help="check everything, show what would be trained and the first prompt, and stop",
    )
    text = "measure a few episodes, show what the training would cost in time, memory and disk, and stop"
    add("--plan", action="store_true", help=text)
    add("--print-config", action="store_true", help="print all settings as YAML for --config, and stop")
    add("--quiet", action="store_true", help="no live display; notes are printed")
    add("--trainer", choices=TRAINERS, help="async: episodes go on while the model trains (grpo)")
    pools = ", ".join(("threads", "processes", "a sandbox", *(spec.help for spec in plugin_pools().values()))).replace(
        "%", "%%"
    )
    add("--env-pool", choices=pool_names(), help=f"where environment code runs: {pools} (thread)")
    add("--num-processes", type=whole_number(1), metavar="N", help="train with N processes, one for each GPU")
    add("--accelerate-config", metavar="FILE", help="ddp, zero2, zero3, fsdp2, or a file of `accelerate config`")
    add_json(parser)
    _add_servers(parser)


def _add_servers(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("vLLM servers")
    text = "generate with vLLM servers that run at these addresses; several share the work"
    group.add_argument("--vllm-server-url", metavar="URL", nargs="+", action="extend", help=text)
    text = "start vLLM servers on the last K GPUs of this machine, and train on the others"
    group.add_argument("--vllm-server-gpus", type=whole_number(1), metavar="K", help=text)


def _add_rare(parser: argparse.ArgumentParser, everything: bool) -> None:
    group = parser.add_argument_group("limits and choices" if everything else None)

    def add(flag: str, help: str, **kwargs: object) -> None:
        group.add_argument(flag, help=help if everything else argparse.SUPPRESS, **kwargs)  # type: ignore[arg-type]  # argparse's own mixture

    add("--bridge", "how TRL gets its rollouts (auto)", choices=BRIDGES)
    add("--eval-split", "which rows are measured before and after (test)", choices=SPLITS)
    add("--sample-every", "print a sample transcript every N steps, 0 for none (20)", type=whole_number(0), metavar="N")
    add("--limit-turns", "maximum turns of an episode (set by the environment)", type=whole_number(1), metavar="N")
    add("--limit-tool-calls", "maximum tool calls of an episode (100)", type=whole_number(1), metavar="N")
    add("--limit-episode", "seconds that an episode may take", type=number_above_0, metavar="S")
    text = "seconds that a reset, step, tool call or score may take (60)"
    add("--limit-call", text, type=number_above_0, metavar="S")
    add("--limit-build", "seconds that building the rows may take (600)", type=number_above_0, metavar="S")
    add("--env-retries", "play a failed reset or step again, up to N times (0)", type=whole_number(0), metavar="N")
    add("--num-machines", "how many machines start this command (1)", type=whole_number(1), metavar="M")
    add("--machine-rank", "which of them this is, from 0; srun says it", type=whole_number(0), metavar="R")
    add("--main-process-ip", "address of the first machine", metavar="IP")
    text = "a free port of the first machine (29500; in Slurm one for each job)"
    add("--main-process-port", text, type=whole_number(1), metavar="PORT")
    add("--env-workers", "most processes, and so live episodes (cores)", type=whole_number(1), metavar="N")
    add("--env-memory", "most GB of memory of a process (half of the machine's)", type=number_above_0, metavar="GB")
    for name in ("rl-env-module", "rl-env-class"):
        add(f"--{name}", "see docs/train-flags.md", metavar="TEXT")
    common = [name for flags in COMMON.values() for name in flags]
    for flag in pool_flags([*common, *(action.dest for action in parser._actions)]):
        add(f"--{flag.name}", flag.help.replace("%", "%%"), metavar=flag.metavar)


def _add_common(parser: argparse.ArgumentParser) -> None:
    for title, flags in COMMON.items():
        group = parser.add_argument_group(title)
        for name, (metavar, text) in flags.items():
            nargs = "+" if metavar == "WORD" else None
            group.add_argument(flag_of(name), metavar=metavar, help=text, nargs=nargs)


def _add_fields(parser: argparse.ArgumentParser, fields: Mapping[str, Field], everything: bool) -> None:
    groups = {
        "grpo": parser.add_argument_group("other fields of TRL's GRPOConfig" if everything else None),
        "model_config": parser.add_argument_group("other fields of TRL's ModelConfig" if everything else None),
        "asynchronous": parser.add_argument_group("fields of TRL's AsyncGRPOConfig alone" if everything else None),
    }
    known = parser._option_string_actions
    for field in fields.values():
        if field.flag not in known:
            text = f"{field.help or 'no help text in TRL'} ({field.default!r})".replace("%", "%%")
            groups[field.part].add_argument(
                field.flag, metavar=metavar_of(field), nargs="+" if field.is_list else None,
                help=text if everything else argparse.SUPPRESS,
            )  # fmt: skip


def _add_other_names(parser: argparse.ArgumentParser, everything: bool) -> None:
    group = parser.add_argument_group("other names" if everything else None)
    for name, setting in ALIASES.items():
        flag = flag_of(name)
        if flag not in parser._option_string_actions:
            text = f"the same as {flag_of(setting)}"
            nargs = "+" if name == "reward_funcs" else None
            group.add_argument(flag, metavar="VALUE", nargs=nargs, help=text if everything else argparse.SUPPRESS)
