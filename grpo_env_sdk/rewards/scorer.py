"""The score of a finished episode, by `score_episode` or by rewards."""

import asyncio
import inspect
from collections.abc import Generator
from dataclasses import replace
from functools import partial
from typing import Any

from grpo_env_sdk.errors import ContractError
from grpo_env_sdk.isolation.author_code.arguments import columns_wanted, reads
from grpo_env_sdk.isolation.author_code.author_classes import BASES, on_class
from grpo_env_sdk.isolation.calls.async_calls import Pending, all_called, awaited, run_coroutine, through
from grpo_env_sdk.isolation.calls.tracebacks import name_of
from grpo_env_sdk.rewards.reward import bound_metrics, check_columns, offered_by
from grpo_env_sdk.rewards.rubric import Rubric, check_score
from grpo_env_sdk.rewards.score_rule import ScoreRule
from grpo_env_sdk.types import Episode, Score


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
        offered = offered_by(episode, self.env)
        metrics = [partial(metric.call, offered) for metric in self.metrics]
        scoring = self.rubric.calls(offered)
        if self.by_method:
            columns = columns_wanted(self.env.score_episode, 3, offered)
            scoring = [partial(self.env.score_episode, model, tokenizer, offered["completion"], **columns)]
        values = all_called([*metrics, *scoring])
        return [*values[len(metrics) :], *values[: len(metrics)]]

    @property
    def rule(self) -> ScoreRule:
        """How the values of its rewards become a score."""
        return ScoreRule(self.rubric.parts, self.by_method, not self.by_method and takes_steps(self.env))

    def checked(self, values: list[Any]) -> tuple[list[float | None], dict[str, float]]:
        """The settled values as numbers (None abstains), and the metrics by name."""
        count = len(values) - len(self.metrics)
        if self.by_method:
            scored = [check_score(values[0], f"{name_of(self.env)}.score_episode")]
        else:
            scored = self.rubric.checked(values[:count])
        measured = {
            metric.name: check_score(value, f"the metric {metric.name!r}")
            for metric, value in zip(self.metrics, values[count:], strict=True)
        }
        return scored, {name: value for name, value in measured.items() if value is not None}

    def score(self, episode: Episode, model: Any = None, tokenizer: Any = None) -> Score:
        """The score, awaited; for callers without an event loop."""
        score = through(self.scoring(episode, model, tokenizer))
        return run_coroutine(score) if inspect.isawaitable(score) else score

    def scoring(self, episode: Episode, model: Any = None, tokenizer: Any = None) -> Generator[Any, Any, Score]:
        """As `score`, a generator that yields what is to be awaited."""
        values = self.call(episode, model, tokenizer)
        if any(inspect.isawaitable(value) for value in values):
            values = yield settle(values)
        scored, metrics = self.checked(values)
        return replace(self.rule.score(scored, episode.step_rewards), metrics=metrics)


def has_own_scorer(cls: type) -> bool:
    """Whether the class scores by a `score_episode` of its author, not by that of one of our base classes."""
    return _written_by_author(cls, "score_episode")


def reads_model(env: Any) -> bool:
    """Whether the code of its `score_episode` uses the model that it is given."""
    return has_own_scorer(type(env)) and reads(env.score_episode, 0)


def takes_steps(env: Any) -> bool:
    """Whether its author wrote `step`, so that its step rewards count, as those of `ToolEnv` do not."""
    return _written_by_author(type(env), "step")


def _written_by_author(cls: type, name: str) -> bool:
    """Whether a class has a method that does not come from one of the classes that authors subclass."""
    method = on_class(cls, name)
    return method is not None and not str(getattr(method, "__module__", "")).startswith(BASES)


def settle(values: list[Any]) -> Pending:
    """The values, with all awaitables awaited concurrently."""
    return Pending(partial(_settled, values), values)


async def _settled(values: list[Any]) -> list[Any]:
    waiting = [awaited(value) for value in values if inspect.isawaitable(value)]
    settled = iter(await asyncio.gather(*waiting))
    return [next(settled) if inspect.isawaitable(value) else value for value in values]
