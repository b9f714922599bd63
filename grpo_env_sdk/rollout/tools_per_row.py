"""The tools of rows, as their episodes open with them, without playing one."""

import time
from collections.abc import Iterable, Iterator

from grpo_env_sdk.envs.loaded_env import LoadedEnv
from grpo_env_sdk.errors import EnvironmentFailedError
from grpo_env_sdk.isolation.calls.async_calls import run_coroutine
from grpo_env_sdk.registry.qualified import qualified
from grpo_env_sdk.rollout.commands import Failed, Opened, Reset
from grpo_env_sdk.rollout.driver import RowSource
from grpo_env_sdk.rollout.host import HostFactory, Job
from grpo_env_sdk.rollout.process_host import ProcessHosts
from grpo_env_sdk.rollout.thread_host import ThreadHosts
from grpo_env_sdk.types import Fault, Schemas, row_seed


def open_rows(
    loaded: LoadedEnv, rows: RowSource, indices: Iterable[int], *, call_seconds: float | None = 60.0,
    seconds: float = float("inf"),
) -> dict[int, Schemas | Fault]:  # fmt: skip
    """The schemas of each row's tools, or why its episode does not open; as many rows as fit into the seconds."""
    if not loaded.traits.tools_of_rows:
        return dict.fromkeys(indices, loaded.tools)
    in_threads = loaded.pool.kind == "thread"
    hosts = ThreadHosts(loaded, call_seconds, threads=1) if in_threads else ProcessHosts(loaded, call_seconds)
    try:
        with loaded.held_open():  # setup may ask what all episodes share
            return run_coroutine(_opened(hosts, rows, indices, time.monotonic() + seconds))
    finally:
        hosts.close()


def tools_of_rows(
    loaded: LoadedEnv, rows: RowSource, indices: Iterable[int], *, seconds: float = float("inf")
) -> Iterator[tuple[int, Schemas]]:
    """Each row with the schemas of its tools; an error for the first one whose episode does not open."""
    for index, found in open_rows(loaded, rows, indices, seconds=seconds).items():
        if isinstance(found, Fault):
            raise EnvironmentFailedError(
                f"The tools of row {index} of {loaded.spec.id} are not known: {found.type}: {found.message}",
                f"`grpo-env test {qualified(loaded.spec)}` shows more.",
            )
        yield index, found


async def _opened(
    hosts: HostFactory, rows: RowSource, indices: Iterable[int], ends: float
) -> dict[int, Schemas | Fault]:
    found: dict[int, Schemas | Fault] = {}
    for index in indices:
        if found and time.monotonic() > ends:
            break
        row, host = rows.row(index), hosts.open(Job(index))
        try:
            event = await host.perform(Reset(row, row_seed(row)))
        finally:
            await host.close()
        assert isinstance(event, Opened | Failed)
        found[index] = event.fault if isinstance(event, Failed) else event.tools or []
    return found
