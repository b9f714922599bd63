"""From a reference to the reward function that it names."""

import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from grpo_env_sdk.ext import ContractError, UsageError, describe_error, did_you_mean, import_by_path
from grpo_env_trl import trl_facts
from grpo_env_trl.outside_rewards.reference import RewardReference

_READY = "grpo_env_sdk.rewards"
_NOT_READY = ("metric", "reward", "from_")
_VARIABLE = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def load_function(reference: RewardReference, longest: Callable[[], int]) -> Any:
    """The reward function of a reference; whatever a command, file, run or program names is imported here only.

    Args:
        longest: The most tokens of a completion: TRL's functions for length use it where they are given no other.
    """
    whose = f"The reward function {reference.target!r}"
    found, made = _named(reference.target, whose)
    if reference.called or made or isinstance(found, type):
        found = _made(found, reference, longest, whose)
    found = getattr(found, "__grpo_reward__", found)
    if not callable(found):
        raise ContractError(f"{whose} is {found!r:.80}, which cannot be called.", "Name a function, or a class.")
    return found


def _named(target: str, whose: str) -> tuple[Any, bool]:
    """What a target names, and whether that makes the reward, as those of TRL named `get_...` and all of ours do."""
    ready, known = _ready(), trl_facts.reward_functions()
    if ":" in target.rstrip(":"):
        _check_module(target, whose)
        found = import_by_path(target, whose)
    elif target in ready or target in known:
        found = ready.get(target) or known[target]
    elif "." in target:  # as TRL's own command takes them
        module, _, name = target.rpartition(".")
        found = import_by_path(f"{module}:{name}", whose)
    else:
        raise _unknown(target.rstrip(":"), [*known, *ready])
    makers = [*ready.values(), *(function for name, function in known.items() if name.startswith("get_"))]
    return found, any(found is maker for maker in makers)


def _check_module(target: str, whose: str) -> None:
    module = target.partition(":")[0]
    if module.endswith(".py") or "/" in module:
        path = module.removesuffix(".py").strip("./").replace("/", ".")
        raise UsageError(f"{whose} is the path of a file.", f"Name the module: {path}:{target.partition(':')[2]}")


def _ready() -> dict[str, Any]:
    """The SDK's own ready rewards by name."""
    module = import_by_path(_READY, "The SDK")
    return {
        name: getattr(module, name) for name in module.__all__ if name.islower() and not name.startswith(_NOT_READY)
    }


def _unknown(target: str, known: list[str]) -> UsageError:
    if Path(f"{target}.py").is_file():
        return UsageError(f"{target!r} is a module, not a reward function.", f"Name one in it: {target}:FUNCTION")
    hint = did_you_mean(target, known) or f"There are {', '.join(sorted(known))}."
    return UsageError(f"No reward function named {target!r}.", f"{hint} Your own is written module:function.")


def _made(factory: Any, reference: RewardReference, longest: Callable[[], int], whose: str) -> Any:
    """What a factory or class returns for the settings of a reference."""
    args, named = reference.settings()
    try:
        parameters = inspect.signature(factory).parameters
    except (TypeError, ValueError):  # of a class written in C
        parameters = MappingProxyType({})
    _check_known(named, parameters, whose)
    missing = _missing(parameters, len(args), named)
    if missing and _from_trl(factory):
        named |= {name: value for name, value in _for_length(longest()).items() if name in missing}
    if left := [name for name in missing if name not in named]:
        given = reference.text.removesuffix(")").partition("(")[2]
        example = ",".join([*([given] if given else []), *(f"{name}=..." for name in left)])
        raise UsageError(f"{whose} needs {', '.join(left)}.", f"Write {reference.target}({example}).")
    try:
        return factory(*args, **named)
    except Exception as exc:  # of whoever wrote it
        raise UsageError(f"{whose} cannot be made: {describe_error(exc)}.", "Correct its settings.") from exc


def _check_known(named: Mapping[str, Any], parameters: Mapping[str, Any], whose: str) -> None:
    """Raise for a setting that a factory does not have."""
    if not parameters or any(each.kind is each.VAR_KEYWORD for each in parameters.values()):
        return
    for name in named:
        if name not in parameters:
            hint = did_you_mean(name, parameters) or f"It has {', '.join(parameters)}."
            raise UsageError(f"{whose} has no setting {name!r}.", hint)


def _missing(parameters: Mapping[str, Any], given: int, named: Mapping[str, Any]) -> list[str]:
    """The required settings that are not given."""
    rest = [*parameters.values()][given:]
    needed = [each.name for each in rest if each.default is each.empty and each.kind not in _VARIABLE]
    return [name for name in needed if name not in named]


def _from_trl(thing: Any) -> bool:
    return str(getattr(thing, "__module__", "")).startswith(trl_facts.REWARDS)


def _for_length(longest: int) -> dict[str, int]:
    """The settings of TRL's functions for length; the last fifth is punished, as in TRL's own command."""
    return {"max_completion_len": longest, "max_len": longest, "soft_punish_cache": max(1, longest // 5)}
