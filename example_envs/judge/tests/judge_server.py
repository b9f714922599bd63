"""A real chat completions server on loopback, with a judge behind it that does what a test wants."""

import asyncio
import json
import re
import threading

from aiohttp import web
from grpo_env_sdk.policies.retry import Retries

QUICK = Retries(3, first_wait=0.001)
NEVER, HANGS_UP = object(), object()


class JudgeServer:
    """Answers each request by `reply(messages)`: the judge's text, a response, `NEVER` or `HANGS_UP`."""

    def __init__(self, reply):
        self.reply = reply
        self.asked = []
        self.keys = []
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)

    def __enter__(self):
        self._thread.start()
        assert self._ready.wait(10)
        return self

    def __exit__(self, *exc):
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    async def _serve(self):
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        app = web.Application()
        app.router.add_post("/v1/chat/completions", self._answer)
        runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        self.url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
        self._ready.set()
        await self._stop.wait()
        await runner.cleanup()

    async def _answer(self, request):
        messages = (await request.json())["messages"]
        self.asked.append(messages)
        self.keys.append(request.headers.get("Authorization"))
        told = self.reply(messages)
        if told is NEVER:
            await asyncio.Event().wait()
        if told is HANGS_UP:
            request.transport.abort()
            return web.Response()
        if isinstance(told, web.Response):
            return told
        return web.json_response({"choices": [{"message": {"role": "assistant", "content": told}}]})


def seal_of(messages):
    """The seal that a question asks for."""
    return re.search(r'"seal": "(\w+)"', messages[0]["content"])[1]


def grades(grade):
    """A judge that gives everything this grade."""
    return lambda messages: json.dumps({"seal": seal_of(messages), "grade": grade})


def says(text):
    """A judge that says this, whatever it is asked."""
    return lambda messages: text


def refuses(status, **headers):
    """A server that answers with this status."""
    return lambda messages: web.Response(status=status, text="no", headers=headers)


def first(*replies, then):
    """Each of these once, and then the last for ever."""
    left = [*replies]
    return lambda messages: (left.pop(0) if left else then)(messages)
