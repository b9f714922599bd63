"""The config of a reasoning-gym dataset: its own parameters as JSON values, and the levels of its curriculum."""

import dataclasses
from collections.abc import Mapping
from typing import Any, get_type_hints

from grpo_env_sdk.ext import ConfigError, convert, did_you_mean

OURS = ("seed", "size")
"""Parameters that every dataset has and the environment sets."""


def own_parameters(config_class: Any) -> dict[str, tuple[Any, Any]]:
    """The type and the default of each of the dataset's own parameters."""
    hints = get_type_hints(config_class)
    defaults = config_class()
    return {
        field.name: (hints[field.name], getattr(defaults, field.name))
        for field in dataclasses.fields(config_class)
        if field.name not in OURS
    }


def make_config(
    name: str, level: int | None, levels: Mapping[str, int] | None, given: Mapping[str, Any], **ours: int
) -> Any:
    """The dataset's config: the given parameters override the curriculum's levels, which override the defaults."""
    from reasoning_gym.factory import DATASETS

    config_class = DATASETS[name][1]
    hints = get_type_hints(config_class)
    try:
        made = {key: convert(hints[key], value) for key, value in given.items()}
        config = _at_levels(name, level, levels) or config_class()
        config = dataclasses.replace(config, **made, **ours)
        if hasattr(config, "validate"):
            config.validate()
    except (AssertionError, TypeError, ValueError) as exc:
        if isinstance(exc, ConfigError):
            raise
        raise ConfigError(
            f"{name} of reasoning-gym does not take this config: {exc or type(exc).__name__}.",
            f"`grpo-env info rg/{name}-v1` shows its parameters.",
        ) from exc
    return config


def _at_levels(name: str, level: int | None, levels: Mapping[str, int] | None) -> Any:
    """The config of the curriculum at these levels, or None without levels."""
    from reasoning_gym.factory import create_curriculum, has_curriculum

    if level is None and not levels:
        return None
    if not has_curriculum(name):
        raise ConfigError(f"{name} of reasoning-gym has no curriculum.", "Leave level and levels out.")
    curriculum = create_curriculum(name)
    attributes = {key: len(attribute.levels) - 1 for key, attribute in curriculum.attributes.items()}
    if level is not None:
        _check_level("level", level, max(attributes.values(), default=0))
        curriculum.set_global_level(level)
    for key, own in (levels or {}).items():
        if key not in attributes:
            told = ", ".join(f"{known} (0 to {most})" for known, most in attributes.items())
            hint = f"{did_you_mean(key, attributes)} It has: {told}.".strip()
            raise ConfigError(f"The curriculum of {name} has no {key!r}.", hint)
        _check_level(f"levels[{key!r}]", own, attributes[key])
        curriculum.set_attr_level(key, own)
    return curriculum.generate_configuration()


def _check_level(what: str, level: int, most: int) -> None:
    if not 0 <= level <= most:
        raise ConfigError(f"{what} is {level}.", f"Give a level from 0 to {most}.")
