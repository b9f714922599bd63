"""Environments whose code does to its process what it should not; each row names what."""

import ctypes
import json
import os
import re
import signal
import socket
import subprocess
import tempfile
import time
from contextlib import contextmanager, suppress
from pathlib import Path

from grpo_env_sdk import MultiTurnEnv, ToolEnv, call_message, reward, tool

ACTS = ("behave", "crash", "exit", "spin", "match", "hoard", "wander", "slam", "write", "fork", "hang", "leave")


class Hostile(MultiTurnEnv):
    """Says where it is, and does what its row says."""

    max_turns = 1
    reward_range = (0.0, 1.0)
    place = Path(__file__).parent

    def __init__(self, pids="", only=""):
        self.pids, self.only = pids, only

    def build_dataset(self, tokenizer):
        return [{"prompt": act, "act": act} for act in (self.only.split() or ACTS)]

    def step(self, action):
        where = {"folder": os.getcwd(), "temporary": tempfile.gettempdir(), "new": os.environ.get("NEW", "")}
        getattr(self, self.row["act"])()
        return json.dumps(where), 1.0, True, False, {}

    def behave(self):
        pass

    def crash(self):
        ctypes.string_at(0)

    def exit(self):
        os._exit(3)

    def spin(self):
        while True:
            pass

    def match(self):
        re.match(r"(a+)+$", "a" * 60 + "b")

    def hoard(self):
        bytearray(1 << 29)

    def wander(self):
        os.environ["NEW"] = "1"
        os.chdir("/")

    def slam(self):
        os.closerange(3, 256)

    def write(self):
        os.write(1, b"written\n")
        print("printed, and never flushed")

    def fork(self):
        child = subprocess.Popen(["sleep", "600"], start_new_session=True)
        forked = os.fork()
        if forked == 0:
            time.sleep(600)
        with open(self.pids, "a") as file:
            print(os.getpid(), child.pid, forked, file=file)

    def topple(self):
        os.kill(os.getppid(), signal.SIGKILL)
        time.sleep(600)

    def fork_and_topple(self):
        self.fork()
        self.topple()

    def halt(self):
        os.kill(os.getppid(), signal.SIGSTOP)

    def pry(self):
        """Says what it got at, of what a sandbox keeps from it."""
        found = [name for name in os.environ if "API_KEY" in name]
        for path in (self.pids, str(self.place / "written")):
            with suppress(OSError):
                Path(path).write_text("written")
                found.append(path)
        with suppress(OSError):
            found.append(Path(self.pids).read_text())
        with suppress(OSError):
            socket.create_connection(("127.0.0.1", int(os.environ["OPEN_PORT"])), 1).close()
            found.append("the network")
        with suppress(ProcessLookupError, PermissionError):
            os.kill(int(os.environ["RUN_PID"]), 0)
            found.append("the run")
        Path("scratch").write_text("may be written")
        raise LookupError(repr(found))

    def fill(self):
        """Says where it could write 65 MiB, and which keys it could read; for a sandbox only."""
        found = []
        for folder in ("/", "/run", "/dev", "/dev/shm", "/tmp", *self.pids.split()):
            with suppress(OSError), open(os.path.join(folder, "filled"), "wb") as file:
                os.posix_fallocate(file.fileno(), 0, 65 << 20)
                found.append(folder)
            with suppress(OSError):
                found += [path for path in os.listdir(folder) if path.endswith(".key")]
        raise LookupError(repr(found))

    def escape(self):
        """Says what it could do that root may; for a sandbox only, as nothing would be changed back."""
        found, libc = [], ctypes.CDLL(None)
        for path in (str(self.place), "/usr", "/proc", "/"):
            found += [f"remounted {path}"] * (libc.mount(None, path.encode(), None, 1 << 5 | 1 << 12, None) == 0)
        for path in self.pids.split():
            found += [f"uncovered {path}"] * (libc.umount2(path.encode(), 2) == 0)
        for path in ("/proc/sys/kernel/hostname", "/proc/sys/kernel/core_pattern", "/proc/self/comm"):
            with suppress(OSError):
                os.close(os.open(path, os.O_WRONLY))
                found.append(path)
        for family in (socket.AF_VSOCK, socket.AF_PACKET, socket.AF_ALG):
            with suppress(OSError):
                socket.socket(family, socket.SOCK_RAW if family == socket.AF_PACKET else socket.SOCK_STREAM).close()
                found.append(f"a socket of {family.name}")
        for number, *arguments in (
            (0x40000000 + 41, socket.AF_VSOCK, 1, 0),
            (425, 1, ctypes.create_string_buffer(200)),
        ):
            found += [f"the call {number}"] * (libc.syscall(number, *arguments) >= 0)
        found += re.findall("Cap.*[1-9a-f]$", Path("/proc/self/status").read_text(), re.MULTILINE)
        raise LookupError(repr(found))

    def peek(self):
        """Says which files have something to read, and which sockets and pipes take something; for a sandbox only."""
        found = []
        for path in Path(self.pids).rglob("*"):
            with suppress(OSError), socket.socket(socket.AF_UNIX) as talk:
                talk.connect(str(path))
                found.append(path.name)
            with suppress(OSError):
                os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
                found.append(path.name)
            with suppress(OSError):
                found += [path.name] * bool(path.is_file() and path.read_text())
        raise LookupError(repr(sorted(found)))

    def fork_and_hang(self):
        self.fork()
        self.hang()

    def hang(self):
        time.sleep(600)

    def leave(self):
        raise SystemExit(4)


