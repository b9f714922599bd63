"""The whole config that a run uses, as one flat mapping and as YAML that `--config` reads back."""

import dataclasses
from collections.abc import Mapping
from enum import Enum
from typing import Any

from grpo_env_trl.settings.train_settings import TrainSettings

_OF_THE_MOMENT = {"grpo", "model_config", "sources", "resume", "dry_run", "print_config", "quiet", "json"}
"""Not settings of a run: how the command was to behave this once, and what is merged in by name."""


def resolved(settings: TrainSettings, defaults: Mapping[str, Any]) -> dict[str, Any]:
    """Every setting by the name that a config file gives it: what somebody set, over `defaults` for the others."""
    own = {
        field.name: getattr(settings, field.name)
        for field in dataclasses.fields(settings)
        if field.name not in _OF_THE_MOMENT
    }
    said = {name: value for name, value in own.items() if value not in (None, {})}
    whole = {**said, **defaults, **said, **settings.grpo, **settings.model_config}
    return {name: _plain(value) for name, value in whole.items()}


def config_text(config: Mapping[str, Any], sources: Mapping[str, str]) -> str:
    """YAML with one setting a line, and beside each that somebody set where that was."""
    import yaml

    told = []
    for name, value in config.items():
        inline = isinstance(value, dict | list)
        text = yaml.safe_dump(value if inline else {name: value}, default_flow_style=inline, width=10_000).strip()
        source = f"  # {sources[name]}" if name in sources else ""
        told.append(f"{name}: {text}{source}\n" if inline else f"{text}{source}\n")
    return "".join(told)


def _plain(value: Any) -> Any:
    """The value as YAML can hold it."""
    if isinstance(value, Enum):
        return value.value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        known = {field.name: getattr(value, field.name) for field in dataclasses.fields(value) if field.init}
        return {name: _plain(item) for name, item in known.items() if item is not None}
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value
