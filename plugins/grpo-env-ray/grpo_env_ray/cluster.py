"""The connection of this process to a Ray cluster, which all pools of the process share."""

import atexit
import os
import queue
import re
import socket
import threading
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from grpo_env_ray.resources import Node
from grpo_env_sdk.ext import UsageError, one_line

_HOST_AND_PORT = re.compile(r"(?:ray://)?(?:\[(?P<six>[^\]]+)\]|(?P<host>[^:/\[\]]+)):(?P<port>\d+)(?:/.*)?")
_REACHABLE_SECONDS = 5.0


class Cluster:
    """Ray in this process, from the first `enter` to the end of the process, as a cluster takes seconds to start.

    A cluster that others started is left as it is, and so is a connection that the program itself has opened.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._entered = False
        self._address: str | None = None

    def enter(self, address: str | None, cpus: int) -> None:
        """Connect, unless this process has; where there is no cluster, start one of this machine with so many CPUs."""
        ray = import_ray()
        with self._lock:
            if self._entered and address != self._address:
                raise UsageError(
                    f"This process uses the Ray cluster {self._address or 'that Ray found'}, and --ray-address is "
                    f"{address or 'not given'}.", "One process uses one cluster: give each pool the same address."
                )  # fmt: skip
            if not ray.is_initialized():
                thread = _LastingThread()
                try:
                    thread.run(lambda: _connect(ray, address, cpus))
                except BaseException:
                    thread.run(ray.shutdown)
                    thread.end()
                    raise
                atexit.register(thread.run, ray.shutdown)
            self._entered, self._address = True, address


CLUSTER = Cluster()


def nodes() -> list[Node]:
    """The nodes that live."""
    ray = import_ray()
    return [
        Node(str(node["NodeManagerAddress"]), {name: float(amount) for name, amount in node["Resources"].items()})
        for node in ray.nodes()
        if node["Alive"]
    ]


def import_ray() -> Any:
    """The package; a `UsageError` with the install hint where it is missing."""
    try:
        import ray
    except ImportError as exc:
        raise UsageError(f"--env-pool ray needs Ray: {one_line(exc)}.", "pip install grpo-env-ray") from exc
    return ray


class _LastingThread:
    """A thread that runs calls one after another: the kernel ends Ray's processes with the thread that started them."""

    def __init__(self) -> None:
        self._calls: queue.SimpleQueue[tuple[Callable[[], Any], Future[Any]] | None] = queue.SimpleQueue()
        threading.Thread(target=self._serve, name="grpo-env ray", daemon=True).start()

    def run(self, call: Callable[[], Any]) -> Any:
        """What the call returns or raises in the thread."""
        future: Future[Any] = Future()
        self._calls.put((call, future))
        return future.result()

    def end(self) -> None:
        """Let the thread end after the calls before."""
        self._calls.put(None)

    def _serve(self) -> None:
        while (item := self._calls.get()) is not None:
            call, future = item
            try:
                future.set_result(call())
            except BaseException as exc:  # raised again in the caller
                future.set_exception(exc)


def _connect(ray: Any, address: str | None, cpus: int) -> None:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    where = address or os.environ.get("RAY_ADDRESS") or _started_here() or "local"
    check_reachable(where)
    quiet: dict[str, Any] = {"logging_level": "ERROR", "log_to_driver": True}
    try:
        if where == "local":
            ray.init("local", num_cpus=cpus, include_dashboard=False, **quiet)
        else:
            ray.init(where, **quiet)
    except Exception as exc:  # Ray raises many types
        if where == "local":
            raise UsageError(f"Ray cannot start on this machine: {one_line(exc)}", f"Look into {_folder()}.") from exc
        hint = 'pip install "ray[client]"' if isinstance(exc, ImportError) else _NEXT
        raise UsageError(f"The Ray cluster {where} cannot be used: {one_line(exc)}", hint) from exc


_NEXT = "Is it running (`ray status`)? Leave --ray-address out to run on this machine."


def _folder() -> Path:
    """Where Ray writes its logs, and the address of the cluster that was started last."""
    return Path(os.environ.get("RAY_TMPDIR") or "/tmp", "ray")


def _started_here() -> str | None:
    """The address of the cluster that `ray start` has left running on this machine, where Ray too looks for it."""
    try:
        address = (_folder() / "ray_current_cluster").read_text(encoding="utf-8").strip()
        check_reachable(address)
    except (OSError, UsageError):
        return None
    return address


def check_reachable(address: str) -> None:
    """Raise where nothing listens at an address: Ray itself would try for a minute."""
    found = _HOST_AND_PORT.fullmatch(address)
    if found is None:
        if address in ("auto", "local") or "://" in address:
            return
        raise UsageError(
            f"--ray-address is {address!r:.100}, which is no address.",
            "Give auto, local, HOST:PORT or ray://HOST:PORT.",
        )
    try:
        socket.create_connection((found["six"] or found["host"], int(found["port"])), _REACHABLE_SECONDS).close()
    except (OSError, OverflowError) as exc:
        raise UsageError(f"No Ray cluster answers at {address}: {one_line(exc)}.", _NEXT) from exc
