"""`vllm:NAME` and `vllm:NAME,tensor_parallel_size=2` after `--model`."""

import json
from contextlib import suppress
from typing import Any

from grpo_env_sdk.ext import UsageError

PREFIX = "vllm:"


def is_for_vllm(given: str) -> bool:
    """Whether vLLM is asked to sample."""
    return given.startswith(PREFIX)


def model_name(given: str) -> str:
    """The model's own name."""
    return given.removeprefix(PREFIX).partition(",")[0] if is_for_vllm(given) else given


def vllm_arguments(given: str) -> dict[str, Any]:
    """What is said of how vLLM starts, by the names of its `LLM`; a value that is no JSON is a text."""
    found: dict[str, Any] = {}
    for item in filter(None, given.partition(",")[2].split(",")):
        name, equals, value = item.partition("=")
        if not equals or not name.isidentifier():
            raise UsageError(
                f"--model {given}: {item!r} is no argument of vLLM.", f"Write {PREFIX}NAME,tensor_parallel_size=2."
            )
        found[name] = value
        with suppress(ValueError):
            found[name] = json.loads(value)
    return found
