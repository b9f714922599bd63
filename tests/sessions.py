"""A server with a few sessions that refuses one more, and an environment whose episodes each hold a session."""

import json
import threading
import urllib.error
import urllib.request
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from grpo_env_sdk import ToolEnv, call_message, reward, tool

MOST = 8


class SessionServer(ThreadingHTTPServer):
    """Opens a few sessions at most; it counts what it opened and refused."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, allowed):
        super().__init__(("127.0.0.1", 0), _Answers)
        self.allowed = allowed
        self.lock = threading.Lock()
        self.sessions = set()
        self.opened = self.refused = self.most = 0

    @property
    def url(self):
        """Where it is."""
        return f"http://127.0.0.1:{self.server_port}"

    def answered(self, what, session):
        """The status and the text of an answer."""
        with self.lock:
            if what == "open":
                if len(self.sessions) >= self.allowed:
                    self.refused += 1
                    return 503, "at capacity"
                self.opened += 1
                self.sessions.add(session := str(self.opened))
                self.most = max(self.most, len(self.sessions))
                return 200, session
            if session not in self.sessions:
                return 404, "no such session"
            if what == "close":
                self.sessions.remove(session)
            return 200, "done"


class _Answers(BaseHTTPRequestHandler):
    def do_POST(self):
        text = self.rfile.read(int(self.headers["Content-Length"])).decode()
        status, said = self.server.answered(self.path.strip("/"), json.loads(text))
        self.send_response(status)
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said.encode())

    def log_message(self, *args):
        pass


@contextmanager
def session_server(most=MOST):
    """A running server."""
    server = SessionServer(most)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


class Sessions(ToolEnv):
    """Press a key on a remote machine, and say that it is done."""

    max_turns = 3
    session = None

    def __init__(self, url: str, max_live: int = MOST):
        self.url = url
        self.max_live = max_live

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Press key {number}.", "key": number} for number in range(40)]

    def setup(self, row):
        if self.session is None:
            self.session = self.asked("open", None)
        self.pressed = []

    def close(self):
        if self.session is not None:
            self.asked("close", self.session)
        self.session = None

    def asked(self, what, session):
        """What the server answers; an error where it refuses."""
        request = urllib.request.Request(f"{self.url}/{what}", json.dumps(session).encode())
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:
                return answer.read().decode()
        except urllib.error.HTTPError as exc:
            raise RuntimeError(exc.read().decode()) from None

    @tool
    def press(self, key: int) -> str:
        """Press a key.

        Args:
            key: Its number.
        """
        self.asked("press", self.session)
        self.pressed.append(key)
        return "pressed"

    @reward
    def right(self, key):
        return self.pressed == [key]

    def solve(self, row):
        return [call_message("press", key=row["key"]), "Done."]
