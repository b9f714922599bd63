"""What the checks of one training look at, each part found out once and only where a check asks for it."""

import warnings
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from grpo_env_sdk.errors import GrpoEnvWarning
from grpo_env_sdk.isolation.async_calls import run_coroutine
from grpo_env_sdk.policies.builtin import GoldPolicy
from grpo_env_sdk.policies.policy import Policy
from grpo_env_sdk.policies.random_policy import RandomPolicy
from grpo_env_sdk.rollout.driver import Rollout, jobs_for, rollouts
from grpo_env_sdk.types import Episode
from grpo_env_trl.bridges.trainer_kwargs import choose_bridge, renderer_for
from grpo_env_trl.independent_copy import apart
from grpo_env_trl.models.loading import check_writes
from grpo_env_trl.models.source import ModelSource, base_of
from grpo_env_trl.setup.preparing import Prepared
from grpo_env_trl.tokens.rendering import Renderer

TRIED = 8
PATIENCE = 20.0
"""Seconds that an episode may take here; a training may be more patient."""


@dataclass
class PlannedTraining:
    """A training that is about to begin."""

    prepared: Prepared

    @cached_property
    def random(self) -> list[Episode]:
        """How a policy that knows nothing fares on some rows."""
        return self._tried(RandomPolicy())

    @cached_property
    def gold(self) -> list[Episode]:
        """How the environment's own solution fares on the same rows; none where it has none."""
        return self._tried(GoldPolicy()) if self.prepared.loaded.traits.solvable else []

    @cached_property
    def bridge(self) -> str:
        """How the environment will be carried to the trainer."""
        return choose_bridge(self.prepared.settings.bridge, self.prepared.loaded, self.prepared.rows)

    @cached_property
    def renderer(self) -> Renderer:
        """How messages become tokens; needs a tokenizer. What it warns of is told when the trainer is built."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", GrpoEnvWarning)
            return renderer_for(self.prepared.loaded, self.prepared.tokenizer, self.prepared.args)

    @property
    def has_text_tokenizer(self) -> bool:
        """Whether there is a tokenizer yet, and it is no processor of images."""
        tokenizer = self.prepared.tokenizer
        return tokenizer is not None and not hasattr(tokenizer, "tokenizer")

    @cached_property
    def source(self) -> ModelSource | None:
        """Where the weights and their config are: those of the base, for an adapter."""
        source = self.prepared.source
        return base_of(source) if source is not None and source.adapter else source

    @cached_property
    def config(self) -> Any:
        """The config of the model, or None where it is made later; refused where it is of none that writes text."""
        from transformers import AutoConfig

        if self.prepared.model is not None:
            return self.prepared.model.config
        if self.source is None:
            return None
        trusted = bool(getattr(self.prepared.args, "trust_remote_code", False))
        check_writes(self.source, trust_remote_code=trusted)
        revision = {"revision": self.source.revision} if self.source.revision else {}
        return AutoConfig.from_pretrained(self.source.path, trust_remote_code=trusted, **revision)

    def _tried(self, policy: Policy) -> list[Episode]:
        loaded = apart(self.prepared.loaded)
        rows = self.prepared.rows[:TRIED]
        limits = self.prepared.settings.limits
        seconds = min(limits.episode_seconds or PATIENCE, PATIENCE)
        rollout = Rollout(policy, limits=replace(limits, episode_seconds=seconds), concurrency=TRIED)
        samples = -(-TRIED // len(rows)) if policy.name == "random" else 1

        async def played() -> list[Episode]:
            ended = [episode async for episode in rollouts(loaded, rows, rollout, jobs_for(rows, samples))]
            return sorted(ended, key=lambda episode: (episode.row_index, episode.sample))

        return run_coroutine(played())
