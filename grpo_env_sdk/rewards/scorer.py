"""The score of a finished episode, by `score_episode` or by rewards."""

import asyncio
import inspect
from dataclasses import replace
from typing import Any, TypeVar

from grpo_env_sdk.data.messages import raw_text
from grpo_env_sdk.errors import ContractError
from grpo_env_sdk.isolation.arguments import columns_wanted
from grpo_env_sdk.isolation.async_calls import awaited, run_coroutine
from grpo_env_sdk.isolation.tracebacks import name_of
from grpo_env_sdk.rewards.reward import bound_metrics, check_columns
from grpo_env_sdk.rewards.rubric import Rubric, check_score
from grpo_env_sdk.types import Episode, Score

T = TypeVar("T")


class Scorer:
    """Scores episodes of one instance: by its own `score_episode`, else by step rewards and the rubric."""

    def __init__(self, env: Any) -> None:
        self.env = env
        self.rubric = Rubric.of(env)
        self.metrics = bound_metrics(env)
        self.by_method = has_own_scorer(type(env))
        if self.by_method and len(self.rubric):
            raise ContractError(
                f"{name_of(env)} has both score_episode and rewards ({self.rubric.rewards[0].name}).",
                "Keep one; the other would be ignored.",
            )

    def check(self, columns: list[str]) -> None:
        """Raise if the scorer or a reward asks for something that is neither a column nor a reserved name."""
        self.rubric.check(columns)
        for metric in self.metrics:
            metric.check(columns)
        if not self.by_method:
            return
        score_episode = self.env.score_episode
        parameters = list(inspect.signature(score_episode).parameters.values())[3:]
        check_columns(parameters, columns, f"{name_of(self.env)}.score_episode", score_episode)

    def call(self, episode: Episode, model: Any = None, tokenizer: Any = None) -> list[Any]:
        """The raw values or awaitables, those of the metrics last; this runs the author's code."""
        completion: Any = episode.completion
        if isinstance(episode.row.get("prompt"), str):
            completion = raw_text(completion)
        offered = {
            **episode.row, "completion": completion, "messages": episode.messages, "row": episode.row,
            "episode": episode, "state": self.env, "tool_calls": episode.tool_calls,
        }  # fmt: skip
        metrics = [metric.call(offered) for metric in self.metrics]
        if not self.by_method:
            return [*self.rubric.call(offered), *metrics]
        score_episode = self.env.score_episode
        columns = columns_wanted(score_episode, 3, offered)
        return [score_episode(model, tokenizer, completion, **columns), *metrics]

    def combine(self, values: list[Any], episode: Episode, training: bool = False) -> Score:
        """The score from awaited values: that of `score_episode`, or step rewards plus weighted rewards."""
        scored = len(values) - len(self.metrics)
        metrics = self._measured(values[scored:])
        if self.by_method:
            return Score(check_score(values[0], f"{name_of(self.env)}.score_episode"), {}, metrics)
        score = replace(self.rubric.combine(values[:scored], training), metrics=metrics)
        if not takes_steps(self.env):
            return score
        return replace(score, value=sum(episode.step_rewards) + (score.value or 0.0))

    def _measured(self, values: list[Any]) -> dict[str, float]:
        checked = {
            metric.name: check_score(value, f"the metric {metric.name!r}")
            for metric, value in zip(self.metrics, values, strict=True)
        }
        return {name: value for name, value in checked.items() if value is not None}

    def score(self, episode: Episode, model: Any = None, tokenizer: Any = None) -> Score:
        """The score, awaited; for callers without an event loop."""
        values = self.call(episode, model, tokenizer)
        if any(inspect.isawaitable(value) for value in values):
            values = run_coroutine(settle(values))
        return self.combine(values, episode)


def has_own_scorer(cls: type) -> bool:
    """Whether the author wrote a `score_episode`, not only a base class of the SDK."""
    method = inspect.getattr_static(cls, "score_episode", None)
    return method is not None and not getattr(method, "__grpo_replays__", False)


def takes_steps(env: Any) -> bool:
    """Whether the author wrote `step`, so that step rewards count; those of `ToolEnv` do not."""
    step = getattr(type(env), "step", None)
    return step is not None and not hasattr(step, "__grpo_runs_tools__")


async def settle(values: list[Any]) -> list[Any]:
    """The values, with all awaitables awaited concurrently."""
    waiting = [awaited(value) for value in values if inspect.isawaitable(value)]
    settled = iter(await asyncio.gather(*waiting))
    return [next(settled) if inspect.isawaitable(value) else value for value in values]
