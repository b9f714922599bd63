"""What is said in one line before a run begins."""

import socket
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib.util import find_spec

import pytest

from grpo_env_ray.cluster import check_reachable
from grpo_env_sdk.cli import main
from grpo_env_sdk.errors import UsageError


@pytest.fixture
def closed_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


@pytest.mark.parametrize("shape", ["127.0.0.1:{}", "ray://127.0.0.1:{}", "[::1]:{}"])
def test_an_address_where_nothing_listens_is_refused_at_once(closed_port, shape):
    address = shape.format(closed_port)
    with pytest.raises(UsageError, match="No Ray cluster answers at") as refused:
        check_reachable(address)
    assert address in str(refused.value)
    assert "ray status" in refused.value.hint


@pytest.mark.parametrize("shape", ["127.0.0.1:{}", "ray://127.0.0.1:{}"])
def test_a_server_that_is_no_cluster_is_refused_at_once(shape):
    with HTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as server:
        threading.Thread(target=server.handle_request, daemon=True).start()
        with pytest.raises(UsageError, match="is no Ray cluster") as refused:
            check_reachable(shape.format(server.server_port))
    assert str(server.server_port) in str(refused.value)


@pytest.mark.parametrize("address", ["head", "127.0.0.1", "127.0.0.1:x", ""])
def test_what_is_no_address_is_refused(address):
    with pytest.raises(UsageError, match="HOST:PORT"):
        check_reachable(address)


def test_the_help_shows_the_pool_and_its_flags(capsys):
    with pytest.raises(SystemExit):
        main(["eval", "--help"])
    told = capsys.readouterr().out
    assert all(word in told for word in ("sandbox,ray", "--ray-address ADDRESS", "--ray-resources JSON"))


def test_listing_the_pool_does_not_import_ray():
    code = "import sys; from grpo_env_sdk.ext import pool_names; print('ray' in pool_names(), 'ray' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "False"]


@pytest.mark.skipif(find_spec("ray") is not None, reason="Ray is installed")
def test_without_ray_the_install_hint_is_given(capsys):
    assert main(["eval", "hotel-v1", "--model", "gold", "--env-pool", "ray"]) == 2
    assert "pip install grpo-env-ray" in capsys.readouterr().err
