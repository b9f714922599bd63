"""The progress of an evaluation, on stderr."""

import time

from grpo_env_sdk.cli.screen import Screen, clock, facts_line, facts_table
from grpo_env_sdk.evaluation.metrics import Metrics
from grpo_env_sdk.types import Episode

_CAUSES = 3


class EvalProgress(Screen):
    """The progress display of an evaluation; use it as a context manager."""

    def __init__(self, name: str, total: int, done: int = 0) -> None:
        self._name = name
        self._total = total
        self._done_before = done
        self._started = time.monotonic()
        super().__init__(on_terminal=0.2, in_log=10.0)

    def seen(self, episode: Episode, metrics: Metrics) -> None:
        """One more episode ended."""
        if self.due(urgent=metrics.episodes >= self._total):
            facts = self._facts(metrics, time.monotonic() - self._started)
            line = f"{self._name}: {facts_line(facts)}"
            self.show(line, lambda: facts_table(facts, metrics.episodes, self._total, self._name))

    def _facts(self, metrics: Metrics, seconds: float) -> dict[str, str]:
        rate = (metrics.episodes - self._done_before) / seconds if seconds > 0 else 0.0
        left = (self._total - metrics.episodes) / rate if rate else 0.0
        done = f"{metrics.episodes}/{self._total}"
        facts = {"episodes": done, "speed": f"{rate:.1f} episodes/s", "reward": str(metrics.reward)}
        failed = [f"{count} by {cause}" for cause, count in list(metrics.errors.items())[:_CAUSES]]
        if failed:
            facts["failed"] = "; ".join(failed)
        return {**facts, "left": clock(left)} if left >= 1 else facts
