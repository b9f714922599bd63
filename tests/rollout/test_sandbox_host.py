"""What environment code cannot reach or fill in a sandbox."""

import os
import shutil
import socket
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from grpo_env_sdk import SingleTurnEnv, evaluate, reward
from grpo_env_sdk.errors import GrpoEnvWarning
from grpo_env_sdk.rewards import python_tests
from tests.rollout.hostile_envs import Hostile, Lists


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")
def test_a_sandbox_has_no_network_no_keys_and_nothing_to_write_but_scratch(tmp_path, monkeypatch):
    secret = tmp_path / "secret"
    secret.write_text("a secret")
    with socket.create_server(("127.0.0.1", 0)) as server:
        monkeypatch.setenv("OPEN_PORT", str(server.getsockname()[1]))
        monkeypatch.setenv("RUN_PID", str(os.getpid()))
        monkeypatch.setenv("MY_API_KEY", "a key")
        config = {"only": "pry", "pids": str(secret)}
        told = [evaluate(Hostile, "random", config=config, split="all", env_pool=pool).kept[0].error.message
                for pool in ("sandbox", "process")]  # fmt: skip
    (Hostile.place / "written").unlink()
    assert told[0] == "[]"
    assert all(word in told[1] for word in ("MY_API_KEY", str(secret), "written", "the network", "the run"))


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")
def test_a_sandbox_cannot_fill_the_machine_s_memory_with_files_nor_read_the_key_that_signs_runs(tmp_path, monkeypatch):
    state = tmp_path / ".local" / "state" / "grpo-env"
    state.mkdir(parents=True)
    (state / "signing.key").write_text("a key")
    monkeypatch.syspath_prepend(str(tmp_path))  # a home with code to import
    config = {"only": "fill", "pids": f"{state} {state.parent}"}
    (episode,) = evaluate(Hostile, "random", config=config, split="all", env_pool="sandbox").kept
    assert episode.error.message == "[]"


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")
def test_a_sandbox_has_no_rights_of_root_and_no_setting_of_the_machine(tmp_path, monkeypatch):
    (tmp_path / ".ssh").mkdir()
    monkeypatch.syspath_prepend(str(tmp_path))
    config = {"only": "escape", "pids": str(tmp_path / ".ssh")}
    (episode,) = evaluate(Hostile, "random", config=config, split="all", env_pool="sandbox").kept
    assert episode.error.message == "[]"


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")
def test_a_sandbox_reads_no_keys_below_its_folders_and_reaches_no_socket_or_pipe_there(tmp_path, monkeypatch):
    folder = tmp_path / "w"
    for name in ("sub/.env", ".env.local", ".pgpass", "sub/id_ed25519", "state/grpo-env/signing.key", "sub/shown"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("a secret")
    os.mkfifo(folder / "sub" / "pipe")
    reading = os.open(folder / "sub" / "pipe", os.O_RDWR)
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "state"))
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("sub/socket")
        server.listen()
        config = {"only": "peek", "pids": str(folder)}
        (episode,) = evaluate(Hostile, "random", config=config, split="all", env_pool="sandbox").kept
    os.close(reading)
    assert episode.error.message == "['shown']"


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")
def test_a_sandbox_shows_of_opt_and_of_settings_only_what_code_and_libraries_need(tmp_path, monkeypatch):
    (tmp_path / "code").mkdir()
    (tmp_path / "beside").write_text("not for code")
    monkeypatch.syspath_prepend(str(tmp_path / "code"))
    config = {"beside": str(tmp_path)}
    (episode,) = evaluate(Lists, "random", config=config, split="all", env_pool="sandbox").kept
    found = set(episode.messages[-1]["content"].split())
    code = [Path(path).resolve() for path in (sys.prefix, sys.base_prefix, *sys.path)]
    holds_code = {str(folder) for path in code for folder in (path, *path.parents)}
    assert found - holds_code <= {
        "/etc/alternatives", "/etc/group", "/etc/ld.so.cache", "/etc/localtime", "/etc/mime.types",
        "/etc/nsswitch.conf", "/etc/passwd", "/etc/ssl", "/etc/ssl/certs", "/etc/ssl/openssl.cnf",
    }  # fmt: skip
    assert {"/etc/passwd", str(tmp_path / "code")} <= found


def test_a_sandbox_is_refused_with_how_to_install_it_where_there_is_no_bubblewrap(tmp_path):
    script = "from grpo_env_sdk import evaluate\nevaluate('hotel-v1', 'gold', env_pool='sandbox')"
    run = subprocess.run([sys.executable, "-c", script], env={**os.environ, "PATH": str(tmp_path)}, check=False,
                         capture_output=True, text=True)  # fmt: skip
    assert "apt install bubblewrap" in run.stderr


class Codes(SingleTurnEnv):
    """Its scores run the model's code, and one of its warnings comes from a worker."""

    rewards = (python_tests(),)

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Write {n}.", "code": f"x = {n}", "tests": f"assert x == {n}"} for n in range(4)]

    @reward
    def noted(self, completion):
        warnings.warn("of a worker", GrpoEnvWarning, stacklevel=1)
        return 1.0

    def solve(self, row):
        return row["code"]


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")
def test_that_the_model_s_code_shares_the_sandbox_is_noted_once_without_a_place(capfd):
    with warnings.catch_warnings(record=True) as noted:
        warnings.simplefilter("always")
        done = evaluate(Codes, "gold", split="all", env_pool="sandbox", concurrency=2)
    assert done.summary["reward"]["mean"] == 1.0
    (note,) = [str(one.message) for one in noted if "sandbox" in str(one.message)]
    assert "it can read the environment's code and tests" in note
    shown = capfd.readouterr().err
    assert "without a sandbox" not in shown
    assert "bwrap failed" not in shown
    assert {line for line in shown.splitlines() if "of a worker" in line} == {"note: of a worker"}
