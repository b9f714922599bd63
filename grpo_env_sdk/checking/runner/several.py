"""The checks of several environments, some of them at the same time, each in worker processes of its own."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

from grpo_env_sdk.checking.findings.report import Report
from grpo_env_sdk.checking.runner.check_env import CheckTarget, check_target
from grpo_env_sdk.checking.runner.runner import CheckPlan
from grpo_env_sdk.checking.runner.worker_process import Stop

OnEventOf = Callable[[int, dict[str, Any]], None]
"""Called in the thread of an environment, with its place in the list and an event."""
Finished = Callable[[], Report] | None
"""What returns a report or raises why there is none; None for one that was stopped."""


@contextmanager
def checked_at_once(
    targets: Sequence[CheckTarget], plan: CheckPlan, at_once: int, on_event: OnEventOf
) -> Iterator[list[Future[Report]]]:
    """The reports to come, in the order of the targets; leaving it early ends every process."""
    stop = Stop()
    plan = replace(plan, at_once=min(at_once, len(targets)), stop=stop)
    with ThreadPoolExecutor(plan.at_once, thread_name_prefix="grpo-env-test") as pool:
        coming = [
            pool.submit(check_target, target, plan, partial(on_event, place)) for place, target in enumerate(targets)
        ]
        try:
            yield coming
        finally:
            stop.ask()
            pool.shutdown(cancel_futures=True)


def in_order(coming: Sequence[Future[Report]], until_done: Callable[[Future[Report]], None]) -> Iterator[Finished]:
    """Each report once it is there; after Ctrl-C those that are there, and None for each of the others."""
    stopped = False
    for future in coming:
        try:
            if not stopped:
                until_done(future)
        except KeyboardInterrupt:
            stopped = True
        yield future.result if future.done() else None
