"""A run that somebody else wrote, or changed: what it names is imported only where the command line approves of it."""

import re
import shlex
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from grpo_env_sdk.errors import AmbiguousNameError, GrpoEnvError
from grpo_env_sdk.isolation.values.env_values import references_in
from grpo_env_sdk.registry.lookup import load_class, spec, specs
from grpo_env_sdk.runs.reading import Run, RunError
from grpo_env_sdk.types import STAND_IN

ORIGIN = "was changed since it was written or written elsewhere"
_ANSWERS_WITHOUT_FILES = re.compile(r"gold|random|echo|openai:.*", re.DOTALL)


def check_origin(
    run: Run, again: str, *, typed: Collection[str] = (), trust: bool = False, plays: bool = False,
    check_more: Callable[[], None] = lambda: None,
) -> None:  # fmt: skip
    """Raise where a foreign run would have code imported that is neither installed by an id nor typed again.

    Args:
        again: The command that names the environment again, with `{}` in its place.
        typed: What the command line names: the environment, reward functions, the model.
        plays: Whether the run's policy will answer.
        check_more: Raises what else is refused, before anything is imported.
    """
    if trust or run.own:
        return
    names = run.environments
    for env in names:
        if env not in typed and not is_installed(env):
            every = " ".join(shlex.quote(name) for name in names)
            again = f"name it again: {again.format(every)}" if every.isprintable() else ""
            refuse_foreign(run, f"its environment {env!r:.100} would be imported", again)
    if (what := next(_more_asked(run.manifest, plays, typed), None)) is not None:
        refuse_foreign(run, what)
    check_more()
    for env in names:
        if env in typed and not is_installed(env):
            cls = load_class(spec(env))  # which the command line approves of
            if not isinstance(cls, type) or not hasattr(cls, "build_dataset"):
                refuse_foreign(run, f"its environment {env!r:.100} is a function, which its config would be given to")


def refuse_foreign(run: Run, what: str, again: str = "") -> None:
    """Raise the error for something that a foreign run asks for; `again` is how to approve of it alone."""
    hint = f"If you trust it, {again}, or add --trust." if again else "If you trust it, add --trust."
    raise RunError(f"{str(run.path)!r} {ORIGIN}, and {what}.", hint)


def is_installed(name: str) -> bool:
    """Whether a name is the id of an environment that is installed or registered, and no import path.

    It is also where several packages have the id: loading it raises then.
    """
    if not any(name.rpartition(":")[2] == item.id for item in specs()):
        return False
    try:
        found = spec(name)
    except AmbiguousNameError:
        return True
    except GrpoEnvError:
        return False
    return found.id != found.entry_point


def _more_asked(manifest: Mapping[str, Any], plays: bool, typed: Collection[str]) -> Iterator[str]:
    """What else than the environment a manifest names that is code, a secret or a file."""
    for reference in references_in(manifest.get("config", {})):
        yield f"its config asks for the value of {reference!r:.100}"
    for name in _below("reward_funcs", manifest):
        if name not in typed and name.partition("=")[0] not in typed and set(name) & set(".:/"):
            yield f"its reward function {name!r:.100} would be imported"
    if any(value is not False for value in _values("trust_remote_code", manifest)):
        yield "it trusts a model's own code (trust_remote_code)"
    tokenizer = manifest.get("tokenizer")
    if tokenizer is not None and tokenizer not in typed and tokenizer != STAND_IN:
        yield f"its tokenizer {tokenizer!r:.100} would be loaded"
    policy = manifest.get("policy", "")
    if plays and policy not in typed and not _ANSWERS_WITHOUT_FILES.fullmatch(policy):
        yield f"its policy {policy!r:.100} would be loaded (--model approves of it alone)"
    options = next(_values("env_pool_options", manifest), None)
    if options and not set(map(str, options.values() if isinstance(options, dict) else [options])) <= set(typed):
        yield f"its episodes would run where {options!r:.100} says"
    for name, flag in (("user_model", "--user-model"), ("user_base_url", "--user-base-url")):
        if plays and any(value is not None and value not in typed for value in _values(name, manifest)):
            yield f"its {name} {manifest.get(name)!r:.100} would be asked ({flag} approves of it alone)"


def _below(key: str, value: Any) -> Iterator[str]:
    """Every text in the values of a key, however deep."""
    for found in _values(key, value):
        yield from _texts(found)


def _values(key: str, value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        for name, item in value.items():
            if name == key:
                yield item
            yield from _values(key, item)
    elif isinstance(value, list):
        for item in value:
            yield from _values(key, item)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for item in [*value.keys(), *value.values()] if isinstance(value, dict) else value:
            yield from _texts(item)