class Counting:
    """A plain class without tools, whose one instance counts what it has scored."""

    def __init__(self):
        self.scored = 0

    def build_dataset(self, tokenizer):
        return [{"prompt": f"row {at}"} for at in range(6)]

    def score_episode(self, model, tokenizer, completion):
        self.scored += 1
        return float(self.scored)


class Keeping(Counting):
    """Says itself what is to be kept, and does what its config says while it is asked."""

    def __init__(self, act=""):
        super().__init__()
        self.act, self.state = act, {}

    def state_dict(self):
        if self.act == "raise":
            raise ValueError("not today")
        if self.act == "exit":
            os._exit(3)
        if self.act == "hang":
            time.sleep(600)
        return {"text": open} if self.act == "open" else self.state

    def load_state_dict(self, state):
        self.state = {**state, "restored": True}


class Lending(MultiTurnEnv):
    """Its episodes share what is opened once."""

    max_turns = 1
    reward_range = (0.0, 1.0)

    def __init__(self, log=""):
        self.log = log

    def build_dataset(self, tokenizer):
        return [{"prompt": f"row {at}"} for at in range(6)]

    @contextmanager
    def open_shared(self):
        self._note("opened")
        yield os.getpid()
        self._note("closed")

    def step(self, action):
        return "", float(self.shared == os.getpid()), True, False, {}

    def _note(self, word):
        with Path(self.log).open("a") as file:
            print(word, file=file)


class ScoresByModel(Counting):
    """Says that it scores with the live model."""

    uses_model = True


class Digging(ToolEnv):
    """A tool with a time of its own, which holds the interpreter."""

    def build_dataset(self, tokenizer):
        return [{"prompt": "Dig."}]

    @tool(timeout=0.5)
    def dig(self) -> str:
        """Never comes back."""
        while True:
            pass

    @reward
    def dug(self, completion):
        return 1.0

    def solve(self, row):
        yield call_message("dig")
        yield "Done."


class Lists(MultiTurnEnv):
    """Its answer is what a process finds in folders of the machine."""

    max_turns = 1
    reward_range = (0.0, 1.0)

    def __init__(self, beside=""):
        self.beside = beside

    def build_dataset(self, tokenizer):
        return [{"prompt": "Look around."}]

    def step(self, action):
        folders = filter(os.path.isdir, ("/opt", "/etc", "/etc/ssl", self.beside))
        found = [os.path.join(folder, name) for folder in folders for name in os.listdir(folder)]
        return " ".join(found), 1.0, True, False, {}
