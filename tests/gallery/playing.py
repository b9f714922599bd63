"""Playing episodes of exhibits by hand, with the machinery that everything else runs on."""

from functools import cache
from typing import Any

from grpo_env_sdk import Episode, evaluate, load
from grpo_env_sdk.data.messages import assistant_message
from grpo_env_sdk.data.rows import Rows
from grpo_env_sdk.envs.loaded_env import LoadedEnv
from grpo_env_sdk.isolation.calls.async_calls import run_coroutine
from grpo_env_sdk.policies.builtin import GoldPolicy
from grpo_env_sdk.policies.policy import Policy, Request
from grpo_env_sdk.registry.lookup import load_class, spec
from grpo_env_sdk.rollout.driver import Rollout
from grpo_env_sdk.rollout.host import Job
from grpo_env_sdk.rollout.in_threads import rollouts, run_episode
from grpo_env_sdk.types import Turn
from tests.gallery.catalogue import BROKEN, SOUND

EXHIBITS = {exhibit.name: exhibit for exhibit in [*BROKEN, *SOUND]}


class FixedReplies:
    """Says the given messages, then nothing."""

    name = "saying"

    def __init__(self, *messages: Any) -> None:
        self.messages = messages

    async def respond(self, request: Request) -> Turn:
        message = self.messages[request.turn] if request.turn < len(self.messages) else ""
        return Turn(assistant_message(message, request.turn))


def class_of(name: str) -> type:
    return load_class(spec(EXHIBITS[name].entry_point))


def opened(name: str) -> LoadedEnv:
    return load(EXHIBITS[name].entry_point)


@cache
def _built(name: str, split: Any) -> Rows:
    return opened(name).rows(split)


def rows_of(name: str, split: Any = "all") -> list[dict[str, Any]]:
    """The rows, each a dict of its own every time."""
    return list(_built(name, split))


def play(name: str, row_index: int, *messages: Any) -> Episode:
    """The episode of a row in which just these messages are said."""
    return _played(name, row_index, FixedReplies(*messages))


def play_gold(name: str, row_index: int) -> Episode:
    return _played(name, row_index, GoldPolicy())


def _played(name: str, row_index: int, policy: Policy) -> Episode:
    loaded = opened(name)
    return run_coroutine(run_episode(loaded, loaded.rows("all"), Rollout(policy), Job(row_index)))


def gold_rewards(name: str) -> list[float | None]:
    """What the gold solution of each row earns, row by row."""
    loaded = opened(name)
    rollout = Rollout(GoldPolicy(), concurrency=1)

    async def all_of_them() -> list[Episode]:
        return [episode async for episode in rollouts(loaded, loaded.rows("all"), rollout)]

    return [episode.reward for episode in sorted(run_coroutine(all_of_them()), key=lambda episode: episode.row_index)]


def mean(name: str, *messages: Any, gold: bool = False) -> float:
    """The mean reward over all rows of saying the same everywhere, or of gold."""
    policy = "gold" if gold else FixedReplies(*messages)
    return evaluate(EXHIBITS[name].entry_point, policy, split="all").tally.reward.mean
