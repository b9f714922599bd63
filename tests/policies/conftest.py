"""Shared by the tests of policies: a server of their own, and an environment without keys and proxies."""

import socket
from collections.abc import Iterator

import pytest

from grpo_env_sdk.policies.endpoint import KEY_VARIABLE, URL_VARIABLE
from tests.stub_server import StubServer, echoes


@pytest.fixture
def server() -> Iterator[StubServer]:
    """A server that echoes, unless a test says otherwise by `when` and `at`."""
    with StubServer(echoes) as running:
        yield running


@pytest.fixture(autouse=True)
def no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests decide themselves whether there is a key, an address or a proxy."""
    for name in (KEY_VARIABLE, URL_VARIABLE, "http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def nowhere() -> Iterator[str]:
    """A base URL at which nobody listens, nor will."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
