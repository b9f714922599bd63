"""A person's own reward functions and models, as TRL takes them beside the columns of an environment."""

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grpo_env_sdk import Episode, Message
from grpo_env_sdk.ext import UsageError, completion_of
from grpo_env_trl import trl_facts
from grpo_env_trl.bridges.batch import Batch
from grpo_env_trl.bridges.columns import Finder
from grpo_env_trl.outside_rewards.calling import checked, is_model, is_ready, listed, log_names, of_episodes


@dataclass(frozen=True)
class OwnRewards:
    """A person's own reward functions."""

    functions: Sequence[Any]
    weights: Sequence[float]
    tokenizers: Sequence[Any] | None = None

    @classmethod
    def of(cls, functions: Any, weights: Sequence[float] | None, tokenizers: Sequence[Any] | None) -> "OwnRewards":
        """Those that somebody gives; each weighs 1 where no weights are given."""
        functions = listed(functions)
        found = [1.0] * len(functions) if weights is None else list(weights)
        if len(found) != len(functions):
            raise UsageError(
                f"There are {len(functions)} reward_funcs and {len(found)} reward_weights.",
                "Give each function one weight.",
            )
        return cls(functions, found, tokenizers)

    def beside(self, columns: Sequence[Any], find: Finder, last: Callable[[], Batch | None]) -> dict[str, Any]:
        """The arguments of `GRPOTrainer` that have the columns of an environment, and these after them."""
        names = log_names(self.functions, [one.__name__ for one in columns], of_models=self.tokenizers is not None)
        own = [_guarded(one, name, find, last) for one, name in zip(self.functions, names, strict=True)]
        given = {"reward_funcs": [*columns, *own]}
        if self.tokenizers is not None:
            given["reward_processing_classes"] = [*[None] * len(columns), *self.tokenizers]
        return given


def _guarded(function: Any, name: str, find: Finder, last: Callable[[], Batch | None]) -> Any:
    """The user's own reward function, called as TRL documents; None replaces its value where an episode failed."""
    if isinstance(function, str):
        function = trl_facts.reward_model(function)
    if is_model(function):
        return _silenced(function, name, last)
    if is_ready(function):
        return checked(lambda **given: of_episodes(function, find(given)), name)
    return checked(function, name, lambda given: _documented(given, find(given)), _spared)


def _documented(given: Mapping[str, Any], episodes: list[Episode]) -> dict[str, Any]:
    """What TRL passes, in the format of the author's prompts: texts for text, whole transcripts for chat messages."""
    return {
        **given,
        "prompts": [episode.row["prompt"] for episode in episodes],
        "completions": [_completion(episode) for episode in episodes],
        "completions_ids": given["completion_ids"],  # the name in TRL's documentation; its trainer passes the other
        "episode": episodes,
    }


def _completion(episode: Episode) -> str | list[Message]:
    """The completion as a scorer gets it; that of an episode which failed before its first turn is empty."""
    found = completion_of(episode)
    return found if isinstance(found, str) else found or [{"role": "assistant", "content": ""}]


def _silenced(model: Any, name: str, last: Callable[[], Batch | None]) -> Any:
    """A view of a reward model, with the same weights, that returns NaN, TRL's None, for a failed episode."""

    def leave_out(module: Any, given: Any, output: Any) -> Any:
        batch = last()
        assert batch is not None  # the environment's columns come first
        output.logits[[bool(episode.error) for episode in batch.episodes]] = float("nan")
        return output

    view = copy.copy(model)
    view._forward_hooks = model._forward_hooks.copy()
    if name != Path(model.config._name_or_path).name:  # TRL logs it under the name in its config
        view.config = copy.copy(model.config)
        view.config._name_or_path = name
    view.register_forward_hook(leave_out)
    return view


def _spared(values: list[float | None], given: Mapping[str, Any]) -> list[float | None]:
    return [None if episode.error else value for value, episode in zip(values, given["episode"], strict=True)]
