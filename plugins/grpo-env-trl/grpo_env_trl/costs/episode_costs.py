"""What one episode costs: its tokens, and the seconds of its environment."""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from grpo_env_sdk import Episode
from grpo_env_sdk.ext import failure_of, mean_of
from grpo_env_trl.checks.episode_tokens import episode_tokens
from grpo_env_trl.costs.estimate import Estimate
from grpo_env_trl.costs.rehearsal import Rehearsed
from grpo_env_trl.preflight.planned_training import PlannedTraining

_NOT_ENVIRONMENT = ("policy", "user")
"""Timings of an episode that are not its environment's."""


@dataclass(frozen=True)
class EpisodeCosts:
    """Means over some episodes, with 95% intervals where several rows were played."""

    episodes: int
    source: str
    """Who played them."""
    sampled: Estimate
    """Tokens that the model samples."""
    read: Estimate
    """Tokens of the whole sequence that a gradient reads: prompt, turns, observations."""
    environment: Estimate
    """Seconds of environment code, one call after another."""
    prompt: int
    """The longest prompt that was seen."""
    completion: int
    """The longest completion that was seen, with what the environment said in it."""
    failed: int = 0
    failure: str = ""
    """Why the first of the failed episodes failed."""


def of_rehearsal(found: Rehearsed, most: int) -> EpisodeCosts:
    """The costs of the episodes that the model itself played, with at most so many tokens after a prompt."""
    episodes = found.episodes
    sampled = [float(episode.usage.get("completion_tokens", 0)) for episode in episodes]
    return _costs(episodes, "the model", sampled, found.lengths, most)


def of_preflight(planned: Sequence[PlannedTraining], most: int) -> EpisodeCosts:
    """The costs of the environments' own solutions, where the model cannot play; else of a random policy."""
    episodes, sampled, lengths = [], [], []
    for one in planned:
        for episode in one.gold if one.has_text_tokenizer else ():
            said = episode_tokens(one.renderer, episode, one.setup.args.chat_template_kwargs)
            episodes.append(episode)
            sampled.append(float(sum(len(ids) for _, _, ids in said.turns)))
            lengths.append((max(len(said.segments.all[0].prompt_ids), 1), said.completion))
    if episodes:
        return _costs(episodes, "the environment's own solution", sampled, lengths, most)
    played = [episode for one in planned for episode in one.random]
    return _costs(played, "a random policy", [float(most)] * len(played), [(0, most)] * len(played), most)


def _costs(
    episodes: Sequence[Episode], source: str, sampled: Sequence[float], lengths: Sequence[tuple[int, int]], most: int
) -> EpisodeCosts:
    longest = max((prompt for prompt, _ in lengths), default=0)
    failures = [found for episode in episodes if (found := failure_of(episode))]
    return EpisodeCosts(
        len(episodes), source, _mean(episodes, sampled).at_most(most),
        _mean(episodes, [float(sum(pair)) for pair in lengths]).at_most(longest + most),
        _mean(episodes, [_environment_seconds(episode) for episode in episodes]),
        longest, max((completion for _, completion in lengths), default=0),
        len(failures), failures[0].message if failures else "",
    )  # fmt: skip


def _environment_seconds(episode: Episode) -> float:
    return sum(seconds for name, seconds in episode.timings.items() if name not in _NOT_ENVIRONMENT)


def _mean(episodes: Sequence[Episode], values: Iterable[float]) -> Estimate:
    """The mean with its interval; the episodes of one row are alike."""
    of_rows: dict[tuple[str, int], list[float]] = defaultdict(list)
    for episode, value in zip(episodes, values, strict=False):
        of_rows[episode.env, episode.row_index].append(value)
    found = mean_of(of_rows, (0.0, math.inf))
    mean = found.mean or 0.0
    return Estimate(
        mean, max(0.0, mean if found.low is None else found.low), mean if found.high is None else found.high
    )
