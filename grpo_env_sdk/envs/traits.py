"""What an environment is and what its class declares, found out without running an episode."""

import inspect
import sys
from dataclasses import dataclass
from typing import Any, Literal

from grpo_env_sdk.envs.episode_books import books_of
from grpo_env_sdk.envs.ignored import check_nothing_is_ignored, never_called
from grpo_env_sdk.envs.protocol import tools_with_methods, way_from_verifiers
from grpo_env_sdk.envs.row_tools import has_tools_of_rows, says_runs_tools, toolbox_from_setup
from grpo_env_sdk.envs.shared_resource import check_opener
from grpo_env_sdk.envs.signatures import can_solve, check_signatures
from grpo_env_sdk.envs.user_turns import UserKind, user_kind
from grpo_env_sdk.errors import ContractError
from grpo_env_sdk.isolation.author_code.arguments import can_be_called, takes
from grpo_env_sdk.isolation.calls.tracebacks import defined_at, name_of
from grpo_env_sdk.rewards.reward import RESERVED, Range
from grpo_env_sdk.rewards.scorer import Scorer, takes_steps
from grpo_env_sdk.tools.tool import bound_tools, is_tool
from grpo_env_sdk.tools.toolbox import Toolbox
from grpo_env_sdk.types import Kind, Row
from grpo_env_sdk.views import ReadyView

DEFAULT_MAX_TURNS = 10


@dataclass(frozen=True, slots=True)
class Traits:
    """How episodes of an environment go, and what its class declares."""

    kind: Kind
    runs_tools: Literal["none", "methods", "call_tool"]
    instances: Literal["shared", "copied", "constructed"]
    parallel: bool
    uses_model: bool
    replayable: bool
    reward_range: Range
    max_turns: int
    solvable: bool
    isolate_globals: bool = False
    raw_prompts: bool | None = None
    """Whether prompts of text are rendered already; None where that is to be recognised."""
    max_live: int | None = None
    """The most episodes that may run at once."""
    call_seconds: float | None = None
    episode_seconds: float | None = None
    """The deadlines of a call and of an episode, where the user sets none."""
    user: UserKind = "none"
    """Who speaks for the user."""
    tools_of_rows: bool = False
    """Whether each episode has tools of its own, which its opening event carries; the description then has none."""
    has_view: bool = False
    """Whether its `view` decides what the model reads at each turn."""


def traits_of(env: Any) -> Traits:
    """The traits of an instance; contradictions in its class are a `ContractError`."""
    scorer = Scorer(env)
    check_signatures(env, scorer.by_method)
    runs_tools = _runs_tools(env)
    books = books_of(env)
    multi_turn = books is not None
    stepping = multi_turn and takes_steps(env)
    if books and not stepping and not books.collect_tools:
        raise ContractError(
            f"{name_of(env)} has no step.",
            way_from_verifiers(env) or "Write step(self, action), or make it a ToolEnv.",
        )
    if not (scorer.by_method or len(scorer.rubric) or stepping):
        raise ContractError(
            f"{name_of(env)} has no reward, so nothing would ever be scored.",
            "Mark a method with @reward, or list ready ones in `rewards`.",
        )
    check_opener(env)
    check_nothing_is_ignored(env)
    user = "none" if stepping else user_kind(env)
    talks = runs_tools != "none" or user != "none"
    kind: Kind = "multi-turn" if stepping else "tools" if talks else "single-turn"
    instances = "constructed" if multi_turn else "copied" if kind == "tools" else "shared"
    return Traits(
        kind=kind,
        runs_tools=runs_tools,
        instances=instances,  # type: ignore[arg-type]  # a chain of literals
        parallel=_parallel(env, instances),
        uses_model=_flag(env, "uses_model", False),
        replayable=_flag(env, "replayable", True),
        isolate_globals=_flag(env, "isolate_globals", False),
        reward_range=reward_range_of(env, scorer),
        max_turns=(count_of(env, "max_turns") or DEFAULT_MAX_TURNS) if kind != "single-turn" else 1,
        solvable=can_solve(env),
        user=user,
        raw_prompts=None if getattr(env, "raw_prompts", None) is None else _flag(env, "raw_prompts", False),
        max_live=count_of(env, "max_live"),
        call_seconds=seconds_of(env, "call_seconds"),
        episode_seconds=seconds_of(env, "episode_seconds"),
        tools_of_rows=has_tools_of_rows(env),
        has_view=_has_view(env),
    )


def is_multi_turn(env: Any) -> bool:
    """Whether it is a `MultiTurnEnv` or `ToolEnv`, which have a `reset` and `step` of their own."""
    return books_of(env) is not None


