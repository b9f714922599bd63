"""The settings of vLLM servers: `--vllm-server-url` and `--vllm-server-gpus`, as the fields of TRL that they imply."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from grpo_env_sdk.ext import UsageError
from grpo_env_trl.settings.layers import SettingValue

URL = "vllm_server_base_url"
"""TRL's field, which holds one address."""


def with_servers(asked: dict[str, SettingValue]) -> dict[str, SettingValue]:
    """The settings with TRL's own for its server mode; an error where they contradict what is asked otherwise."""
    for name in ("vllm_server_url", "vllm_server_gpus"):
        if name in asked and asked[name].value:
            asked = _with_server(asked, asked[name])
    if "vllm_server_gpus" in asked and (said := asked.get(URL)):
        raise UsageError(
            f"{asked['vllm_server_gpus'].written} starts servers, and {said.written} names one that runs.",
            "Remove one of them.",
        )
    return asked


def base_url(written: str) -> str:
    """The address of a server without the `/v1` that other clients take; an error where it is none."""
    found = written.strip().rstrip("/").removesuffix("/v1").rstrip("/")
    try:
        parts = urlsplit(found)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise UsageError(
            f"{written!r:.100} is not the http address of a vLLM server.",
            "Like --vllm-server-url http://127.0.0.1:8000; the environment comes before the flags.",
        )
    return found


def _with_server(asked: dict[str, SettingValue], said: SettingValue) -> dict[str, SettingValue]:
    implied: dict[str, Any] = {"use_vllm": True, "vllm_mode": "server"}
    urls: list[str] = []
    if said.setting == "vllm_server_url":
        urls = list(dict.fromkeys(base_url(url) for word in said.value for url in word.split(",") if url.strip()))
        implied[URL] = urls[0]
    others = {name: asked[name] for name, value in implied.items() if name in asked and _differs(asked[name], value)}
    for other in others.values():
        if other.source == said.source:
            raise UsageError(
                f"{said.written} generates with a vLLM server, but {other.written} is {other.value}.",
                "Remove one of them.",
            )
    if said.source != "flag" and any(other.source == "flag" for other in others.values()):
        return _without(asked, said.setting)
    made = {name: SettingValue(name, value, said.written, said.source, "grpo") for name, value in implied.items()}
    if said.setting == "vllm_server_url":
        asked = {**asked, said.setting: replace(said, value=tuple(urls))}
        asked = asked if len(urls) > 1 else _without(asked, said.setting)
    return {**asked, **made}


def _without(asked: Mapping[str, SettingValue], name: str) -> dict[str, SettingValue]:
    return {key: value for key, value in asked.items() if key != name}


def _differs(said: SettingValue, value: Any) -> bool:
    if said.source == "dialect" or said.value is None:
        return False
    return bool((base_url(str(said.value)) if said.setting == URL else said.value) != value)
