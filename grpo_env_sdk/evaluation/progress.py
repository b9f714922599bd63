"""How far an evaluation from Python is, shown as it runs."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from grpo_env_sdk.evaluation.metrics import Metrics
from grpo_env_sdk.report.progress_line import ProgressLine
from grpo_env_sdk.types import Episode


@contextmanager
def shown(
    name: str, total: int, wanted: bool | None, kept: list[Episode] | None
) -> Iterator[Callable[[Episode, Metrics], None]]:
    """Takes each episode that ended, with the metrics so far, into `kept` too; `wanted` is as in `ProgressLine`."""
    with ProgressLine(wanted) as line:
        line.show(lambda: f"{name}: episodes 0/{total}")

        def seen(episode: Episode, tally: Metrics) -> None:
            if kept is not None:
                kept.append(episode)
            done = tally.episodes
            line.show(lambda: f"{name}: episodes {done}/{total}, reward {tally.reward}", last=done >= total)

        yield seen
