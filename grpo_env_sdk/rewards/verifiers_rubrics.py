"""A rubric of the package verifiers as rewards of an environment, without importing the package for it."""

import importlib
import inspect
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

from grpo_env_sdk.data.messages import places_of_turns
from grpo_env_sdk.data.viewed import messages_read
from grpo_env_sdk.errors import ContractError
from grpo_env_sdk.rewards.reward import Reward
from grpo_env_sdk.rewards.trl_functions import asked_for, function_name, is_async
from grpo_env_sdk.types import Episode, Message, Range

_OF_GROUPS = {"states", "prompts", "completions", "answers", "tasks", "infos"}
"""The arguments of functions that compare the rollouts of a group."""
_OF_INPUT = ("prompt", "answer", "info", "example_id")

Graded = tuple[str, Callable[..., Any], Any]
"""The name of a function, the function, and the rubric that it belongs to."""


def from_verifiers(
    rubric: Any, *, weight: float = 1.0, name: str = "rubric", range: Range = (0.0, 1.0)
) -> list[Reward]:
    """The functions of a rubric as rewards, each a part with its name and its weight.

    ```python
    rewards = from_verifiers(vf.Rubric(funcs=[correct, brief], weights=[1.0, 0.2]))
    ```

    They are called in order, with one state of the episode: `prompt`, `completion`, `answer`, `info`, other columns,
    a `trajectory` of its turns, and what the environment keeps in `self.state`, a dict.
    """
    graded: list[Graded] = []
    weights: dict[str, float] = {}
    for function, its_weight, owner in _functions(rubric):
        if _OF_GROUPS & {*asked_for(function)}:
            raise ContractError(
                f"{function_name(function)!r} compares the rollouts of a group, and a reward sees one episode.",
                "Leave it out of the rubric, and give it to the training, as f(prompts, completions, **columns): "
                "--reward-func MODULE:FUNCTION=WEIGHT.",
            )
        named = _free(function_name(function), weights)
        weights[named] = float(its_weight)
        graded.append((named, function, owner))
    if not graded:
        raise ContractError(f"{rubric!r:.80} has no reward functions.", "Give a verifiers.Rubric(funcs=[...]).")

    async def in_order(state: dict[str, Any], columns: Mapping[str, Any]) -> dict[str, Any]:
        found = {}
        for named, function, owner in graded:
            value = _called(function, owner, state, columns)
            found[named] = await value if inspect.isawaitable(value) else value
        return found

    def score(episode: Episode, state: Any = None) -> Any:
        kept = getattr(state, "state", None)
        state = _state(episode, kept if isinstance(kept, Mapping) else {})
        if any(is_async(function) for _, function, _ in graded):
            return in_order(state, episode.row)
        return {named: _called(function, owner, state, episode.row) for named, function, owner in graded}

    return [Reward(score, name, weight, range, parts=weights)]


def _functions(rubric: Any) -> Iterator[tuple[Callable[..., Any], float, Any]]:
    """Each function with its weight and its rubric, those of a group of rubrics too."""
    functions = list(getattr(rubric, "funcs", None) or getattr(rubric, "reward_funcs", None) or ())
    weights = list(getattr(rubric, "weights", None) or getattr(rubric, "reward_weights", None) or ())
    for function, weight in zip(functions, weights or [1.0] * len(functions), strict=True):
        yield function, weight, rubric
    for one in getattr(rubric, "rubrics", None) or ():
        yield from _functions(one)


def _free(name: str, taken: Mapping[str, Any]) -> str:
    """The name, with a number where another function has it."""
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name}_{number}"
    return free


def _state(episode: Episode, kept: Mapping[str, Any]) -> dict[str, Any]:
    """What verifiers knows of a rollout that has ended; `kept` is what the environment adds."""
    row, opening = episode.row, episode.opening
    messages = _their_messages(episode.messages)
    trajectory = _trajectory(episode, messages)
    return {
        **row, "answer": row.get("answer", ""), "info": row.get("info") or {}, "task": row.get("task", ""),
        "turn": episode.turns, "metrics": {}, **kept, "input": dict(row), "prompt": messages[:opening],
        "completion": messages[opening:], "example_id": episode.row_index, "trajectory": trajectory,
        "responses": [step["response"] for step in trajectory], "timing": episode.timings, "is_completed": True,
        "is_truncated": episode.stop_reason != "terminated", "stop_condition": episode.stop_reason,
    }  # fmt: skip


def _trajectory(episode: Episode, theirs: list[Any]) -> list[dict[str, Any]]:
    """A step for each turn of the model, with what it read and what it answered; `theirs` are all messages."""
    known = {id(message): its for message, its in zip(episode.messages, theirs, strict=True)}
    turns = places_of_turns(episode.completion)
    reads = [
        [known[id(message)] if id(message) in known else _their_messages([message])[0] for message in read]
        for read in messages_read(episode)
    ]
    ids: Sequence[Any] = episode.token_ids or [None] * len(turns)
    return [
        {
            "prompt": read, "completion": [answer], "response": SimpleNamespace(message=answer),
            "tokens": None if sampled is None else {"completion_ids": sampled}, "reward": None, "advantage": None,
            "is_truncated": False, "trajectory_id": f"{episode.row_index}-{episode.sample}", "extras": {},
        }
        for read, answer, sampled in zip(reads, [theirs[episode.opening + turn] for turn in turns], ids, strict=False)
    ]  # fmt: skip


def _their_messages(messages: list[Message]) -> list[Any]:
    """The messages as objects of verifiers, with keys and attributes; as they are where it has no such objects."""
    if "verifiers" not in sys.modules:
        return messages
    try:
        normalize = importlib.import_module("verifiers.utils.message_utils").normalize_messages
    except (ImportError, AttributeError):  # a version whose messages are dicts
        return messages
    return list(normalize(messages))


def _called(function: Callable[..., Any], rubric: Any, state: dict[str, Any], columns: Mapping[str, Any]) -> Any:
    """The value of a function, or an awaitable of it, called with what it asks for."""
    offered = {name: value for name, value in columns.items() if name not in _OF_INPUT}
    offered |= {name: state[name] for name in ("prompt", "completion", "answer", "info", "task")} | {"state": state}
    offered |= getattr(rubric, "class_objects", None) or {}
    for provider in getattr(rubric, "score_object_providers", None) or ():
        offered |= provider(state)
    parameters = asked_for(function)
    if any(each.kind is each.VAR_KEYWORD for each in parameters.values()):
        return function(**offered)
    return function(**{name: value for name, value in offered.items() if name in parameters})
