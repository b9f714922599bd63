"""The demonstrations that the demo model begins with, played in the environment itself."""

import math
from collections import Counter
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass

from grpo_env_sdk.data.rows import Rows
from grpo_env_sdk.envs.loading import LoadedEnv
from grpo_env_sdk.errors import UsageError
from grpo_env_sdk.isolation.async_calls import run_coroutine
from grpo_env_sdk.policies.builtin import GoldPolicy
from grpo_env_sdk.policies.policy import Policy, Sampling
from grpo_env_sdk.rollout.driver import Rollout, jobs_for, rollouts
from grpo_env_sdk.types import Episode, Message
from grpo_env_trl.demo.random_demos import AimlessPolicy
from grpo_env_trl.demo.slot_values import Values
from grpo_env_trl.independent_copy import apart

_SOLVED_ROWS = 1000

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Demonstrations:
    """Conversations that show how things are done, and which words of them are values."""

    solved: list[list[Message]]
    aimless: list[list[Message]]
    values: Values


def demonstrate(loaded: LoadedEnv, rows: Rows, seed: int, progress: Progress, count: int = 4000) -> Demonstrations:
    """Play each row as `solve` does, then `count` times or more, all in all, with values that are left to chance."""
    if not loaded.traits.solvable:
        raise UsageError(
            f"{loaded.spec.id} has no solve(row), and the demo model learns from it how to act.",
            "Add a `solve` method, or take a model with --model.",
        )
    beside = apart(loaded)
    chosen = rows[:_SOLVED_ROWS]
    solved = _played(beside, chosen, GoldPolicy(), 1, seed, lambda done, of: progress("solving", done, of))
    solutions = {episode.row_index: _said(episode) for episode in solved}
    values = Values([episode.messages for episode in solved])
    chosen = Rows(rows.dataset, sorted(solutions), rows.offset)
    aimless = _played(
        beside, chosen, AimlessPolicy(solutions, values), math.ceil(count / len(chosen)), seed,
        lambda done, of: progress("demonstrating", done, of),
    )  # fmt: skip
    return Demonstrations([episode.messages for episode in solved], [episode.messages for episode in aimless], values)


def _played(
    loaded: LoadedEnv, rows: Rows, policy: Policy, samples: int, seed: int, progress: Callable[[int, int], None]
) -> list[Episode]:
    """The episodes that could be played, whatever they scored, in the order of the rows."""
    jobs = jobs_for(rows, samples)
    rollout = Rollout(policy, Sampling(seed=seed))
    episodes = run_coroutine(_gathered(rollouts(loaded, rows, rollout, jobs), len(jobs), progress))
    usable = [one for one in episodes if one.turns and (one.error is None or one.error.stage == "score")]
    if not usable:
        faults = Counter(f"{one.error.type}: {one.error.message}" for one in episodes if one.error)
        why = faults.most_common(1)[0][0] if faults else "it has no rows"
        raise UsageError(
            f"No episode of {loaded.spec.id} can be played: {why.rstrip('.')}.",
            f"`grpo-env test {loaded.spec.id}` says more.",
        )
    return sorted(usable, key=lambda episode: (episode.row_index, episode.sample))


async def _gathered(
    episodes: AsyncGenerator[Episode, None], of: int, progress: Callable[[int, int], None]
) -> list[Episode]:
    gathered = []
    async with aclosing(episodes) as running:
        async for episode in running:
            gathered.append(episode)
            progress(len(gathered), of)
    return gathered


def _said(episode: Episode) -> list[Message]:
    return [message for message in episode.completion if message["role"] == "assistant"]
