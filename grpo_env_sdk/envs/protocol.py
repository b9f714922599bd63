"""The contract of an environment: what its class must have, and what it may add."""

from collections.abc import Callable
from typing import Any, Protocol, runtime_checkable

from grpo_env_sdk.errors import ContractError
from grpo_env_sdk.isolation.tracebacks import defined_at, name_of


@runtime_checkable
class Environment(Protocol):
    """Any class with `build_dataset` and `score_episode`; `get_tools` is optional.

    ```python
    class Countdown:
        def build_dataset(self, tokenizer):
            return [{"prompt": f"Count down from {n} to 1.", "start": n} for n in range(2, 6)]

        def score_episode(self, model, tokenizer, completion, start):
            wanted = [str(n) for n in range(start, 0, -1)]
            return float(re.findall(r"\\d+", completion) == wanted)

        def get_tools(self):  # OpenAI function schemas; may be left out
            return []
    ```
    """

    def build_dataset(self, tokenizer: Any) -> Any:
        """A `datasets.Dataset`, a list of dicts or a generator of them, with a `prompt` column."""

    @property
    def score_episode(self) -> Callable[..., Any]:
        """Called as `(model, tokenizer, completion, **columns)`; gives a float, None, or an awaitable."""


class AnyEnvironment(Environment, Protocol):
    """An environment whose class is unknown to type checkers: other attributes than the contract have type Any."""

    def __getattr__(self, name: str) -> Any: ...


def check_contract(cls: Any) -> None:
    """Raise a `ContractError` if `cls` cannot be an environment, naming what it lacks."""
    missing = [] if callable(getattr(cls, "build_dataset", None)) else ["build_dataset"]
    has_rewards = bool(getattr(cls, "rewards", None)) or any(
        hasattr(getattr(value, "__func__", value), "__grpo_reward__")
        for base in cls.__mro__
        for value in vars(base).values()
    )
    if not callable(getattr(cls, "score_episode", None)) and not has_rewards:
        missing.append("score_episode")
    if not missing:
        return
    place = defined_at(cls)
    raise ContractError(
        f"{name_of(cls)} is no environment: it has no {' and no '.join(missing)}{place and f' ({place})'}.",
        "An environment is a class with build_dataset(tokenizer) and score_episode(model, tokenizer, completion).",
    )


def tools_of(env: Any) -> list[dict[str, Any]]:
    """The schemas that the environment offers, or an empty list if it has no `get_tools`."""
    get_tools = getattr(env, "get_tools", None)
    if get_tools is None:
        return []
    tools = get_tools()
    if tools is None:
        return []
    if not isinstance(tools, list | tuple):
        raise ContractError(
            f"{name_of(env)}.get_tools returned {type(tools).__name__} ({defined_at(get_tools)}).",
            "Return a list of OpenAI function schemas, or an empty list.",
        )
    return list(tools)
