"""The settings of one training, and the whole config that a run uses as YAML that `--config` reads back."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from grpo_env_sdk import Limits
from grpo_env_sdk.ext import BUILD_SECONDS, EnvPool, PoolKind, without_credentials
from grpo_env_trl.env_weights import EnvShare

_DEFAULT_LIMITS = Limits()


@dataclass(frozen=True)
class TrainSettings:
    """The settings of one training; `grpo`, `model_config` and `asynchronous` hold only what the user set."""

    env: str = ""
    """Empty with `resume`, as the run knows its environment, and with `envs`."""
    envs: tuple[EnvShare, ...] = ()
    """The environments with their weights and configs, where there are several."""
    env_config: Mapping[str, Any] = field(default_factory=dict)
    model: str | None = None
    """None is the built-in demo model."""
    grpo: Mapping[str, Any] = field(default_factory=dict)
    model_config: Mapping[str, Any] = field(default_factory=dict)
    asynchronous: Mapping[str, Any] = field(default_factory=dict)
    """Fields that only the asynchronous trainer has, as the user set them."""
    trainer: str = "grpo"
    """`grpo`, or `async` for TRL's `AsyncGRPOTrainer`."""
    reward_func: tuple[str, ...] = ()
    """Reward functions from outside the environment, as `--reward-func` has them."""
    reward_model: tuple[str, ...] = ()
    user_model: str | None = None
    """Who speaks for the user in place of the policy that the class's `ModelUser` names."""
    user_base_url: str | None = None
    vllm_server_url: tuple[str, ...] = ()
    """The vLLM servers, where there are several; TRL's `vllm_server_base_url` is the first, or the only one."""
    vllm_server_gpus: int | None = None
    """So many GPUs of this machine get vLLM servers, which the training starts."""
    bridge: str = "auto"
    max_turn_tokens: int | None = None
    rows: int | tuple[int, ...] | None = None
    """The first so many, or the indices of those to train on; `rows_of` and `pass_rate` become such a list."""
    rows_of: str | None = None
    """The run of an evaluation whose pass rates choose the rows."""
    pass_rate: tuple[float, float] | None = None
    """The lowest and the highest pass rate of a row in `rows_of`."""
    eval_rows: int = 200
    eval_split: str = "test"
    limit_turns: int | None = None
    limit_tool_calls: int | None = _DEFAULT_LIMITS.tool_calls
    limit_episode: float | None = None
    limit_call: float | None = None
    limit_build: float = BUILD_SECONDS
    env_retries: int = 0
    env_pool: PoolKind = "thread"
    env_workers: int | None = None
    env_memory: float | None = None
    env_pool_options: Mapping[str, str] = field(default_factory=dict)
    """The flags of a plugin's pool, each a setting by its own name in files."""
    sample_every: int = 20
    """A sample transcript is printed every so many steps; 0 prints none."""
    num_processes: int | None = None
    """How many processes of all machines train together; this and the next five start them."""
    num_machines: int | None = None
    machine_rank: int | None = None
    main_process_ip: str | None = None
    main_process_port: int | None = None
    accelerate_config: str | None = None
    out: str | None = None
    resume: str | None = None
    trust: bool = False
    dry_run: bool = False
    plan: bool = False
    print_config: bool = False
    quiet: bool = False
    json: bool = False
    sources: Mapping[str, str] = field(default_factory=dict)
    """Where each value came from: `flag`, `file FILE`, `argument`, or `dialect` for a default of `--rl-env-module`."""

    @property
    def is_on_cpu(self) -> bool:
        """Whether the model is trained on the CPU though there may be GPUs, as the demo model is."""
        return bool(self.grpo.get("use_cpu", self.model is None))

    @property
    def steps_asked(self) -> int:
        """The steps that `--max-steps` or a config asks for; 0 where it is not given."""
        return int(self.grpo.get("max_steps") or 0)

    @property
    def resume_with(self) -> dict[str, Any]:
        """The flags to resume with, by their settings: as many processes, and the steps if the run has others."""
        flags = {name: getattr(self, name) for name in LAUNCH if getattr(self, name) is not None}
        if self.resume and not self.sources.get("max_steps", "file").startswith("file"):
            flags["max_steps"] = self.steps_asked
        return flags

    @property
    def limits(self) -> Limits:
        """The limits of an episode."""
        return Limits(
            turns=self.limit_turns,
            tool_calls=self.limit_tool_calls,
            episode_seconds=self.limit_episode,
            call_seconds=_DEFAULT_LIMITS.call_seconds if self.limit_call is None else self.limit_call,
            env_retries=self.env_retries,
        )

    @property
    def pool(self) -> EnvPool:
        """Where environment code runs."""
        return EnvPool(self.env_pool, self.env_workers, self.env_memory, self.env_pool_options)


LAUNCH = (
    "num_processes", "num_machines", "machine_rank", "main_process_ip", "main_process_port", "accelerate_config",
)  # fmt: skip
"""The settings that start processes: they belong to the machines, and not to the run."""
_NOT_IN_CONFIG = {
    "grpo", "model_config", "asynchronous", "sources", "resume", "trust", "dry_run", "plan", "print_config",
    "quiet", "json", *LAUNCH,
}  # fmt: skip
"""Fields that are not in the config of a run: they change one call only, or their items are added by name."""


def resolved(settings: TrainSettings, defaults: Mapping[str, Any]) -> dict[str, Any]:
    """Every setting by its name in a config file: what the user set, and `defaults` for the others."""
    own = {
        field.name: getattr(settings, field.name)
        for field in dataclasses.fields(settings)
        if field.name not in _NOT_IN_CONFIG
    }
    own["user_base_url"] = without_credentials(settings.user_base_url)
    own |= own.pop("env_pool_options")
    own["envs"] = {share.name: share.as_plain() for share in settings.envs}
    said = {name: value for name, value in own.items() if value not in (None, {}, (), "")}
    whole = {**said, **defaults, **said, **settings.grpo, **settings.model_config, **settings.asynchronous}
    return {name: _plain(value) for name, value in whole.items()}


def config_text(config: Mapping[str, Any], sources: Mapping[str, str]) -> str:
    """YAML with one setting per line; a comment says where a value came from."""
    import yaml

    told = []
    for name, value in config.items():
        inline = isinstance(value, dict | list)
        shown = value if inline else {name: value}
        text = yaml.safe_dump(shown, default_flow_style=inline, width=10_000, sort_keys=False).strip()
        source = f"  # {sources[name]}" if name in sources else ""
        told.append(f"{name}: {text}{source}\n" if inline else f"{text}{source}\n")
    return "".join(told)


def _plain(value: Any) -> Any:
    """The value as plain YAML data."""
    if isinstance(value, Enum):
        return value.value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        known = {field.name: getattr(value, field.name) for field in dataclasses.fields(value) if field.init}
        return {name: _plain(item) for name, item in known.items() if item is not None}
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value
