"""A hub on this machine: it knows one user, creates repositories, and accepts uploads or none."""

import http.server
import json
import threading
from contextlib import contextmanager


class _Hub(http.server.BaseHTTPRequestHandler):
    def do_GET(self):  # as http.server calls it
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        known = self.headers.get("Authorization") == "Bearer hf_known"
        if self.path == "/":
            self._answer(200, {})
        elif "whoami" in self.path:
            self._answer(*((200, {"name": "me", "type": "user"}) if known else (401, {"error": "Invalid username"})))
        elif self.path.endswith("/repos/create"):
            self._answer(200, {"url": f"http://{self.headers['Host']}/me/run", "id": "me/run"})
        else:
            self._answer(403, {"error": "the quota is used up"})

    do_POST = do_HEAD = do_GET  # noqa: N815 - as http.server calls them

    def _answer(self, code, body):
        text = json.dumps(body).encode()
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(text)

    def log_message(self, *args):
        """Say nothing."""


@contextmanager
def running_hub():
    """The address of a hub that runs meanwhile."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Hub)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
