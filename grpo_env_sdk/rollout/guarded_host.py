"""The host of one episode, whoever wrote it: what it does wrong costs its episode and no other."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from grpo_env_sdk.errors import GrpoEnvError, GrpoEnvWarning, ProcessStuckError
from grpo_env_sdk.isolation.calls.async_calls import awaited
from grpo_env_sdk.isolation.calls.tracebacks import describe_error, short_traceback
from grpo_env_sdk.isolation.values.error_text import error_text, type_name
from grpo_env_sdk.isolation.values.json_values import short_repr
from grpo_env_sdk.rollout.commands import ANSWERS, Failed, HostCommand
from grpo_env_sdk.rollout.event_types import fits
from grpo_env_sdk.rollout.host import Host, HostFactory, Job
from grpo_env_sdk.rollout.retrying import host_for, with_retries
from grpo_env_sdk.types import SCORED, Episode, Fault


class GuardedHost:
    """Keeps what opening a host and waiting for it raised, for the first command; a `GrpoEnvError` ends the run."""

    def __init__(self, job: Job, hosts: HostFactory, retries: int) -> None:
        self._host: Host | None = None
        self._is_ours = type(hosts).__module__.startswith("grpo_env_sdk.")
        self._failed: Failed | None = None
        with self._kept():
            host = host_for(job, hosts, retries)
            if not all(hasattr(host, name) for name in ("perform", "close")):
                raise TypeError(f"{type(hosts).__name__}.open returned {short_repr(host)}, which is no host")
            self._host = host

    @property
    def may_wait(self) -> bool:
        """Whether it may take long until there is a place to run."""
        return getattr(self._host, "ready", None) is not None

    async def ready(self) -> None:
        """Wait until there is a place to run."""
        host: Any = self._host
        with self._kept():
            await awaited(host.ready())

    async def perform(self, command: HostCommand) -> Any:
        """What the host answers; a host that raises, or answers something else, fails the episode."""
        if self._failed is not None:
            return self._failed
        assert self._host is not None
        try:
            event = await awaited(self._host.perform(command))
        except ProcessStuckError:
            raise
        except Exception as exc:
            return _failed(exc)
        wanted = ANSWERS[type(command)]
        if self._is_ours and isinstance(event, (wanted, Failed)):
            return event
        if not any(fits(event, kind) for kind in (wanted, Failed)) or getattr(event, "reason", None) in SCORED:
            answered = f"{type(command).__name__} was answered with {event!r:.80}, not with {wanted.__name__}"
            return Failed("env_error", Fault("sdk", "host", "ContractError", answered))
        return event

    async def close(self) -> None:
        """Close the host; the episode is recorded, however that goes."""
        if self._host is not None:
            try:
                await awaited(self._host.close())
            except GrpoEnvError:
                raise
            except Exception as exc:
                said = f"{type(self._host).__name__}.close raised {describe_error(exc)}. The episode is kept."
                warnings.warn(said, GrpoEnvWarning, stacklevel=2)

    def with_retries(self, episode: Episode) -> Episode:
        """The record, with how often the host began again."""
        return episode if self._host is None else with_retries(episode, self._host)

    @contextmanager
    def _kept(self) -> Iterator[None]:
        try:
            yield
        except GrpoEnvError:
            raise
        except Exception as exc:
            self._failed = _failed(exc)


def _failed(exc: Exception) -> Failed:
    fault = Fault("sdk", "host", type_name(exc), error_text(exc), short_traceback(exc))
    return Failed("env_error", fault)
