"""One instance stepped by hand, as a trainer or Gymnasium steps it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from grpo_env_sdk.checking.evidence.answers import Said, own_turns
from grpo_env_sdk.checking.evidence.failures import FailedHereError
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.errors import DeadlineError
from grpo_env_sdk.types import Message, Row, canonical_json, row_seed


@dataclass(frozen=True, slots=True)
class Course:
    """What an instance showed from reset to its end."""

    opening: Any
    steps: list[Any] = field(default_factory=list)
    """Observation, reward, terminated, truncated of each step; the last reward has the score in it."""


def course(env: Any, row: Row, turns: Sequence[str | Message]) -> Course:
    """What the instance shows when it is reset for a row and these turns are taken, as far as it lets them."""
    opening, _ = env.reset(seed=row_seed(row), options=row)
    steps = []
    for turn in turns:
        observation, reward, terminated, truncated, _ = env.step(turn)
        steps.append([observation, round(reward, 9), terminated, truncated])
        if terminated or truncated:
            break
    return Course(opening, steps)


def course_of(subject: Subject, said: Said, before: Said | None = None, env: Any = None) -> Course | None:
    """What an instance shows, a new one unless given; None where many slow turns took too long together."""
    env = env or subject.loaded.instance()
    made = None
    for item in ([before] if before else []) + [said]:
        turns = own_turns(item.completion)
        try:
            made = subject.call("an episode", course, env, subject.row(item.row), turns, row=item.row)
        except FailedHereError as exc:
            if isinstance(exc.__cause__, DeadlineError):
                return None
            raise
    return made


def first_difference(one: Course | None, other: Course | None) -> tuple[str, Any, Any] | None:
    """Where two courses part, and what each shows there; None where they are equal, or one of them is not known."""
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
