"""The state of the one instance that all episodes of a run share, where it lives in a worker."""

from typing import Any

from grpo_env_sdk.envs.state import EnvState
from grpo_env_sdk.errors import EnvironmentFailedError
from grpo_env_sdk.rollout.encoding import encode
from grpo_env_sdk.rollout.event_types import fits
from grpo_env_sdk.rollout.process_frames import BadFrameError, Frame, Kind
from grpo_env_sdk.rollout.process_host import ProcessHosts
from grpo_env_sdk.rollout.worker_channel import WorkerEndedError, WorkerLateError, checked_answer
from grpo_env_sdk.rollout.worker_source import WorkerLostError

_TRIES = 4
"""So often another worker is asked where one was lost with its machine."""
_INTERFERES = "Its code may interfere."


async def state_in_worker(hosts: ProcessHosts) -> EnvState:
    """What there is to keep of the instance in the worker, between two calls of its episodes.

    Raises an `EnvironmentFailedError` where its code does not give it, or the worker sends something else.
    """
    found = await _told(hosts, "state", None, "state_dict")
    if not fits(found, EnvState) or not found.adds_up:
        raise _error(hosts, "its process sent no state", _INTERFERES)
    state: EnvState = found
    return state


async def give_to_worker(hosts: ProcessHosts, state: EnvState) -> None:
    """Give the instance in the worker its state back."""
    await _told(hosts, "restore", state, "load_state_dict")


async def _told(hosts: ProcessHosts, kind: Kind, value: Any, what: str) -> Any:
    """The worker's answer; `what` names the code that is at work."""
    for _ in range(_TRIES):
        worker = await hosts.worker()
        try:
            async with worker.alone:
                if not worker.usable:
                    continue
                answer = await worker.ask(Frame(kind, 0, encode(value)), hosts.call_seconds)
            return checked_answer(answer, EnvironmentFailedError)
        except WorkerLostError:
            continue
        except WorkerLateError as exc:
            late = f"{what} did not come back within {exc.seconds:g} s"
            raise _error(hosts, late, "Give it more time: --limit-call.") from exc
        except WorkerEndedError as exc:
            raise _error(hosts, f"its process {exc} in {what}", "Fix that in its code.") from exc
        except BadFrameError as exc:
            raise _error(hosts, "its process sent no state", _INTERFERES) from exc
    raise _error(hosts, f"{_TRIES} workers were lost one after another", "Look at their nodes.")


def _error(hosts: ProcessHosts, said: str, hint: str) -> EnvironmentFailedError:
    return EnvironmentFailedError(f"{hosts.loaded.spec.id}: {said}.", hint)
