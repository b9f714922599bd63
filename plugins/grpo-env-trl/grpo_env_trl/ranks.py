"""The processes that train together, as torchrun starts them: one of them writes and speaks, all of them agree."""

import os
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from grpo_env_sdk.errors import GrpoEnvError

_GRACE = 2.0
"""Seconds in which the launcher ends this process when another one has failed and said why."""

Value = TypeVar("Value")


def rank() -> int:
    """The number of this process among those that train together; 0 writes the run and prints."""
    state = _state_if_known()
    return int(os.environ.get("RANK") or 0) if state is None else int(state.process_index)


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
    """What `make` returns in the first process, in every process; the others wait for it."""
    if not several():
        return make()
    from accelerate.utils import broadcast_object_list

    held: list[Any] = [make() if is_first() else None]
    broadcast_object_list(held)
    return held[0]  # type: ignore[no-any-return]  # what the first process put there


def on_any(flag: bool) -> bool:
    """Whether the flag is set in at least one process; every process must ask."""
    return bool(_sum(flag))


def on_all(flag: bool) -> bool:
    """Whether the flag is set in every process; every process must ask."""
    return bool(_sum(flag) == _state().num_processes)


def wait_for_all() -> None:
    """Return when every process has come this far."""
    _state().wait_for_everyone()


@contextmanager
def one_voice() -> Iterator[None]:
    """Only the first process prints notes and errors; an error in another one is printed if it is the only one.

    The launcher ends every process as soon as one has failed. A process that failed because another did, or as another
    did, waits for that, so that one message is seen.
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
    """What accelerate knows of the processes; TRL's arguments have set it up."""
    from accelerate import PartialState

    return PartialState()


def _state_if_known() -> Any:
    """The same, or None before it is set up."""
    accelerate = sys.modules.get("accelerate.state")
    return accelerate.PartialState() if accelerate and accelerate.PartialState._shared_state else None
