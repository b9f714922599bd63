"""The connection of this process to a Ray cluster, which all pools of the process share."""

import atexit
import os
import queue
import re
import socket
import threading
import warnings
from collections.abc import Callable
from concurrent.futures import Future
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from grpo_env_ray.quiet_start import held_back
from grpo_env_ray.resources import Node
from grpo_env_ray.spoken import speak_on_stderr
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
    # Only for what Ray finds by itself it uses the token of this machine: not for an address that somebody names.
    where = address or os.environ.get("RAY_ADDRESS") or ("auto" if _is_running_here() else "local")
    check_reachable(where)
    settings: dict[str, Any] = {"logging_level": "ERROR", "log_to_driver": True}
    settings |= {"num_cpus": cpus, "include_dashboard": False} if where == "local" else {}
    speak_on_stderr(import_module("ray._private.worker"))
    told: list[str] = []
    try:
        with held_back(told), warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of Ray's client, which raises the same
            ray.init(where, **settings)
    except Exception as exc:  # Ray raises many types
        raise _refused(where, exc, told) from exc


def _refused(where: str, exc: Exception, told: list[str]) -> UsageError:
    """The error for a cluster that cannot be used; `told` is what Ray wrote."""
    why = one_line(exc).rstrip(".")
    if where == "local":
        return UsageError(f"Ray cannot start on this machine: {why}.", f"Look into {_folder()}.")
    if type(exc).__name__ == "AuthenticationError" or any("AuthToken" in line for line in told):
        return UsageError(f"The Ray cluster {where} asks for a token, and did not get the right one.", _TOKEN)
    return UsageError(f"The Ray cluster {where} cannot be used: {why}.", f"{_NEXT} {_TOKEN}")


_NEXT = "Is it running (`ray status`)? Leave --ray-address out to run on this machine."
_TOKEN = "A cluster with a token needs RAY_AUTH_MODE=token here, and its token in ~/.ray/auth_token or RAY_AUTH_TOKEN."


def _folder() -> Path:
    """Where Ray writes its logs, and the address of the cluster that was started last."""
    return Path(os.environ.get("RAY_TMPDIR") or os.environ.get("TMPDIR") or "/tmp", "ray")


def _is_running_here() -> bool:
    """Whether `ray start` has left a cluster running on this machine, where Ray too looks for it."""
    try:
        check_reachable((_folder() / "ray_current_cluster").read_text(encoding="utf-8").strip())
    except (OSError, UsageError):
        return False
    return True


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
        where = (found["six"] or found["host"], int(found["port"]))
        with socket.create_connection(where, _REACHABLE_SECONDS) as connection:
            speaks = "RAY_USE_TLS" in os.environ or _speaks_grpc(connection)
    except (OSError, OverflowError) as exc:
        raise UsageError(f"No Ray cluster answers at {address}: {one_line(exc)}.", _NEXT) from exc
    if not speaks:
        raise UsageError(f"What answers at {address} is no Ray cluster.", _NEXT)
    if address.startswith("ray://") and find_spec("grpc") is None:
        raise UsageError(f"--ray-address {address} needs Ray's client.", 'pip install "ray[client]"')


def _speaks_grpc(connection: socket.socket) -> bool:
    """Whether the other side begins to talk in HTTP/2, with its settings: Ray would wait minutes for another server."""
    connection.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes((0, 0, 0, 4, 0, 0, 0, 0, 0)))
    return connection.recv(9)[3:4] == b"\x04"
