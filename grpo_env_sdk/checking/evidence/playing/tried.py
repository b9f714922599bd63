"""How much of what a check wants to play it has played, so that one with next to nothing does not say ok."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from grpo_env_sdk.checking.findings.finding import MORE_TIME, Undecided

LEAST_ROWS = 4
"""The rows that each group that decides about the reward gets, and that a check needs of those that it asks for."""
LEAST_PART = 0.5
"""The part of its episodes that a check needs."""
TRIED_LITTLE = Undecided(
    "It found nothing, but had time for too few of its episodes, or of those of gold.",
    MORE_TIME,
    flags="--timeout 600",
)
"""What is said of a check that found nothing and tried too little."""


@dataclass
class Tried:
    """The episodes that a check asks for, and those that it gets."""

    asked: int = 0
    played: int = 0
    rows_asked: set[int] = field(default_factory=set)
    rows: set[int] = field(default_factory=set)
    lacks_gold: bool = False
    """Whether it asked for gold, for which there was no time on several rows."""

    def add(self, asked: Iterable[int], played: Iterable[int]) -> None:
        """Count episodes that were asked for and those that were played, by their rows."""
        wanted, got = list(asked), list(played)
        self.asked += len(wanted)
        self.played += len(got)
        self.rows_asked |= set(wanted)
        self.rows |= set(got)

    @property
    def too_little(self) -> bool:
        """Whether most episodes are missing, or those of most rows."""
        return (
            self.lacks_gold
            or self.played < LEAST_PART * self.asked
            or len(self.rows) < min(LEAST_ROWS, len(self.rows_asked))
        )
