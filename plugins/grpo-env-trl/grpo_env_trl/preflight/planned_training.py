"""What the preflight checks look at; each part is computed once, and only when a check needs it."""

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from grpo_env_sdk import Episode, GrpoEnvWarning, Policy
from grpo_env_sdk.ext import (
    GoldPolicy,
    LoadedEnv,
    RandomPolicy,
    Rollout,
    Rows,
    jobs_for,
    rollouts,
    run_coroutine,
    tools_of_rows,
)
from grpo_env_trl.bridges.choosing import bridge_for, check_mixes
from grpo_env_trl.bridges.trainer_kwargs import renderer_for
from grpo_env_trl.independent_copy import independent_copy
from grpo_env_trl.live_episodes import at_once
from grpo_env_trl.models.loading import check_writes, config_of
from grpo_env_trl.models.source import ModelSource, base_of
from grpo_env_trl.preflight.shape import Shape, shape_of
from grpo_env_trl.setup.preparing import TrainingSetup
from grpo_env_trl.setup.trained_env import TrainedEnv
from grpo_env_trl.tokens.rendering import Renderer

TRIED = 8
PATIENCE = 20.0
"""Seconds that an episode may take in the preflight."""
OPENING = 5.0
"""Seconds for opening rows whose tools are to be measured."""


@dataclass
class PlannedTraining:
    """A training that is about to start."""

    setup: TrainingSetup
    of: TrainedEnv | None = None
    """The environment that is looked at; None is the only one, or the first."""

    @property
    def env(self) -> TrainedEnv:
        """The environment that is looked at."""
        return self.of or self.setup.envs[0]

    @property
    def loaded(self) -> LoadedEnv:
        """The environment."""
        return self.env.loaded

    @property
    def rows(self) -> Rows:
        """The rows to train on."""
        return self.env.rows

    @cached_property
    def random(self) -> list[Episode]:
        """Episodes of the random policy on some rows."""
        return self._tried(RandomPolicy())

    @cached_property
    def gold(self) -> list[Episode]:
        """Episodes of the environment's own solution on the same rows; empty where there is no `solve`."""
        return self._tried(GoldPolicy()) if self.loaded.traits.solvable else []

    @cached_property
    def bridge(self) -> str:
        """The bridge that will connect the environment to the trainer."""
        if self.setup.several:
            check_mixes(self.loaded, self.rows)
            return "rollout"
        setup = self.setup
        return bridge_for(setup.settings.bridge, setup.args, setup.tokenizer, self.loaded, self.rows)

    @cached_property
    def renderer(self) -> Renderer:
        """How messages become tokens; needs a tokenizer. Its warnings are shown when the trainer is built."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", GrpoEnvWarning)
            return renderer_for(self.loaded, self.setup.tokenizer, self.setup.args, self.bridge)

    def renderers(self, indices: Sequence[int]) -> Iterator[tuple[int, Renderer]]:
        """Rows, each with the renderer of its episodes; as many as open in a few seconds where rows have own tools."""
        loaded = independent_copy(self.loaded)
        for index, tools in tools_of_rows(loaded, self.rows, indices, seconds=OPENING):
            yield index, self.renderer.with_tools(tools)

    @property
    def has_text_tokenizer(self) -> bool:
        """Whether there is a tokenizer, and it is not an image processor."""
        tokenizer = self.setup.tokenizer
        return tokenizer is not None and not hasattr(tokenizer, "tokenizer") and self.setup.processor is None

    @cached_property
    def source(self) -> ModelSource | None:
        """Where the weights and their config are; for an adapter, those of its base model."""
        source = self.setup.source
        return base_of(source) if source is not None and source.adapter else source

    @cached_property
    def config(self) -> Any:
        """The config of the model, or None for the demo model; raises where it is not a causal language model."""
        if self.setup.model is not None:
            return self.setup.model.config
        if self.source is None:
            return None
        check_writes(self.source, trust_remote_code=self.setup.trusts_code)
        return config_of(self.source, trust_remote_code=self.setup.trusts_code)

    @cached_property
    def shape(self) -> Shape | None:
        """The dimensions of the model, or None where its config does not say."""
        return shape_of(self.config, self.setup.model, self.setup.model_args)

    def _tried(self, policy: Policy) -> list[Episode]:
        loaded = independent_copy(self.loaded)
        rows = self.rows[:TRIED]
        limits = self.setup.settings.limits
        seconds = min(limits.episode_seconds or PATIENCE, PATIENCE)
        rollout = Rollout(policy, limits=replace(limits, episode_seconds=seconds), concurrency=at_once(loaded, TRIED))
        samples = -(-TRIED // len(rows)) if policy.name == "random" else 1

        async def played() -> list[Episode]:
            ended = [episode async for episode in rollouts(loaded, rows, rollout, jobs_for(rows, samples))]
            return sorted(ended, key=lambda episode: (episode.row_index, episode.sample))

        try:
            return run_coroutine(played())
        finally:
            self.setup.home.go_back(self.setup.env_name)
