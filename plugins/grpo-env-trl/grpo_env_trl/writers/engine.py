"""A sampler that takes requests at any moment, and advances all that run by one step at a time."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from grpo_env_trl.writers.writer import Ask


@dataclass(frozen=True, slots=True)
class Answer:
    """A request that is done: its sampled tokens, and their log-probabilities where they are known."""

    key: str
    ids: list[int]
    logprobs: list[float] | None = None
    cached: int | None = None
    """How many tokens of its context came from a cache; None where the sampler does not say."""


class Engine(Protocol):
    """Used by one thread alone."""

    def add(self, key: str, ask: Ask) -> None:
        """Take a request; `ask.most` is the most tokens it may get."""

    def step(self) -> list[Answer]:
        """Sample the next token of every request that runs; returns those that are done."""

    def abort(self, keys: Iterable[str]) -> None:
        """Drop requests, as if they had never been added."""
