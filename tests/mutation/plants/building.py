"""How a fault is put around a sound class: around its score, its rows, its tools or its steps."""

import functools
import inspect
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from grpo_env_sdk import MultiTurnEnv, ToolEnv, answer_text
from grpo_env_sdk.rewards.reward import Reward
from grpo_env_sdk.rewards.scorer import has_own_scorer
from grpo_env_sdk.tools.tool import is_tool

Row = dict[str, Any]
Plant = Callable[[type], type | None]
"""The flawed class of a sound one; None where the fault cannot be in it."""


def derived(sound: type, **members: Any) -> type:
    """A subclass with other members."""
    return type(sound.__name__, (sound,), {"__module__": __name__, "__doc__": sound.__doc__, **members})


def _members(sound: type) -> list[tuple[str, Any]]:
    return [(name, inspect.getattr_static(sound, name)) for name in dir(sound)]


def answers(sound: type) -> bool:
    """Whether an episode is one answer."""
    return not issubclass(sound, ToolEnv | MultiTurnEnv) and not hasattr(sound, "get_tools")


def gold_text(env: Any, sound: type, row: Row) -> str | None:
    """What the author's solution says in the end; None where a transcript is needed to know."""
    solution = sound.solve(env, row) if hasattr(sound, "solve") else None
    said = solution[-1] if isinstance(solution, list) and solution else solution
    return said if isinstance(said, str) else None


def rescored(sound: type, change: Callable[[Any, float, str, Row], float]) -> type | None:
    """With `change(env, score, said, row)` in the place of the score, or of the reward that weighs most."""
    if has_own_scorer(sound):
        score = sound.score_episode
        if inspect.iscoroutinefunction(score) or isinstance(
            inspect.getattr_static(sound, "score_episode"), staticmethod
        ):
            return None
        return derived(sound, score_episode=_changed(score, change, positional=3))
    marked = {name: value for name, value in _members(sound) if hasattr(value, "__grpo_reward__")}
    if marked:
        name = max(marked, key=lambda one: marked[one].__grpo_reward__.weight)
        if inspect.iscoroutinefunction(marked[name]):
            return None
        return derived(sound, **{name: _changed(marked[name], change)})
    listed = [item if isinstance(item, Reward) else None for item in getattr(sound, "rewards", None) or ()]
    if not listed or listed[0] is None:
        return None
    first = replace(listed[0], function=_changed(listed[0].function, change, bound=False), sources={})
    return derived(sound, rewards=[first, *list(sound.rewards)[1:]])


def _changed(function: Any, change: Callable[..., float], *, positional: int = 0, bound: bool = True) -> Any:
    takes = [*inspect.signature(function).parameters][bound + positional :]

    def score(self: Any, offered: dict[str, Any], *first: Any) -> float:
        offered = {"state": self, **offered}
        value = function(
            *([self] if bound else []), *first, **{name: offered[name] for name in takes if name in offered}
        )
        said = answer_text(first[-1] if first else offered["completion"])
        return change(self, float(value or 0.0), said, offered["row"])

    if positional:
        return lambda self, model, tokenizer, completion, **offered: score(self, offered, model, tokenizer, completion)
    if not bound:
        return lambda **offered: score(offered["state"], offered)

    def method(self: Any, *args: Any, **offered: Any) -> Any:
        return function(self, *args, **offered) if args else score(self, offered)

    return method


def other_rows(sound: type, change: Callable[[Any, list[Row]], list[Row]]) -> type:
    """With what `change(env, rows)` makes of the rows."""
    build = sound.build_dataset

    @functools.wraps(build)
    def build_dataset(self: Any, *args: Any, **kwargs: Any) -> list[Row]:
        return change(self, [dict(row) for row in build(self, *args, **kwargs)])

    return derived(sound, build_dataset=build_dataset)


def other_tools(sound: type, change: Callable[[Any, str, dict[str, Any], Callable[[], Any]], Any]) -> type | None:
    """With `change(env, name, arguments, call)` in the place of each tool."""
    found = {name: value for name, value in _members(sound) if is_tool(value)}
    if not found or any(inspect.iscoroutinefunction(value) for value in found.values()):
        return None

    def around(name: str, function: Any) -> Any:
        @functools.wraps(function)
        def called(self: Any, **arguments: Any) -> Any:
            return change(self, name, arguments, lambda: function(self, **arguments))

        return called

    return derived(sound, **{name: around(name, function) for name, function in found.items()})


def prompted(row: Row, change: Callable[[str], str]) -> Row:
    """A row with another text of its last prompt message."""
    prompt = row["prompt"]
    if isinstance(prompt, str):
        return {**row, "prompt": change(prompt)}
    *others, last = prompt
    return {**row, "prompt": [*others, {**last, "content": change(last["content"])}]}


def prompt_text(row: Row) -> str:
    """All that a prompt says."""
    prompt = row["prompt"]
    return prompt if isinstance(prompt, str) else " ".join(str(message["content"]) for message in prompt)