def toolbox_of(env: Any, row: Row | None = None) -> Toolbox:
    """The tools of an instance and its episode, each with the method that runs it; a plain class is given its row."""
    books = books_of(env)
    if books and books.collect_tools:
        return books.toolbox_for(env)
    if books and (given := toolbox_from_setup(env)):
        return given
    return Toolbox(
        tools_with_methods(env, books.row if books else row), fallback=getattr(env, "call_tool", None),
        inject=lambda name: getattr(env, name), whose=name_of(env),
    )  # fmt: skip


def notes_on(env: Any, columns: list[str]) -> list[str]:
    """Notes on an environment and its columns, to be shown once."""
    hidden = [name for name in RESERVED if name in columns]
    return [
        *(f"The column {name!r} is hidden: scorers that ask for {name!r} get the SDK's own." for name in hidden),
        *(f"{what} {hint}" for what, hint in never_called(env)),
    ]


def _runs_tools(env: Any) -> Literal["none", "methods", "call_tool"]:
    declared = says_runs_tools(env)
    if declared is not None or has_tools_of_rows(env):  # before there is a row, only the class can tell
        runs = bound_tools(env) or callable(getattr(env, "call_tool", None)) if declared is None else declared
        by_method = "call_tool" if callable(getattr(env, "call_tool", None)) else "methods"
        return by_method if runs else "none"  # type: ignore[return-value]  # a chain of literals
    box = toolbox_of(env)
    if any(tool.function is not None for tool in box.tools.values()):
        return "methods"
    return "call_tool" if box.tools and callable(getattr(env, "call_tool", None)) else "none"


def _has_view(env: Any) -> bool:
    """Whether a `MultiTurnEnv` or `ToolEnv` has a `view` that is no tool and no attribute of the author's own."""
    view = getattr(env, "view", None)
    if not is_multi_turn(env) or not callable(view):
        return False
    if is_tool(view):
        return False
    if not has_tools_of_rows(env) and any(tool.function == view for tool in toolbox_of(env).tools.values()):
        return False
    if not can_be_called(view, [], **({"opening": 0} if takes(view, "opening") else {})):
        if getattr(view, "__module__", "") == ReadyView.__module__:
            name = view.__name__
            raise ContractError(f"{name_of(env)}.view is {name} itself.", f"Call it: view = {name}(...).")
        raise ContractError(
            f"{name_of(env)}.view takes {inspect.signature(view)} ({defined_at(view)}).",
            "It is called as view(messages), or as view(messages, opening=...) where it takes that.",
        )
    return True


def _parallel(env: Any, instances: str) -> bool:
    """A plain class may keep state, so it scores one episode at a time unless it says otherwise or is async."""
    if instances == "constructed" or not Scorer(env).by_method:
        default = True
    else:
        default = inspect.iscoroutinefunction(env.score_episode)
    return _flag(env, "parallel", default)


def _flag(env: Any, name: str, default: bool) -> bool:
    value = getattr(env, name, default)
    if not isinstance(value, bool):
        raise ContractError(f"{name_of(env)}.{name} is {value!r}.", "Make it True or False.")
    return value


def count_of(env: Any, name: str) -> int | None:
    """A number from 1 on that an instance has set; a `ContractError` where it is none."""
    value = getattr(env, name, None)
    if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 1):
        unlimited = " No value stands for no limit: give the most turns that are useful." if name == "max_turns" else ""
        raise ContractError(f"{name_of(env)}.{name} is {value!r:.80}.", f"Make it a whole number from 1.{unlimited}")
    return value


def seconds_of(env: Any, name: str) -> float | None:
    """A number of seconds that an instance has set; a `ContractError` where it is none."""
    value = getattr(env, name, None)
    if value is None:
        return None
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 < value <= sys.float_info.max:
        raise ContractError(f"{name_of(env)}.{name} is {value!r:.80}.", "Make it a number of seconds above 0.")
    return float(value)


def reward_range_of(env: Any, scorer: Scorer) -> Range:
    """The range that the class declares, else the one that its weighted rewards allow.

    Step rewards are assumed to add up to at most 1 where they carry the score, and to nothing beside other rewards.
    """
    declared = getattr(env, "reward_range", None)
    if declared is not None:
        try:
            low, high = (float(end) for end in declared)
        except (TypeError, ValueError):
            low, high = 0.0, 0.0
        if not low < high:
            raise ContractError(
                f"{name_of(env)}.reward_range is {declared!r}.", "Make it (lowest, highest), such as (0, 1)."
            )
        return (low, high)
    if scorer.by_method:
        return (0.0, 1.0)
    low, high = scorer.rule.range
    only_steps = scorer.rule.counts_steps and not any(part.weight > 0 for part in scorer.rule.parts)
    return (low, high + 1.0) if only_steps else (low, high)
