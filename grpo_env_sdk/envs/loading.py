"""Create an environment, validate it, and describe it: the one place that does."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from grpo_env_sdk.envs.author_reads import read_within
from grpo_env_sdk.envs.config import check_config, check_config_type
from grpo_env_sdk.envs.description import EnvDescription
from grpo_env_sdk.envs.episode_books import books_of
from grpo_env_sdk.envs.loaded_env import LoadedEnv, can_be_copied
from grpo_env_sdk.envs.origin import Origin
from grpo_env_sdk.envs.protocol import AnyEnvironment, check_contract
from grpo_env_sdk.envs.source_hash import source_hash
from grpo_env_sdk.envs.tokenizer import opened
from grpo_env_sdk.envs.traits import toolbox_of, traits_of
from grpo_env_sdk.errors import ConfigError, ContractError, EnvironmentFailedError, GrpoEnvError, UsageError
from grpo_env_sdk.isolation.author_code.arguments import suggesting_names
from grpo_env_sdk.isolation.calls.deadline import call_within
from grpo_env_sdk.isolation.calls.tracebacks import describe_error, name_of
from grpo_env_sdk.isolation.values.env_values import resolved
from grpo_env_sdk.isolation.values.json_values import short_repr
from grpo_env_sdk.registry.lookup import load_class, spec
from grpo_env_sdk.rewards.scorer import Scorer
from grpo_env_sdk.types import EnvSpec


@suggesting_names
def make(
    env: str | EnvSpec | type, /, *, rewards: Sequence[Any] = (), tokenizer: Any = None, **config: Any
) -> AnyEnvironment:
    """Create an environment by name, spec or class, with `config` for its constructor; `rewards` are added to its own.

    `tokenizer`, or the name of its model, builds the rows that `reset` draws from.

    ```python
    env = make("hotel-v1", difficulty="easy")
    observation, info = env.reset(seed=1)
    ```
    """
    if not isinstance(env, str | EnvSpec | type):
        what = f"make creates an environment from its name or class, and got {short_repr(env)}."
        raise UsageError(what, "An instance can be used as it is.")
    found, cls = _found(env, config)
    made: AnyEnvironment = _construct(found, cls, rewards, None)
    if tokenizer is not None and (books := books_of(made)):
        books.tokenizer = opened(tokenizer)
    return made


@suggesting_names
def load(
    env: Any,
    config: dict[str, Any] | None = None,
    *,
    rewards: Sequence[Any] = (),
    tokenizer: Any = None,
    build_timeout: float | None = None,
    user: Any = None,
) -> LoadedEnv:
    """Load an environment by name, spec, class or instance, and validate it."""
    check_config_type(config)
    if not isinstance(env, str | EnvSpec | type):
        return with_user(_adopt(env, config, rewards, tokenizer, build_timeout), user)
    found, cls = _found(env, config or {})
    create = partial(_construct, found, cls, rewards, build_timeout)
    loaded = _described(found, create(), tokenizer, build_timeout, create)
    loaded.origin = Origin(cls, rewards)
    return with_user(loaded, user)


def with_user(loaded: LoadedEnv, user: Any) -> LoadedEnv:
    """The environment with another model as its user, where one is named."""
    if user is None:
        return loaded
    if loaded.traits.user != "model":
        raise UsageError(f"{loaded.spec.id} has no ModelUser, so there is no user for --user-model.", "Leave it out.")
    return loaded.with_settings(user_model=user)


def _adopt(env: Any, config: Any, rewards: Sequence[Any], tokenizer: Any, build_timeout: float | None) -> LoadedEnv:
    """An instance that the caller created; config and rewards cannot be added to it."""
    if config or rewards:
        raise ConfigError(
            f"{name_of(env.env if isinstance(env, LoadedEnv) else env)} is created already, "
            f"so it takes no {'config' if config else 'rewards'}.",
            "Give the class or its name instead.",
        )
    if isinstance(env, LoadedEnv):
        if env.tokenizer is None and not env._built:
            env.tokenizer = tokenizer
        return env
    found = read_within(None, "an environment", lambda: _spec_of(type(env)))
    read_within(build_timeout, found.id, lambda: check_contract(type(env)))
    return _described(found, env, tokenizer, build_timeout)


def _described(
    found: EnvSpec, made: Any, tokenizer: Any, build_timeout: float | None, create: Callable[[], Any] | None = None
) -> LoadedEnv:
    description = read_within(build_timeout, found.id, lambda: _description_of(found, made))
    return LoadedEnv(description, made, tokenizer, build_timeout, create)


def _description_of(found: EnvSpec, made: Any) -> EnvDescription:
    traits = traits_of(made)
    if traits.instances == "copied" and not can_be_copied(made):
        traits = replace(traits, instances="shared")
    described = replace(found, kind=traits.kind, source_hash=source_hash(type(made)))
    tools = [] if traits.tools_of_rows else toolbox_of(made).schemas
    return EnvDescription(described, traits, tools, Scorer(made).rule, name_of(made))


def _spec_of(cls: type) -> EnvSpec:
    return EnvSpec(name_of(cls), name_of(cls))


def _found(env: str | EnvSpec | type, config: dict[str, Any]) -> tuple[EnvSpec, Any]:
    """The spec of an environment with this config, and what creates it."""
    found = _spec_of(env) if isinstance(env, type) else spec(env) if isinstance(env, str) else env
    found = found.with_config(config) if config else found
    return found, env if isinstance(env, type) else load_class(found)


def _construct(env: EnvSpec, cls: Any, rewards: Sequence[Any], timeout: float | None) -> Any:
    config = resolved(env.config)
    read_within(timeout, env.id, lambda: _check_class(env, cls, config))
    try:
        made = call_within(timeout, f"The constructor of {env.id}", cls, **config)
    except GrpoEnvError:
        raise
    except (Exception, SystemExit) as exc:
        raise EnvironmentFailedError(
            f"The constructor of {env.id} raised {describe_error(exc)}.",
            "Fix it there, or pass another config.",
        ) from exc
    if made is None:
        raise ContractError(f"{env.entry_point} returned nothing.", "Return the environment.")
    read_within(timeout, env.id, lambda: _check_made(made, not isinstance(cls, type), rewards))
    return made


def _check_class(env: EnvSpec, cls: Any, config: dict[str, Any]) -> None:
    if not callable(cls):
        raise ContractError(f"{env.entry_point} is {cls!r:.80}, not a class.", "Name a class or a function.")
    if isinstance(cls, type):
        check_contract(cls)
    check_config(env.id, cls, config)


def _check_made(made: Any, by_function: bool, rewards: Sequence[Any]) -> None:
    if by_function:
        check_contract(type(made))
    if rewards:
        made.rewards = [*(getattr(made, "rewards", None) or ()), *rewards]
    Scorer(made)  # two rewards of one name, or a scorer beside rewards, are reported now
