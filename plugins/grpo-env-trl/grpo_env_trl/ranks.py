"""Several processes that train together, as torchrun starts them: the first one writes and prints, all agree."""

import os
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any, TypeVar

from grpo_env_sdk import GrpoEnvError

_GRACE = 2.0
"""Seconds that the launcher gets to end this process after another one has failed."""

Value = TypeVar("Value")


def rank() -> int:
    """The number of this process among those that train together; 0 writes the run and prints."""
    return int(os.environ.get("RANK") or 0)


def is_first() -> bool:
    """Whether this is the process that writes the run and prints."""
    return rank() == 0


def started_together() -> int:
    """How many processes the launcher says that it started."""
    return int(os.environ.get("WORLD_SIZE") or 1)


def several() -> bool:
    """Whether more than one process trains."""
    return bool(_state().num_processes > 1)


def from_first(make: Callable[[], Value]) -> Value:
    """Call `make` in the first process only, and return its result in every process."""
    if not several():
        return make()
    from accelerate.utils import broadcast_object_list

    held: list[Any] = [make() if is_first() else None]
    broadcast_object_list(held)
    return held[0]  # type: ignore[no-any-return]  # what the first process put there


def of_all(value: Value) -> list[Value]:
    """The value of every process, in their order; every process must call this."""
    if not several():
        return [value]
    from accelerate.utils import gather_object

    return list(gather_object([value]))


def on_any(flag: bool) -> bool:
    """Whether the flag is set in at least one process; every process must call this."""
    return bool(_sum(flag))


def on_all(flag: bool) -> bool:
    """Whether the flag is set in every process; every process must call this."""
    return bool(_sum(flag) == _state().num_processes)


def counter_of_all(name: str) -> Callable[[], int]:
    """Counts one more at each call, in all processes together, and waits for none of them."""
    if not several():
        return count(1).__next__
    from torch.distributed.distributed_c10d import _get_default_store

    store = _get_default_store()
    return lambda: int(store.add(f"grpo-env/{name}", 1))


def wait_for_all() -> None:
    """Return when every process has called this."""
    _state().wait_for_everyone()


@contextmanager
def print_once() -> Iterator[None]:
    """Print notes and errors once: those of the first process, or an error that only another process has.

    The launcher ends all processes when one fails. A process whose error may be a consequence or a copy of another's
    waits for that, so that only one message is printed.
    """
    if started_together() == 1:
        yield
        return
    with warnings.catch_warnings():
        if not is_first():
            warnings.simplefilter("ignore")
        try:
            yield
        except KeyboardInterrupt:
            if is_first():
                raise
            sys.exit(130)
        except GrpoEnvError as exc:
            if not is_first():
                time.sleep(2 * _GRACE)
                exc.message = f"Process {rank()} of {started_together()}: {exc.message}"
            raise
        except Exception:
            time.sleep(_GRACE if is_first() else 2 * _GRACE)
            raise


def _sum(flag: bool) -> int:
    state = _state()
    if state.num_processes == 1:
        return int(flag)
    import torch
    from accelerate.utils import gather

    return int(gather(torch.tensor([int(flag)], device=state.device)).sum().item())


def _state() -> Any:
    """The state of the processes, which TRL's arguments have set up."""
    from accelerate import PartialState

    return PartialState()
