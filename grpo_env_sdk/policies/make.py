"""A policy from the value of `--model`."""

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from grpo_env_sdk.envs.tokenizer import TokenizerOf
from grpo_env_sdk.errors import UsageError, did_you_mean
from grpo_env_sdk.isolation.values.json_values import short_repr
from grpo_env_sdk.policies.endpoint import KEY_VARIABLE
from grpo_env_sdk.policies.given_policy import policy_of
from grpo_env_sdk.policies.live_model import live_model_of
from grpo_env_sdk.policies.policy import Policy
from grpo_env_sdk.registry.plugins import call_each_by_name, plugin_manager
from grpo_env_sdk.runs.reading import RunError, open_run
from grpo_env_sdk.types import STAND_IN

TRAINER_PLUGIN = "grpo-env-trl"
_OF_TRAINER = ("vllm",)
"""The prefixes that it knows, of models that scorers cannot use."""
_WHOLE = ("gold", "random", "echo")
_EXAMPLES = {"scripted": "scripted:answers.jsonl", "replay": "replay:runs/RUN", "openai": "openai:NAME"}


@dataclass(frozen=True, slots=True)
class PolicySpec:
    """A policy by name, as `--model` gives it, with the address of its server."""

    model: str
    base_url: str | None = None
    concurrency: int = 64
    send_key: bool = True
    """Whether the server gets the key: not where only a foreign run names it."""
    key_variable: str = KEY_VARIABLE
    """The environment variable with the key."""


def user_spec(model: str | None, base_url: str | None, send_key: bool = True) -> PolicySpec | None:
    """The user model that a command names; without a name it is that of the class, at another address."""
    return PolicySpec(model or "", base_url, send_key=send_key) if model or base_url else None


def make_policy(spec: str | PolicySpec, base_url: str | None = None) -> Policy:
    """The policy for `gold`, `random`, `echo`, `scripted:FILE`, `replay:RUN`, `openai:NAME`, or a plugin's.

    `base_url` is the server of an `openai:` policy, such as `http://localhost:8000/v1`.
    """
    spec = PolicySpec(spec) if isinstance(spec, str) else spec
    spec = spec if base_url is None else replace(spec, base_url=base_url)
    prefix, colon, rest = spec.model.partition(":")
    if spec.model in _WHOLE:
        return _builtin(prefix, "", spec)
    if prefix in _EXAMPLES:
        if not rest:
            lacks = "has nothing after the colon" if colon else "needs a colon and more"
            raise UsageError(f"--model {spec.model} {lacks}.", f"Write {_EXAMPLES[prefix]}.")
        return _builtin(prefix, rest, spec)
    asked = call_each_by_name("grpo_env_make_policy", spec.model, lambda name: {"spec": replace(spec, model=name)})
    for plugin, found in asked:
        if found is not None:
            try:
                return policy_of(found)
            except UsageError as exc:
                said = f"The plugin {plugin} returned {short_repr(found)} for --model {spec.model}."
                raise UsageError(said, exc.hint) from exc
    trains = _trainer_is_installed()
    hint = did_you_mean(spec.model, _WHOLE) or did_you_mean(prefix, [*_EXAMPLES, *_OF_TRAINER] if trains else _EXAMPLES)
    ways = "For a model behind a server use openai:NAME with --base-url"
    if not trains:
        ways += f"; for one from a hub or a folder, pip install {TRAINER_PLUGIN}"
    raise UsageError(f"No policy named {spec.model!r}.", f"{hint} {ways}.".strip())


def tokenizer_for(policy: str | Policy) -> Any:
    """What builds the rows for a policy: the tokenizer of a model in this process, that of a run's own training."""
    if not isinstance(policy, str):
        live = live_model_of(policy)
        return live.tokenizer if live else None
    if _is_ours(policy):
        return None
    with suppress(RunError):
        if open_run(policy).manifest.get("tokenizer") in (None, STAND_IN):  # as the demo model was trained
            return None
    return TokenizerOf(policy, optional=True)


def has_live_model(name: str) -> bool:
    """Whether scorers may use the model of a policy of this name: one that is loaded into this process."""
    return not _is_ours(name) and name.partition(":")[0] not in _OF_TRAINER


def _is_ours(name: str) -> bool:
    prefix, colon, _ = name.partition(":")
    return name in _WHOLE or (bool(colon) and prefix in _EXAMPLES)


def _trainer_is_installed() -> bool:
    """Whether the trainer plugin, which loads models, is installed."""
    hooks = plugin_manager().hook.grpo_env_make_policy.get_hookimpls()
    return any(one.plugin_name.startswith(f"{TRAINER_PLUGIN}:") for one in hooks)


def _builtin(name: str, rest: str, spec: PolicySpec) -> Policy:
    """A policy of this package, whose module is imported only now."""
    if name == "random":
        from grpo_env_sdk.policies.random_policy import RandomPolicy

        return RandomPolicy()
    if name == "openai":
        from grpo_env_sdk.policies.openai_policy import OpenAIPolicy

        return OpenAIPolicy(
            rest, spec.base_url, concurrency=spec.concurrency, key_variable=spec.key_variable, send_key=spec.send_key
        )
    from grpo_env_sdk.policies import builtin

    if name == "replay":
        run = open_run(rest)
        return builtin.ReplayPolicy(f"replay:{rest}", run.episodes(), run)
    if name == "scripted":
        return builtin.ScriptedPolicy(rest)
    return builtin.GoldPolicy() if name == "gold" else builtin.EchoPolicy()
