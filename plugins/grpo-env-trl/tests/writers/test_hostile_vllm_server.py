"""A vLLM server whose answers have no end, or cannot be read: one line, and little memory."""

import asyncio
from types import SimpleNamespace

import pytest
from aiohttp import web
from vllm_stub import VLLMStub

from grpo_env_sdk.errors import UsageError
from grpo_env_sdk.ext import PolicyError, UnusablePolicyError
from grpo_env_trl.writers.vllm_server import ServerTurns
from grpo_env_trl.writers.vllm_servers import VLLMServers, fetched
from grpo_env_trl.writers.writer import Ask
from tests.stub_server import raw

NESTED = "[" * 200_000
MOST_SENT = 64 * 2**20
"""The limit, and what the buffers of a connection hold."""


class Endless:
    """Says how many bytes it could send before the client went away."""

    def __init__(self, status=200):
        self.status, self.sent = status, 0

    async def __call__(self, asked):
        response = web.StreamResponse(status=self.status)
        await response.prepare(getattr(asked, "request", asked))
        while True:
            await response.write(b" " * 2**20)
            self.sent += 2**20


class Hostile(VLLMStub):
    """Some paths answer without end."""

    def __init__(self, *script, endless=()):
        super().__init__(SimpleNamespace(), *script)
        self.endless = {path: Endless() for path in endless}

    async def answers(self, request):
        if request.path in self.endless:
            return await self.endless[request.path](request)
        return await super().answers(request)


def failure_of(server, patience=5.0):
    """What a turn fails with."""

    async def turn():
        turns = ServerTurns(servers, None, {}, patience)
        try:
            await turns.write(Ask(0, [5, 6], 3))
        finally:
            await turns.close()

    with server:
        servers = VLLMServers([server.base])
        with pytest.raises(PolicyError) as caught:
            asyncio.run(turn())
    assert "\n" not in str(caught.value)
    return caught.value


@pytest.mark.parametrize("status", [200, 400, 500])
def test_an_answer_without_end_is_one_line_and_little_memory(status):
    endless = Endless(status)
    failure = failure_of(Hostile(endless))
    assert "/v1/completions answered with more than 33554432 bytes" in str(failure)
    assert failure.kind == "huge_answer"
    assert endless.sent < MOST_SENT


def test_a_health_without_end_is_one_line_and_little_memory():
    async def slow(asked):
        await asyncio.sleep(60)

    server = Hostile(slow, endless=["/health"])
    assert "/health answered with more than" in str(failure_of(server, patience=0.3))
    assert server.endless["/health"].sent < MOST_SENT


def test_information_without_end_counts_as_none():
    server = Hostile(raw("", status=500), raw("", status=401), endless=["/server_info"])
    assert isinstance(failure_of(server), UnusablePolicyError)
    assert server.endless["/server_info"].sent < 3 * MOST_SENT  # asked at the start, and after the failure


@pytest.mark.parametrize("text", [NESTED, "{", "<html>"])
def test_json_that_cannot_be_read_is_one_line(text):
    async def nested(request):
        return web.Response(text=text)

    server = Hostile()
    server.answers = nested
    with server, pytest.raises(UsageError, match="No vLLM server answers"):
        fetched(f"{server.base}/v1/models")
