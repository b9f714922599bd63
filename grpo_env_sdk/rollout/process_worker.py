"""A worker: carries out the commands of one episode at a time in a process of its own."""

import asyncio
import errno
import os
import resource
import socket
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

from grpo_env_sdk.envs.loaded_env import LoadedEnv
from grpo_env_sdk.errors import GrpoEnvError, GrpoEnvWarning, ProcessStuckError
from grpo_env_sdk.isolation.author_code.python_functions import PythonFunctions
from grpo_env_sdk.isolation.calls import tracebacks
from grpo_env_sdk.isolation.calls.calls_here import CallsHere
from grpo_env_sdk.isolation.calls.tracebacks import describe_error
from grpo_env_sdk.isolation.process_state.open_files import OpenFiles
from grpo_env_sdk.isolation.process_state.process_settings import ProcessSettings
from grpo_env_sdk.isolation.processes.forked import DESCRIPTOR_CLOSED
from grpo_env_sdk.rollout.absent_model import AbsentModel
from grpo_env_sdk.rollout.commands import USUAL_CALL, Failed, HostCommand, HostEvent, RunTools
from grpo_env_sdk.rollout.encoding import CommandDecoder, Packet, decode, encode, encode_event
from grpo_env_sdk.rollout.env_calls import EnvCalls
from grpo_env_sdk.rollout.host import Job
from grpo_env_sdk.rollout.kept_state import FILES_LEFT_OPEN, KeptState
from grpo_env_sdk.rollout.process_frames import Frame, Kind, Unpacker, received
from grpo_env_sdk.rollout.thread_host import ThreadHost, ThreadHosts
from grpo_env_sdk.rollout.worker_answers import description_of, kept_state, rows_of, state_given
from grpo_env_sdk.types import Fault

_A_YEAR = 365 * 86400.0
"""More than any call takes, and a number that the system takes as a limit."""
_LOOK_SECONDS = 0.2
"""How often a worker looks whether its descriptors are still its own."""


def work(
    loaded: LoadedEnv, prepared: Mapping[str, Any], settings: Mapping[str, Any], talk: socket.socket, folder: str
) -> None:
    """Serve episodes until the parent says that it is enough, or has gone; the order is that of both mappings."""
    order = {**prepared, **settings}
    _settle_in(folder, order)
    worker = _Worker(loaded, order, talk, folder)
    try:
        worker.serve(asyncio.new_event_loop())
    except OSError as exc:
        os._exit(DESCRIPTOR_CLOSED if exc.errno == errno.EBADF else 1)


def _settle_in(folder: str, order: Mapping[str, Any]) -> None:
    """A working directory, a temporary folder, limits, and a random state of its own."""
    tracebacks.relative_to(order["folder"])
    os.chdir(folder)
    os.environ["TMPDIR"], tempfile.tempdir = folder, None
    if (numpy := sys.modules.get("numpy")) is not None:
        numpy.random.seed()  # Python's own `random` seeds itself again after a fork
    warnings.formatwarning = partial(_as_note, warnings.formatwarning)
    limits = [(resource.RLIMIT_CORE, 0)]
    if order["memory"]:
        limits.append((resource.RLIMIT_DATA, order["memory"]))
    for what, most in limits:
        with suppress(ValueError, OSError):  # a lower limit is in force
            resource.setrlimit(what, (most, most))


def _as_note(
    usual: Callable[..., str], message: Warning | str, category: type[Warning], *place: Any, **named: Any
) -> str:
    """A warning of ours as the command prints it; any other as usual."""
    if issubclass(category, GrpoEnvWarning):
        return f"note: {message}\n"
    return usual(message, category, *place, **named)


