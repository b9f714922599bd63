"""One instance stepped directly, as a trainer or Gymnasium does it."""

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any

from grpo_env_sdk.checking.evidence.attempts.answers import Answer
from grpo_env_sdk.checking.evidence.playing.failures import FailedHereError
from grpo_env_sdk.checking.evidence.playing.turns import turns_of
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.errors import DeadlineError
from grpo_env_sdk.types import Message, Row, canonical_json, row_seed


@dataclass(frozen=True, slots=True)
class Trajectory:
    """What an instance showed from reset to its end."""

    opening: Any
    steps: list[Any] = field(default_factory=list)
    """Observation, reward, terminated, truncated of each step; the last reward includes the score."""


def step_through(env: Any, row: Row, turns: Sequence[str | Message]) -> Trajectory:
    """Reset the instance for a row and take these turns, until the episode ends."""
    opening, _ = env.reset(seed=row_seed(row), options=row)
    return Trajectory(opening, steps_of(env, turns))


def steps_of(env: Any, turns: Sequence[str | Message]) -> list[Any]:
    """What an instance answers to these turns, until the episode ends."""
    steps = []
    for turn in turns:
        observation, reward, terminated, truncated, _ = env.step(turn)
        steps.append([observation, round(reward, 9), terminated, truncated])
        if terminated or truncated:
            break
    return steps


def trajectory_of(subject: Subject, answer: Answer, before: Answer | None = None, env: Any = None) -> Trajectory | None:
    """The trajectory of an answer on a new instance, or on `env`; None if slow turns together took too long."""
    trajectory = None
    try:
        with nullcontext(subject.without_coroutines(env)) if env else subject.instance() as played:
            for item in ([before] if before else []) + [answer]:
                turns, row = turns_of(item.completion), subject.row(item.row)
                trajectory = subject.call("an episode", step_through, played, row, turns, row=item.row)
    except FailedHereError as exc:
        if isinstance(exc.__cause__, DeadlineError):
            return None
        raise
    return trajectory


def first_difference(one: Trajectory | None, other: Trajectory | None) -> tuple[str, Any, Any] | None:
    """Where two trajectories first differ, and what each shows there; None if they are equal or one is unknown."""
    if one is None or other is None:
        return None
    if canonical_json(one.opening) != canonical_json(other.opening):
        return "reset", one.opening, other.opening
    for number, (here, there) in enumerate(zip(one.steps, other.steps, strict=False), 1):
        if canonical_json(here) != canonical_json(there):
            return f"step {number}", here, there
    if len(one.steps) != len(other.steps):
        return "the end", len(one.steps), len(other.steps)
    return None
