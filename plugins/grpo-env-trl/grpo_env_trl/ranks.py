"""Several processes that train together, as torchrun starts them: the first one writes and prints, all agree."""

import os
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from itertools import count
from typing import Any, TypeVar

from grpo_env_sdk import GrpoEnvError
from grpo_env_sdk.ext import UsageError
from grpo_env_trl.rank_signs import LateProcessError, RankSigns, lost_another, ran_out_of_time

_GRACE = 2.0
"""Seconds that the launcher gets to end this process after another one has failed."""
_UNTIL_ENDED = 30.0
"""Seconds that it gets after one that this process was connected to: on a busy machine it ends slowly."""

_GONE = (
    "The group of the processes that train together is gone here, so they cannot go on: environment code may have "
    "ended it, as torch.distributed.destroy_process_group() does."
)

Value = TypeVar("Value")
_signs: list[RankSigns] = []


class GroupGoneError(GrpoEnvError, RuntimeError):
    """Something in this process has ended the group of the processes, through which they reach each other."""


def rank() -> int:
    """The number of this process among those that train together; 0 writes the run and prints."""
    return _number("RANK", 0)


def is_first() -> bool:
    """Whether this is the process that writes the run and prints."""
    return rank() == 0


def started_together() -> int:
    """How many processes the launcher says that it started."""
    return _number("WORLD_SIZE", 1)


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
    """Print notes and errors once: those of the first process, and what only another process has, with its number.

    The launcher ends all processes when one fails. A process whose error may be a consequence or a copy of another's
    waits for that, and then ends in silence, so that only one message is printed.
    """
    if started_together() == 1:
        yield
        return
    with warnings.catch_warnings():
        signs = RankSigns(rank(), started_together(), warnings.showwarning)
        warnings.showwarning = signs.warned
        _signs.append(signs)
        try:
            with _first_error_first(), late_processes_named("Start the training again."):
                yield
        except KeyboardInterrupt:
            if is_first():
                raise
            sys.exit(130)
        finally:
            _signs.remove(signs)
            signs.end()


@contextmanager
def _first_error_first() -> Iterator[None]:
    """Wait with an error until this process is ended for that of another one; what it still raises has its number."""
    try:
        yield
    except LateProcessError:
        raise
    except Exception as exc:
        time.sleep(_patience_after(exc))
        if isinstance(exc, GrpoEnvError) and not is_first():
            exc.message = f"Process {rank()} of {started_together()}: {exc.message}"
        raise


def _patience_after(exc: Exception) -> float:
    """How long a process waits to be ended before it prints its error."""
    if lost_another(exc):
        return _UNTIL_ENDED
    if isinstance(exc, UsageError) and not is_first() and not any(signs.have_begun for signs in _signs):
        return _UNTIL_ENDED  # a wrong setting, which all processes have
    if is_first():
        return 0.0 if isinstance(exc, GrpoEnvError) else _GRACE
    return 2 * _GRACE


def begin_signs(patience: float) -> None:
    """From now on processes show that they run, and collective operations wait for others for `patience` seconds.

    transformers sets the latter on GPUs alone.
    """
    import torch.distributed as dist
    from torch.distributed.distributed_c10d import _get_default_store, _set_pg_timeout

    if not (_signs and dist.is_initialized()):
        return
    if dist.get_backend() == "gloo":
        _set_pg_timeout(timedelta(seconds=patience), dist.group.WORLD)
    _signs[-1].begin(_get_default_store(), patience)


@contextmanager
def late_processes_named(hint: str) -> Iterator[None]:
    """Say in one line where a collective operation waited in vain, and for whom, or had no group any more."""
    try:
        yield
    except LateProcessError:
        raise
    except Exception as exc:
        if _group_is_gone() and not isinstance(exc, GrpoEnvError):
            raise GroupGoneError(_GONE, f"Remove that from it. {hint}") from exc
        if not (_signs and ran_out_of_time(exc)):
            raise
        raise _signs[-1].who_is_late(hint) from exc


def _group_is_gone() -> bool:
    """Whether the processes could reach each other, and somebody has ended that in this one."""
    if not (_signs and _signs[-1].have_begun):
        return False
    import torch.distributed as dist

    return not dist.is_initialized()


def _number(name: str, usual: int) -> int:
    """A number that a launcher has set."""
    said = os.environ.get(name) or str(usual)
    if not said.isdecimal():
        raise UsageError(f"The environment variable {name} is {said!r}, and should be a number.", f"unset {name}")
    return int(said)


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


def largest_over_ranks(trainer: Any, number: int) -> int:
    """The largest of every process's number."""
    if trainer.accelerator.num_processes == 1:
        return number
    import torch

    mine = torch.tensor([number], device=trainer.accelerator.device)
    return int(trainer.accelerator.gather(mine).max().item())


def means_over_ranks(means: Sequence[float | None]) -> list[float | None]:
    """The mean over all processes of each number, of those that have one."""
    from accelerate import PartialState

    state = PartialState()
    if state.num_processes == 1:
        return list(means)
    import torch
    from accelerate.utils import gather

    nan = float("nan")
    mine = torch.tensor([[nan if mean is None else mean for mean in means]], device=state.device)
    return [None if mean != mean else mean for mean in gather(mine).nanmean(dim=0).tolist()]


def forward_is_collective() -> bool:
    """Whether a forward pass needs every process (ZeRO-3, FSDP), so that a scorer cannot run one by itself."""
    from accelerate.state import AcceleratorState, DistributedType

    state = AcceleratorState()
    deepspeed = getattr(state, "deepspeed_plugin", None)
    return state.distributed_type == DistributedType.FSDP or (deepspeed is not None and deepspeed.zero_stage == 3)
