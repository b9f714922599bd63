"""The words of a command that open an environment with the config that it has."""

import json
from collections.abc import Mapping
from typing import Any

from grpo_env_sdk import EnvSpec, specs


def config_words(spec: EnvSpec) -> list[str]:
    """`--env-config` and the config that a command needs beside the id to open the same environment; or nothing."""
    own: Mapping[str, Any] = next(
        (item.config for item in specs() if (item.id, item.distribution) == (spec.id, spec.distribution)), {}
    )
    given = {name: value for name, value in spec.config.items() if name not in own or own[name] != value}
    return ["--env-config", json.dumps(given, default=repr)] if given else []
