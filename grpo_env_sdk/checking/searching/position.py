"""A position: an instance at some point of an episode, from which each act is tried on a copy."""

import copy
import json
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

from grpo_env_sdk.checking.evidence.state_key import UnknownStateError, generators_of, luck_of, state_key
from grpo_env_sdk.checking.evidence.variants import texts_of
from grpo_env_sdk.types import Message, Row, canonical_json, row_seed

Act = str | Message
"""A text, or a message with one call."""


@dataclass(frozen=True, slots=True)
class Position:
    """What an episode shows after some acts."""

    env: Any
    acts: tuple[Act, ...] = ()
    seen: str = ""
    """The last observation, as JSON."""
    total: float = 0.0
    ended: bool = False

    def after(self, act: Act) -> "Position":
        """The position after one more act; an act that raises ends the episode, without a reward."""
        env = copy_of(self.env)
        try:
            observation, reward, terminated, truncated, _ = env.step(act)
        except Exception as exc:  # the author's code: other checks report it
            return Position(env, (*self.acts, act), f"{type(exc).__name__}: {exc}", self.total, True)
        return Position(env, (*self.acts, act), _as_json(observation), self.total + reward, terminated or truncated)

    def key(self, without: frozenset[str]) -> Hashable:
        """What tells this position from others: the state, and what was earned on the way."""
        return (state_key(self.env, without), round(self.total, 9))

    @property
    def texts(self) -> list[str]:
        """The texts of what it shows."""
        shown = json.loads(self.seen) if self.seen[:1] in ('"', "[") else self.seen
        return [shown] if isinstance(shown, str) else texts_of([one for one in shown if isinstance(one, dict)])

    @property
    def luck(self) -> Hashable:
        """The state of its random generators."""
        return luck_of(self.env)


def opening(env: Any, row: Row, other_seed: int = 0) -> Position:
    """The first position of an episode on an instance, with the seed of the row or another one."""
    observation, _ = env.reset(seed=row_seed(row) + other_seed, options=row)
    return Position(env, seen=_as_json(observation))


def copy_of(env: Any) -> Any:
    """A copy of an instance in the middle of an episode, which shares the messages so far and random generators."""
    again = object.__new__(type(env))
    books = copy.copy(env._grpo)
    memo: dict[int, Any] = {id(env): again, id(env._grpo): books, id(env._grpo.row): copy.deepcopy(env._grpo.row)}
    shared = [env.observation_space, env.action_space, *env._grpo.messages, *generators_of(env)]
    memo |= {id(one): one for one in shared}
    books.row = memo[id(env._grpo.row)]
    try:
        vars(again).update({name: copy.deepcopy(value, memo) for name, value in vars(env).items()})
    except Exception as exc:  # an author's attribute, such as a lock
        raise UnknownStateError(f"{type(env).__name__} cannot be copied: {exc}") from exc
    return again


def played_again(env: Any, row: Row, position: Position, other_seed: int = 0) -> bool:
    """Whether one instance, with the same acts one after another, shows what the copies have shown."""
    again = opening(env, row, other_seed)
    for act in position.acts:
        observation, reward, *ended, _ = env.step(act)
        again = Position(env, seen=_as_json(observation), total=again.total + reward, ended=any(ended))
        if again.ended:
            break
    same = abs(again.total - position.total) < 1e-9 and again.ended == position.ended
    return same and again.seen == position.seen


def _as_json(observation: Any) -> str:
    try:
        return canonical_json(observation)
    except (TypeError, ValueError) as exc:  # such as an image
        raise UnknownStateError("The observation is no JSON data.") from exc
