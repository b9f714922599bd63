import asyncio
import json
import subprocess
import sys
import urllib.error
import urllib.request

import pytest

from grpo_env_sdk.policies import Request
from tests.policies.parrot import model_at
from tests.stub_server import NAMED, StubServer, error, says


def ask(url, text="hi"):
    """The status and the JSON of one answer, by a client that is not ours."""
    body = json.dumps({"messages": [{"role": "user", "content": text}]}).encode()
    try:
        with urllib.request.urlopen(f"{url}/chat/completions", body, timeout=10) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as exc:
        with exc:
            return exc.code, json.load(exc)


def said(answer):
    status, data = answer
    return data["choices"][0]["message"]["content"] if status == 200 else status


def test_a_script_is_played_once_and_its_last_line_stays():
    with StubServer(error(500), says("a"), says("b")) as server:
        assert [said(ask(server.url)) for _ in range(4)] == [500, "a", "b", "b"]
        server.plays(says("c"))
        assert said(ask(server.url)) == "c"
        assert server.requests == 5
        assert server.asked[0].json["messages"][0]["content"] == "hi"


def test_paths_and_texts_have_scripts_of_their_own():
    with StubServer(says("usual")) as server:
        other = server.at("other", says("one"), says("two"))
        server.when("special", error(418))
        assert [said(ask(url)) for url in (other, server.url, other)] == ["one", "usual", "two"]
        assert said(ask(server.url, "something special")) == 418


def test_it_runs_as_a_command_with_every_behaviour_at_its_path():
    command = [sys.executable, "-m", "tests.stub_server", "--script", "server-error", "ok"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout
            url = process.stdout.readline().strip()
            assert [said(ask(url)) for _ in range(2)] == [500, "ok"]
            assert said(ask(url.replace("/v1", "/refusal/v1"))) is None
            assert said(ask(url.replace("/v1", "/later/v1"))) == 429
        finally:
            process.kill()


@pytest.mark.parametrize("name", ["never", "slow", "hangs-up", "closes-in-the-middle", "huge", "empty", "html"])
def test_it_goes_away_at_once_whatever_it_was_doing(name):
    with StubServer(NAMED[name]) as server:

        async def give_up():
            policy = model_at(server.url)
            try:
                async with asyncio.timeout(0.1):
                    await policy.respond(Request([{"role": "user", "content": "hi"}]))
            except Exception as exc:
                return type(exc).__name__
            finally:
                await policy.close()

        assert asyncio.run(give_up()) in ("TimeoutError", "PolicyError", "UnusablePolicyError")
