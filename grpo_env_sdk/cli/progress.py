"""How an evaluation shows that it goes on."""

import time

from grpo_env_sdk.cli.screen import Screen, clock, facts_line, facts_table
from grpo_env_sdk.evaluation.metrics import Tally
from grpo_env_sdk.types import Episode

_CAUSES = 3


class Progress(Screen):
    """Shows on stderr how far an evaluation is; use it as a context manager."""

    def __init__(self, name: str, total: int, done: int = 0) -> None:
        self._name = name
        self._total = total
        self._done_before = done
        self._started = time.monotonic()
        super().__init__(on_terminal=0.2, in_log=10.0)

    def seen(self, episode: Episode, tally: Tally) -> None:
        """One more episode ended."""
        if self.due(urgent=tally.episodes >= self._total):
            facts = self._facts(tally, time.monotonic() - self._started)
            told = f"{self._name}: {facts_line(facts)}"
            self.show(told, lambda: facts_table(facts, tally.episodes, self._total, self._name))

    def _facts(self, tally: Tally, seconds: float) -> dict[str, str]:
        rate = (tally.episodes - self._done_before) / seconds if seconds > 0 else 0.0
        left = (self._total - tally.episodes) / rate if rate else 0.0
        facts = {"episodes": f"{tally.episodes}/{self._total}", "a second": f"{rate:.1f}", "reward": str(tally.reward)}
        failed = [f"{count} by {cause}" for cause, count in list(tally.errors.items())[:_CAUSES]]
        if failed:
            facts["failed"] = "; ".join(failed)
        return {**facts, "left": clock(left)} if left >= 1 else facts
