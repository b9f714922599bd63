"""Where a process is: which check it runs, at which stage, and since when."""

import time
from dataclasses import dataclass, field

from grpo_env_sdk.checking.findings.finding import Item


@dataclass
class Lane:
    """What the events of one process have said so far."""

    running: str | None = None
    """The check that runs; None before the first and after the last one."""
    place: tuple[str, int | None] = ("the import", None)
    """The stage, and its row."""
    began: float = field(default_factory=time.monotonic)
    since: float = field(default_factory=time.monotonic)
    """When the check and the stage began."""
    found: list[tuple[str, Item]] = field(default_factory=list)
    """What the check has found that is not reported yet, with its id."""

    def enter(self, stage: str, check: str | None = None) -> None:
        """Begin with a check, or with what comes before all of them."""
        self.running = check
        self.place = (stage, None)
        self.began = self.since = time.monotonic()
        self.found = []

    def move(self, stage: str, row: int | None) -> None:
        """Go on to another stage."""
        self.place, self.since = (stage, row), time.monotonic()