class _Worker:
    def __init__(self, loaded: LoadedEnv, order: Mapping[str, Any], talk: socket.socket, folder: str) -> None:
        self.hosts = ThreadHosts(
            loaded, USUAL_CALL if order["usual_call"] else order["call_seconds"],
            tokenizer=order["scorer_tokenizer"], pool=CallsHere(),
            model=AbsentModel(loaded.spec.id) if order["model"] else None,
        )  # fmt: skip
        self.talk, self.folder = talk, folder
        self.rows, self.notes, self.reads = order["rows"], order["notes"], order.get("reads", ())
        self.identity = _identity(talk.fileno())
        self.hosting: dict[int, _Hosting] = {}
        self.environ = dict(os.environ)
        self.functions: PythonFunctions | None = order.get("functions")
        self.files: OpenFiles | None = None
        self.settings: ProcessSettings | None = None
        """What was set before the first episode."""
        self.shares = loaded.description.scores_in_order
        """Whether all episodes share an instance, so that this process has to stay whatever they do to it."""
        self.kept = KeptState(loaded.env)
        self.sending = threading.Lock()

    def serve(self, loop: asyncio.AbstractEventLoop) -> None:
        """Answer each frame with one, in order."""
        watched = {self.talk.fileno(): self.identity}
        threading.Thread(target=_watch, args=(watched,), name="grpo-env descriptors", daemon=True).start()
        unpacker = Unpacker()
        while (frame := received(self.talk, unpacker)) is not None:
            match frame.kind:
                case "begin":
                    self.answer(frame, loop.run_until_complete(self.begun()))
                case "perform":
                    self.limit_processor(self.call_seconds_of(frame.episode))
                    kind, packet = loop.run_until_complete(self.performed(frame))
                    self.send(Frame(kind, frame.episode, packet))
                case "close":
                    loop.run_until_complete(self.closed(frame.episode))
                    self.send(self.verdict(frame.episode))
                case "state":
                    self.limit_processor(self.hosts.call_seconds)
                    self.tell(frame, kept_state, self.hosts.loaded)
                case "restore":
                    self.limit_processor(self.hosts.call_seconds)
                    self.tell(frame, state_given, self.hosts.loaded, decode(frame.packet))
                case "describe":
                    self.tell(frame, description_of, self.hosts.loaded, self.rows, self.notes, self.reads)
                case "rows":
                    self.tell(frame, rows_of, self.rows, **decode(frame.packet))
                case _:
                    loop.run_until_complete(self.hosts.end())
                    self.answer(frame, None)
                    return

    async def begun(self) -> dict[str, str] | None:
        """Open what the class shares, once in each worker; or why that failed."""
        try:
            await self.hosts.begin()
        except Exception as exc:
            message = exc.message if isinstance(exc, GrpoEnvError) else describe_error(exc)
            return {"type": type(exc).__name__, "message": message, "hint": getattr(exc, "hint", "")}
        return None

    async def performed(self, frame: Frame) -> tuple[Kind, Packet]:
        """What a command led to."""
        hosting = self.hosting.get(frame.episode)
        if hosting is None:
            self.files = self.files or OpenFiles()
            self.settings = self.settings or ProcessSettings(self.functions)
            self.kept.begin()
            hosting = self.hosting[frame.episode] = _Hosting(_Host(self.hosts, Job(0), self.announce))
        command = hosting.decoder.decode(frame.packet)
        hosting.host.announces = isinstance(command, RunTools)
        try:
            event = await hosting.host.perform(command)
        except ProcessStuckError as exc:
            return "stuck", encode({"message": exc.message})
        finally:
            self.restore_functions()
            _show_printed()  # before the answer: it may be the last thing that this process is given time for
        stuck = hosting.host.calls.hung or self.hosts.pool.left_behind > 0
        return "stuck" if stuck else "event", _encoded(event, command)

    async def closed(self, episode: int) -> None:
        """Close the instance of an episode, and undo what it did to this process."""
        if (hosting := self.hosting.pop(episode, None)) is not None:
            await hosting.host.close()
            self.restore_functions()
        os.makedirs(self.folder, exist_ok=True)
        os.chdir(self.folder)
        if os.environ != self.environ:
            os.environ.clear()
            os.environ.update(self.environ)
        _show_printed()

    def restore_functions(self) -> None:
        """Put back functions of Python that an episode replaced, where others go on in this process."""
        if self.shares and self.settings is not None and self.settings.functions.changed:
            self.settings.functions.restore()

    def verdict(self, episode: int) -> Frame:
        """Whether another episode may have this process, and what episodes leave in it."""
        if self.files is not None and self.files.use_up(1.0 if self.shares else 0.5):
            return Frame("stuck", episode, FILES_LEFT_OPEN)
        return Frame("stuck" if self.is_spoilt else "event", episode, encode(self.kept.end()))

    @property
    def is_spoilt(self) -> bool:
        """Whether an episode changed what others would find, unless they all share an instance, which is to stay."""
        return not self.shares and self.settings is not None and self.settings.changed

    def announce(self, seconds: float | None) -> None:
        """Say how long the call may take that begins now."""
        self.send(Frame("clock", 0, encode(seconds)))

    def answer(self, frame: Frame, value: Any) -> None:
        """Answer with a value."""
        self.send(Frame("event", frame.episode, encode(value)))

    def tell(self, frame: Frame, call: Callable[..., Packet], *args: Any, **named: Any) -> None:
        """Answer with what a call gives, or with why there is nothing to send."""
        try:
            answer = Frame("event", frame.episode, call(*args, **named))
            answer.packed()
        except Exception as exc:
            said = exc.message if isinstance(exc, GrpoEnvError) else describe_error(exc)
            answer = Frame("event", frame.episode, encode({"failed": said, "hint": getattr(exc, "hint", "")}))
        self.send(answer)

    def send(self, frame: Frame) -> None:
        """Send a frame, if the socket is still ours."""
        if _identity(self.talk.fileno()) != self.identity:
            os._exit(DESCRIPTOR_CLOSED)
        with self.sending:
            self.talk.sendall(frame.packed())

    def call_seconds_of(self, episode: int) -> float | None:
        """The deadline of a call of an episode that is open here, or begins."""
        open_here = self.hosting.get(episode)
        return open_here.host.call_seconds if open_here else self.hosts.call_seconds

    def limit_processor(self, call_seconds: float | None) -> None:
        """Let this call have as much processor time as all cores give in its time, and no thread more after it."""
        if call_seconds is not None:
            used = resource.getrusage(resource.RUSAGE_SELF)
            seconds = min(call_seconds, _A_YEAR) + 1
            most = int(used.ru_utime + used.ru_stime + seconds * (os.cpu_count() or 1)) + 1
            with suppress(ValueError, OSError):
                resource.setrlimit(resource.RLIMIT_CPU, (most, resource.getrlimit(resource.RLIMIT_CPU)[1]))


