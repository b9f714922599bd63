"""A sampler that takes requests at any moment, and advances all that run by one step at a time."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol, TypeVar


class Read(Protocol):
    """What every request says, whatever else it says of how to sample."""

    @property
    def context(self) -> list[int]:
        """The tokens that the model reads."""


Asked_contra = TypeVar("Asked_contra", contravariant=True)


@dataclass(frozen=True, slots=True)
class Completed:
    """A request that is done: its sampled tokens, and their log-probabilities where they are known."""

    key: str
    ids: list[int]
    logprobs: list[float] | None = None
    cached: int | None = None
    """How many tokens of its context came from a cache; None where the sampler does not say."""


class Engine(Protocol[Asked_contra]):
    """Used by one thread alone."""

    def add(self, key: str, ask: Asked_contra) -> None:
        """Take a request, which says how many tokens it may get."""

    def step(self) -> list[Completed]:
        """Sample the next token of every request that runs; returns those that are done."""

    def abort(self, keys: Iterable[str]) -> None:
        """Drop requests, as if they had never been added."""
