"""The fields of TRL's `GRPOConfig` and `ModelConfig`, as the installed TRL has them."""

import dataclasses
from collections.abc import Mapping
from enum import Enum
from functools import cache
from importlib.metadata import version
from types import MappingProxyType, NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from grpo_env_trl.settings.constraints import CHOICES


@dataclasses.dataclass(frozen=True)
class Field:
    """One field: its name, the part of `TrainSettings` that holds it, and what it takes."""

    name: str
    part: Literal["grpo", "model_config"]
    kinds: tuple[Any, ...]
    choices: tuple[str, ...]
    default: Any
    help: str

    @property
    def flag(self) -> str:
        """As the command line says it."""
        return f"--{self.name.replace('_', '-')}"

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
    return MappingProxyType({field.name: field for field in found})


def trl_version() -> str:
    """The version of TRL that is installed."""
    return version("trl")


def _fields_of(config: Any, part: Literal["grpo", "model_config"]) -> list[Field]:
    hints = get_type_hints(config)
    return [_field(field, hints[field.name], part) for field in dataclasses.fields(config) if field.init]


def _field(field: Any, annotation: Any, part: Literal["grpo", "model_config"]) -> Field:
    kinds = _kinds_of(annotation)
    if field.metadata.get("const") is True and bool not in kinds:
        kinds = [bool, *kinds]
    told = [str(choice) for choice in field.metadata.get("choices") or ()]
    default = field.default if field.default_factory is dataclasses.MISSING else field.default_factory()
    choices = told or [*_choices_of(annotation), *CHOICES.get(field.name, ())]
    text = " ".join(str(field.metadata.get("help", "")).replace("%%", "%").split())
    return Field(field.name, part, tuple(sorted(kinds, key=_rank)), tuple(choices), default, text)


def _kinds_of(annotation: Any) -> list[Any]:
    """The kinds of value in an annotation: an enum is its text, and a dict that may be text is a dict."""
    if get_origin(annotation) in (Union, UnionType):
        kinds = list(dict.fromkeys(kind for part in get_args(annotation) for kind in _kinds_of(part)))
        return [kind for kind in kinds if kind is not str or dict not in kinds]
    if get_origin(annotation) is dict:
        return [dict]
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return [str]
    return [annotation]


def _choices_of(annotation: Any) -> list[str]:
    """The texts that an annotation names: members of enums and literals, wherever they stand in it."""
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return [str(member.value) for member in annotation]
    inner = get_args(annotation)
    if get_origin(annotation) is Literal:
        return [choice for choice in inner if isinstance(choice, str)]
    return [choice for part in inner for choice in _choices_of(part)]


def _rank(kind: Any) -> int:
    """The order in which kinds are tried on a text: whatever else fits, text fits too."""
    order = [NoneType, bool, int, float, dict]
    if kind in order:
        return order.index(kind)
    return len(order) + (kind is str)