class _Hosting:
    """An episode that is open here."""

    def __init__(self, host: "_Host") -> None:
        self.host, self.decoder = host, CommandDecoder()


class _Host(ThreadHost):
    """The host of an episode, which announces the time of each tool call."""

    def __init__(self, hosts: ThreadHosts, job: Job, announce: Callable[[float | None], None]) -> None:
        super().__init__(hosts, job)
        self.announces = False
        self.calls = _AnnouncedCalls(hosts, self, announce)


class _AnnouncedCalls(EnvCalls):
    def __init__(self, hosts: ThreadHosts, host: _Host, announce: Callable[[float | None], None]) -> None:
        super().__init__(hosts.loaded, hosts.pool)
        self._host, self._announce = host, announce

    async def call(self, seconds: float | None, what: str, function: Callable[..., Any], *args: Any) -> Any:
        if self._host.announces:
            self._announce(seconds)
        return await super().call(seconds, what, function, *args)


def _show_printed() -> None:
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):  # the environment may have closed it
            stream.flush()


def _encoded(event: HostEvent, command: HostCommand) -> Packet:
    """The event as a packet; one that cannot leave this process is the environment's failure."""
    try:
        return encode_event(event)
    except Exception as exc:  # such as a RecursionError, for lists in lists
        fault = Fault("environment", type(command).__name__.lower(), type(exc).__name__, str(exc))
        return encode_event(Failed("env_error", fault, seconds=event.seconds))


def _identity(descriptor: int) -> tuple[int, int] | None:
    try:
        found = os.fstat(descriptor)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _watch(watched: Mapping[int, tuple[int, int] | None]) -> None:
    """End this process once a descriptor that it lives by is closed: it could only hang."""
    while True:
        time.sleep(_LOOK_SECONDS)
        if any(_identity(descriptor) != before for descriptor, before in watched.items()):
            os._exit(DESCRIPTOR_CLOSED)
