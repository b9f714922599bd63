"""The fields of TRL's configs in the installed version, and which values are valid."""

import dataclasses
from collections.abc import Callable, Mapping
from enum import Enum
from functools import cache
from importlib.metadata import version
from types import MappingProxyType, NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from grpo_env_trl.settings.field_names import flag_of
from grpo_env_trl.trl_async import async_config_class

CHOICES: dict[str, tuple[str, ...]] = {
    "importance_sampling_level": ("token", "sequence"),
    "include_num_input_tokens_seen": ("all", "non_padding", "no"),
    "loss_type": ("grpo", "dr_grpo", "dapo", "bnpo", "cispo", "sapo", "luspo", "vespo"),
    "multi_objective_aggregation": ("sum_then_normalize", "normalize_then_sum"),
    "scale_rewards": ("group", "batch", "none"),
    "vllm_importance_sampling_mode": ("token_truncate", "token_mask", "sequence_truncate", "sequence_mask"),
    "vllm_mode": ("colocate", "server"),
}
"""Choices of fields that TRL annotates as `str` and checks only in the first step."""

BOUNDS: dict[str, tuple[Callable[[float], bool], frozenset[str]]] = {
    "a number above 0": (
        lambda value: value > 0,
        frozenset({
            "heartbeat_stale_after_s", "num_train_epochs", "repetition_penalty", "temperature", "vllm_server_timeout",
        }),
    ),
    "0 or more": (
        lambda value: value >= 0,
        frozenset({
            "adam_epsilon", "beta", "dataloader_num_workers", "delta", "epsilon", "epsilon_high", "eval_steps",
            "learning_rate", "logging_steps", "max_grad_norm", "max_staleness", "off_policy_mask_threshold",
            "save_steps", "token_budget", "top_k", "vllm_importance_sampling_clip_max",
            "vllm_importance_sampling_clip_min", "warmup_steps", "weight_decay",
        }),
    ),
    "1 or more": (
        lambda value: value >= 1,
        frozenset({
            "generation_batch_size", "gradient_accumulation_steps", "lora_alpha", "lora_r", "max_completion_length",
            "max_tool_calling_iterations", "num_generations", "num_generations_eval", "num_iterations",
            "per_device_eval_batch_size", "per_device_train_batch_size", "queue_maxsize", "save_total_limit",
            "steps_per_generation", "vllm_max_model_length", "vllm_tensor_parallel_size", "weight_sync_steps",
            "weight_sync_timeout",
        }),
    ),
    "1 or more, or -1 to use --num-train-epochs": (
        lambda value: value == -1 or value >= 1,
        frozenset({"max_steps"}),
    ),
    "a number above 0, at most 1": (
        lambda value: 0 < value <= 1,
        frozenset({"top_p", "vllm_gpu_memory_utilization"}),
    ),
    "a number from 0 to 1": (
        lambda value: 0 <= value <= 1,
        frozenset({"label_smoothing_factor", "lora_dropout", "min_p", "ref_model_mixup_alpha", "top_entropy_quantile"}),
    ),
    "a number from 0, below 1": (lambda value: 0 <= value < 1, frozenset({"adam_beta1", "adam_beta2"})),
    "a port from 1 to 65535": (
        lambda value: 1 <= value <= 65535,
        frozenset({"vllm_group_port", "vllm_server_port"}),
    ),
}  # fmt: skip
"""What a field accepts: in words, as a function, and for which fields."""


NOT_USED = ("fork_threshold_tokens", "request_timeout")
"""Fields of `AsyncGRPOConfig` for TRL's own worker, which is not the one that plays environments."""


def out_of_bounds(name: str, value: float) -> str:
    """What the field accepts, or an empty text where the value is valid."""
    for words, (accepts, names) in BOUNDS.items():
        if name in names and not accepts(value):
            return words
    return ""


Part = Literal["grpo", "model_config", "asynchronous"]
"""The part of `TrainSettings` that holds a field of TRL's; the last one has what only `AsyncGRPOConfig` knows."""


@dataclasses.dataclass(frozen=True)
class Field:
    """One field: its name, the part of `TrainSettings` that holds it, its types, choices and default."""

    name: str
    part: Part
    kinds: tuple[Any, ...]
    choices: tuple[str, ...]
    default: Any
    help: str

    @property
    def flag(self) -> str:
        """Its flag on the command line."""
        return flag_of(self.name)

    @property
    def is_switch(self) -> bool:
        """Whether the flag alone means true."""
        return bool in self.kinds

    @property
    def is_list(self) -> bool:
        """Whether the flag takes several words."""
        return any(get_origin(kind) is list for kind in self.kinds)


@cache
def trainer_fields() -> Mapping[str, Field]:
    """Every field by name; the first call imports TRL, which takes seconds."""
    from trl.trainer.grpo_config import GRPOConfig
    from trl.trainer.model_config import ModelConfig

    found = [*_fields_of(ModelConfig, "model_config"), *_fields_of(GRPOConfig, "grpo")]
    named = {field.name: field for field in found}
    waiting = async_config_class()
    more = _fields_of(waiting, "asynchronous") if waiting else []
    only = {field.name: field for field in more if field.name not in {*named, *NOT_USED}}
    return MappingProxyType({**named, **only})


def trl_version() -> str:
    """The version of TRL that is installed."""
    return version("trl")


def _fields_of(config: Any, part: Part) -> list[Field]:
    hints = get_type_hints(config)
    return [_field(field, hints[field.name], part) for field in dataclasses.fields(config) if field.init]


def _field(field: Any, annotation: Any, part: Part) -> Field:
    kinds = _kinds_of(annotation)
    if field.metadata.get("const") is True and bool not in kinds:
        kinds = [bool, *kinds]
    told = [str(choice) for choice in field.metadata.get("choices") or ()]
    default = field.default if field.default_factory is dataclasses.MISSING else field.default_factory()
    choices = told or [*_choices_of(annotation), *CHOICES.get(field.name, ())]
    text = " ".join(str(field.metadata.get("help", "")).replace("%%", "%").split())
    return Field(field.name, part, tuple(sorted(kinds, key=_rank)), tuple(choices), default, text)


def _kinds_of(annotation: Any) -> list[Any]:
    """The types in an annotation: an enum counts as `str`, and `dict | str` as `dict`."""
    if get_origin(annotation) in (Union, UnionType):
        kinds = list(dict.fromkeys(kind for part in get_args(annotation) for kind in _kinds_of(part)))
        return [kind for kind in kinds if kind is not str or dict not in kinds]
    if get_origin(annotation) is dict:
        return [dict]
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return [str]
    return [annotation]


def _choices_of(annotation: Any) -> list[str]:
    """The choices in an annotation: members of enums and literals, nested ones too."""
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return [str(member.value) for member in annotation]
    inner = get_args(annotation)
    if get_origin(annotation) is Literal:
        return [choice for choice in inner if isinstance(choice, str)]
    return [choice for part in inner for choice in _choices_of(part)]


def _rank(kind: Any) -> int:
    """The order in which types are tried on a text; `str` accepts every text, so it is last."""
    order = [NoneType, bool, int, float, dict]
    if kind in order:
        return order.index(kind)
    return len(order) + (kind is str)
