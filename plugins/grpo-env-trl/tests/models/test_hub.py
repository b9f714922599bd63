"""Names that are looked for on the hub: each answer is one line, and without a hub it comes at once."""

import http.server
import os
import subprocess
import sys
import threading

import pytest
from tiny_models import save_tiny_model


@pytest.fixture
def workplace(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


LOOK_UP = """
import sys
from grpo_env_sdk.errors import UsageError
from grpo_env_trl.models.source import find_model

for name in sys.argv[1:]:
    try:
        print(find_model(name))
    except UsageError as exc:
        print(exc)
print("heavy:", "torch" in sys.modules, "transformers" in sys.modules)
"""


def look_up(*names, **environment):
    """What looking these names up says, in a process of its own: the hub's library reads its settings once."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("HF_")}
    done = subprocess.run(
        [sys.executable, "-c", LOOK_UP, *names], env=kept | environment, capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()


class _Hub(http.server.BaseHTTPRequestHandler):
    """A hub with a gated model, one that has no model files, and nothing else."""

    def do_HEAD(self):  # as http.server calls it
        refused = {"/own/gated": (403, "GatedRepo"), "/own/data": (404, "EntryNotFound")}
        code, error = next(
            (found for path, found in refused.items() if self.path.startswith(path)), (404, "RepoNotFound")
        )
        self.send_response(200 if self.path == "/" else code)
        if self.path != "/":
            self.send_header("X-Error-Code", error)
            self.send_header("X-Repo-Commit", "0" * 40)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *args):
        """Say nothing."""


def test_what_the_hub_answers_becomes_one_line(workplace):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Hub)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}"
    try:
        said = look_up("own/gated", "own/none", "own/data", HF_ENDPOINT=url, HF_HOME=str(workplace))
    finally:
        server.shutdown()
        server.server_close()
    assert said[0] == (
        f"{url}/own/gated is gated, and you have no access to it. "
        "Request access on that page, then log in: hf auth login (or set HF_TOKEN)."
    )
    assert said[1].startswith(f"There is no model 'own/none': no such folder, and none that you can access at {url}.")
    assert said[2].startswith("The hub's 'own/data' has no config.json")
    assert said[3] == "heavy: False False"


def test_without_a_hub_a_name_fails_at_once_and_says_where_was_looked(workplace):
    nobody = "http://127.0.0.1:9"
    said = look_up("own/model", HF_ENDPOINT=nobody, HF_HOME=str(workplace))
    assert said[0].startswith(f"There is no model 'own/model': no such folder, not in the cache ({workplace}/hub), and")
    assert f"{nobody} does not answer" in said[0]
    offline = look_up("own/model", HF_HUB_OFFLINE="1", HF_HOME=str(workplace))
    assert "HF_HUB_OFFLINE is set" in offline[0]
    assert "hf download" in offline[0]


def test_what_is_in_the_cache_is_found_without_a_hub(workplace):
    snapshot = workplace / "hub" / "models--own--model" / "snapshots" / ("0" * 40)
    save_tiny_model("qwen3", snapshot)
    refs = workplace / "hub" / "models--own--model" / "refs"
    refs.mkdir()
    (refs / "main").write_text("0" * 40)
    said = look_up("own/model", HF_ENDPOINT="http://127.0.0.1:9", HF_HOME=str(workplace))
    assert said[0].startswith("ModelSource(name='own/model', path='own/model', adapter=False")
