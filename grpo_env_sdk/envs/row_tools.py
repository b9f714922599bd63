"""Tools that belong to a row: `get_tools(row)`, or a toolbox that `setup` puts into `self.toolbox`."""

from typing import Any

from grpo_env_sdk.envs.episode_books import books_of
from grpo_env_sdk.envs.protocol import takes_row
from grpo_env_sdk.errors import ContractError
from grpo_env_sdk.isolation.calls.tracebacks import name_of
from grpo_env_sdk.tools.toolbox import Toolbox
from grpo_env_sdk.types import Kind


def has_tools_of_rows(env: Any) -> bool:
    """Whether each episode has tools of its own, which are known once its row is."""
    return takes_row(env) or (books_of(env) is not None and says_runs_tools(env) is True)


def says_runs_tools(env: Any) -> bool | None:
    """What the class declares as `runs_tools`: whether calls run, or None where the SDK finds out."""
    value = getattr(env, "runs_tools", None)
    if value is not None and not isinstance(value, bool):
        raise ContractError(f"{name_of(env)}.runs_tools is {value!r:.80}.", "Make it True or False.")
    return value


def toolbox_from_setup(env: Any) -> Toolbox | None:
    """The toolbox that `setup` put into `self.toolbox`, where the class says `runs_tools = True`; else None."""
    if not says_runs_tools(env):
        return None
    found = vars(env).get("toolbox")
    if found is None and not takes_row(env) and not env.get_tools():
        raise ContractError(
            f"{name_of(env)} says runs_tools = True, and its setup gave it no tools.",
            "Set self.toolbox = Toolbox.from_functions([...]) in setup; a row without tools gets Toolbox([]).",
        )
    if found is not None and not isinstance(found, Toolbox):
        raise ContractError(
            f"{name_of(env)} has {type(found).__name__} as self.toolbox, not a Toolbox.",
            "Make one with Toolbox.from_functions, Toolbox.from_schemas or Toolbox.from_mcp.",
        )
    return found


def check_calls_have_an_end(env: Any, box: Toolbox, kind: Kind) -> None:
    """Raise where calls would end the episode although there is code for them, and the class does not say so."""
    runnable = next((tool.name for tool in box.tools.values() if tool.function is not None), None)
    if kind == "single-turn" and runnable is not None and says_runs_tools(env) is None:
        raise ContractError(
            f"{name_of(env)}.get_tools(row) offers {runnable!r}, which has a method, and the class does not say "
            "whether calls run.",
            "Add runs_tools = True to the class, or False if a call ends the episode.",
        )


def check_toolbox_is_declared(env: Any) -> None:
    """Raise where `setup` gave tools to a class that has none and does not say so: they would never be offered."""
    if isinstance(vars(env).get("toolbox"), Toolbox) and not says_runs_tools(env) and not env.get_tools():
        raise ContractError(
            f"{name_of(env)} sets self.toolbox in an episode, and its class does not say that it has tools.",
            "Add runs_tools = True to the class.",
        )
