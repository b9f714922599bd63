"""The policy of a model by name, which all environments of a command share."""

import os
from dataclasses import replace
from weakref import WeakValueDictionary

from grpo_env_sdk.ext import PolicySpec, UsageError
from grpo_env_trl.inference.local_policy import LocalPolicy
from grpo_env_trl.inference.vllm_name import is_for_vllm, model_name
from grpo_env_trl.models.source import find_model

_open: WeakValueDictionary[PolicySpec, LocalPolicy] = WeakValueDictionary()
"""Policies in use."""


def open_policy(spec: PolicySpec) -> LocalPolicy:
    """The policy of a hub id, folder or run; a run's model answers with the caps and sampling of its training."""
    name = model_name(spec.model)
    if spec.base_url is not None:
        raise UsageError(
            f"--base-url is for a model behind a server, and {spec.model!r} would be loaded here.",
            f"Write --model openai:{name}.",
        )
    key = spec
    if os.path.exists(name):  # a relative path may mean another folder
        key = replace(spec, model=spec.model.replace(name, os.path.realpath(name), 1))
    if key in _open:
        return _open[key]
    policy = _opened(spec)
    _open[key] = policy
    return policy


def _opened(spec: PolicySpec) -> LocalPolicy:
    if not is_for_vllm(spec.model):
        source = find_model(spec.model)  # torch takes seconds to import, so what is no model is refused before
        from grpo_env_trl.inference.policy import transformers_policy

        return transformers_policy(source, spec.concurrency)
    from grpo_env_trl.inference.vllm_policy import vllm_policy

    return vllm_policy(spec.model, spec.concurrency)
