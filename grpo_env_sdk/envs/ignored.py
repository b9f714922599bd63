"""What an author gives a class and no run would use: refused where it can be nothing else, otherwise a note."""

import inspect
from collections.abc import Iterator
from typing import Any

from grpo_env_sdk.envs.episode_books import books_of
from grpo_env_sdk.envs.foreign_attributes import foreign_attributes
from grpo_env_sdk.envs.misspelt_names import misspelt_names
from grpo_env_sdk.envs.model_user import ModelUser
from grpo_env_sdk.envs.signatures import can_solve, shown_parameters
from grpo_env_sdk.envs.single_turn import SingleTurnEnv
from grpo_env_sdk.envs.unmarked_tools import unmarked_tools
from grpo_env_sdk.envs.user_turns import user_kind
from grpo_env_sdk.errors import ContractError
from grpo_env_sdk.isolation.author_code.arguments import can_be_called, takes
from grpo_env_sdk.isolation.author_code.author_classes import by_authors, on_class
from grpo_env_sdk.isolation.author_code.code_names import names_in
from grpo_env_sdk.isolation.calls.tracebacks import defined_at, name_of
from grpo_env_sdk.isolation.values.json_values import short_repr
from grpo_env_sdk.rewards.scorer import takes_steps
from grpo_env_sdk.tools.tool import is_tool
from grpo_env_sdk.views import ReadyView

_HAS_TURNS = "Make the class a ToolEnv or a MultiTurnEnv, or leave it out."


def check_nothing_is_ignored(env: Any) -> None:
    """Raise a `ContractError` for a `user` or a `view` of the class that would have no effect."""
    user, view = (on_class(type(env), name) for name in ("user", "view"))
    has_turns, asks_user = books_of(env) is not None, _asks_user(env)
    if not asks_user and any(isinstance(one, ModelUser) for one in (user, getattr(env, "__dict__", {}).get("user"))):
        raise ContractError(
            f"{name_of(env)}.user is a ModelUser, which only a ToolEnv without a step of its own asks.",
            "Make the class such a ToolEnv, or give the user's words in step.",
        )
    if asks_user and not (user is None or callable(user) or isinstance(user, ModelUser) or _is_descriptor(user)):
        raise ContractError(
            f"{name_of(env)}.user is {short_repr(user)}, which nobody can ask.",
            "Write a method user(self, messages), or user = ModelUser(policy, prompt); rename another attribute.",
        )
    if asks_user and user_kind(env) == "method" and callable(env.user) and not can_be_called(env.user, []):
        raise ContractError(
            f"{name_of(env)}.user takes {inspect.signature(env.user)} ({defined_at(user)}).",
            "It is called as user(messages).",
        )
    if has_turns and isinstance(view, list | tuple | set) and any(map(callable, view)):
        raise ContractError(
            f"{name_of(env)}.view is {short_repr(view)}, not one view.",
            "Join them: view = chain(...), from grpo_env_sdk.views.",
        )
    if not has_turns and isinstance(view, ReadyView):
        raise ContractError(f"{name_of(env)} has a view, and no turns for it.", _HAS_TURNS)


def check_nothing_came_late(env: Any, built: Any) -> None:
    """Raise where `setup` gave an episode a user or a view that nobody would ask, as its class has none."""
    own = getattr(env, "__dict__", {})
    user, kind = own.get("user"), user_kind(built)
    if (kind == "none" and isinstance(user, ModelUser)) or (kind == "model" and not isinstance(env.user, ModelUser)):
        has = "no ModelUser" if kind == "none" else "a ModelUser"
        raise ContractError(
            f"{name_of(env)} sets self.user to {short_repr(user)} in an episode, and its class has {has}.",
            "Write user = ModelUser(policy, prompt) in the class; setup may set another ModelUser.",
        )
    if kind == "method" and not callable(env.user):
        raise ContractError(
            f"{name_of(env)} sets self.user to {short_repr(user)}, which hides its method user(messages).",
            "Give the attribute another name.",
        )
    if isinstance(own.get("view"), ReadyView) and not callable(getattr(built, "view", None)):
        raise ContractError(
            f"{name_of(env)} sets self.view in an episode, and its class has no view.",
            "Write view(self, messages) in the class, which may call a ready view.",
        )


def never_called(env: Any) -> Iterator[tuple[str, str]]:
    """Each method that nothing calls, such as a `view`, tools without a mark, a `solve` without row; and what to do."""
    for tool in unmarked_tools(env):
        what = f"{name_of(env)}.{tool.__name__} looks like a tool, and is none ({defined_at(tool)})."
        yield what, "Mark it with @tool; the name of a helper begins with an underscore."
    if callable(solve := getattr(env, "solve", None)) and not can_solve(env):
        place = defined_at(solve)
        what = f"{name_of(env)}.solve takes {shown_parameters(solve)}{place and f' ({place})'}, so nothing calls it."
        yield what, "A gold solution is solve(self, row); another method of this name is let be."
    yield from misspelt_names(env)
    yield from foreign_attributes(env)
    has_turns = books_of(env) is not None
    where = {
        ("user", "messages"): _asks_user(env) or _steps_as_base(env),
        ("view", "messages"): has_turns,
        ("setup", "row"): has_turns or not isinstance(env, SingleTurnEnv),
    }
    hints = {
        "user": "Only a ToolEnv without a step of its own asks it: leave step out, or call self.user(...) in step.",
        "view": f"An episode of this class has one turn. {_HAS_TURNS}",
        "setup": f"Episodes of a SingleTurnEnv keep no state. {_HAS_TURNS}",
    }
    for name, parameter in (names for names, is_called in where.items() if not is_called):
        method = getattr(type(env), name, None)
        if inspect.isroutine(method) and not is_tool(method) and takes(method, parameter) and not _named(env, name):
            place = defined_at(method)
            yield f"{name_of(env)}.{name} is never called{place and f' ({place})'}.", hints[name]


def _asks_user(env: Any) -> bool:
    """Whether a driver asks the user of this class, if it has one."""
    books = books_of(env)
    return books is not None and books.collect_tools is not None and not takes_steps(env)


def _steps_as_base(env: Any) -> bool:
    """Whether the author's `step` of a `ToolEnv` goes on to that of the base class, which asks the user."""
    books = books_of(env)
    return books is not None and books.collect_tools is not None and "super" in names_in(type(env).step)


def _is_descriptor(value: Any) -> bool:
    """Whether it computes an attribute, such as a property: code of the author's, which has its own use for it."""
    return hasattr(type(value), "__get__")


def _named(env: Any, name: str) -> bool:
    """Whether a function of the class names this attribute."""
    functions = (value for base in by_authors(type(env)) for value in vars(base).values() if callable(value))
    return any(name in names_in(function) for function in functions)
