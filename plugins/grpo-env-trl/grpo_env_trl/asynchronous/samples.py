"""From the episodes of a group to what the asynchronous trainer takes: tokens, masks, and advantages."""

import math
from collections.abc import Sequence
from statistics import fmean, pstdev
from typing import Any

from grpo_env_sdk import Episode
from grpo_env_sdk.ext import UnusablePolicyError
from grpo_env_trl.tokens.segments import Segments
from grpo_env_trl.tokens.transcript import TokenTranscript
from grpo_env_trl.trl_async import rollout_sample

_NO_SPREAD = 1e-8
"""Added to the spread of a group, as TRL does, so that a group without one has advantages of 0."""


def advantages(rewards: Sequence[float | None]) -> list[float | None]:
    """How much better than its group each episode was; what was not scored has none, and counts for nobody."""
    scored = [reward for reward in rewards if reward is not None]
    if not scored:
        return [None] * len(rewards)
    mean, spread = fmean(scored), pstdev(scored)
    return [None if reward is None else (reward - mean) / (spread + _NO_SPREAD) for reward in rewards]


def samples_of(
    episodes: Sequence[Episode], tokens: Sequence[Segments], *, group: int, version: int, parts: bool = True
) -> list[Any]:
    """The samples of one group, one for each segment that the model wrote in; episodes without a score give none.

    `parts` logs the named rewards of its environment beside the score.
    """
    rewards = [None if episode.error else episode.reward for episode in episodes]
    spread = pstdev([reward for reward in rewards if reward is not None] or [0.0])
    samples = []
    for episode, segments, advantage in zip(episodes, tokens, advantages(rewards), strict=True):
        if advantage is None:
            continue
        said = episode.completion
        known: dict[str, Any] = {
            "prompt": episode.messages[: len(episode.messages) - len(said)], "completion": said,
            "advantage": advantage, "model_version": version, "group_id": group,
        }  # fmt: skip
        for segment in segments.all:
            if any(segment.sampled):
                metrics = {**(_parts_of(episode) if parts else {}), "reward": episode.reward, "reward_std": spread}
                samples.append(rollout_sample(*_tokens_of(segment), metrics=metrics, **known))
    return samples


def _parts_of(episode: Episode) -> dict[str, float]:
    """Each named part of the score, by TRL's names; one that abstained is NaN."""
    return {f"rewards/{name}": math.nan if value is None else value for name, value in episode.rewards.items()}


def _tokens_of(segment: TokenTranscript) -> tuple[list[int], list[int], list[float]]:
    """The tokens of a segment, which of them are trained, and the log-probability of each of those.

    A sampled token without a log-probability, which a server has where its own arithmetic failed, is not trained.
    """
    if segment.logprobs is None:
        raise UnusablePolicyError("The server gives no log-probabilities, which training needs.", kind="no_logprobs")
    before, known = len(segment.prompt_ids), [logprob == logprob for logprob in segment.logprobs]
    trained = [int(sampled and is_known) for sampled, is_known in zip(segment.sampled, known, strict=True)]
    logprobs = [logprob if counts else 0.0 for logprob, counts in zip(segment.logprobs, trained, strict=True)]
    return segment.context, [0] * before + trained, [0.0] * before + logprobs
