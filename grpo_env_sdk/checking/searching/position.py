"""A position: an instance at some point of an episode, from which each act is tried on a copy, or played again."""

import copy
import json
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from grpo_env_sdk.checking.evidence.playing.state_key import UNKNOWN, UnknownStateError, generators_of, held, luck_of
from grpo_env_sdk.checking.evidence.shown_texts import texts_of
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
    opens: Callable[[], object] | None = None
    """What opens the episode on the instance anew, where it cannot be copied: the acts are then played again."""
    kept: Mapping[str, Hashable] | None = None
    """What it held, where the instance has gone on since."""

    def after(self, act: Act) -> "Position":
        """The position after one more act; an act that raises ends the episode, without a reward."""
        env = self._fresh()
        acts = (*self.acts, act)
        try:
            observation, reward, terminated, truncated, _ = env.step(act)
        except Exception as exc:  # the author's code: other checks report it
            seen, total, ended = f"{type(exc).__name__}: {exc}", self.total, True
        else:
            seen, total, ended = _as_json(observation), self.total + reward, terminated or truncated
        return Position(env, acts, seen, total, ended, self.opens, self.opens and held(env, unknown=False))

    def cut_off(self) -> "Position":
        """The position with the score of an episode whose turns are used up here."""
        env = self._fresh()
        env._grpo.turns = env.max_turns - 1
        _, reward, *_ = env.step("")
        return replace(self, total=self.total + reward)

    @property
    def held(self) -> Mapping[str, Hashable]:
        """What the author's attributes hold, by name."""
        return held(self.env) if self.kept is None else self.kept

    def key(self, without: frozenset[str]) -> Hashable:
        """What tells this position from others: the state, and what was earned on the way."""
        state = tuple((name, value) for name, value in self.held.items() if name not in without)
        return (state, self.seen if UNKNOWN in self.held.values() else "", round(self.total, 9))

    def _fresh(self) -> Any:
        """An instance at this position."""
        if self.opens is None:
            return copy_of(self.env)
        self.opens()
        for act in self.acts:
            self.env.step(act)
        return self.env

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

    def opens() -> Any:
        return env.reset(seed=row_seed(row) + other_seed, options=row)[0]

    start = Position(env, seen=_as_json(opens()))
    try:
        _ = copy_of(env), start.held
    except UnknownStateError:
        return replace(start, opens=opens, kept=held(env, unknown=False))
    return start


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
