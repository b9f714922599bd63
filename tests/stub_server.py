"""A real chat completions server on loopback that answers at once, or misbehaves as its script says.

    with StubServer(error(429, retry_after="0"), says("four")) as server:  # one for each request; the last one stays
        evaluate(env, "openai:any", base_url=server.url)
        assert server.requests == 2

    server.when("Question 3?", never)   # requests with this text in their body have a script of their own
    server.at("slow", byte_by_byte())   # and so has a path: returns its base URL

`python -m tests.stub_server --port 8000` serves until it is stopped; every behaviour of `NAMED` has a path there,
such as http://127.0.0.1:8000/never/v1.
"""

import argparse
import asyncio
import itertools
import json
import threading
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass
from email.utils import formatdate
from typing import Any

from aiohttp import web


@dataclass(frozen=True)
class Asked:
    """One request as it came in, and how many were there together with it."""

    request: web.Request
    body: bytes
    at_once: int
    time: float

    @property
    def json(self) -> dict[str, Any]:
        return json.loads(self.body)


Behaviour = Callable[[Asked], Awaitable[web.StreamResponse]]


class StubServer:
    """Serves in a thread of its own, between `with` and the end of it."""

    def __init__(self, *script: Behaviour, port: int = 0) -> None:
        self.requests = 0
        self.at_once = 0
        self.most_at_once = 0
        self.asked: deque[Asked] = deque(maxlen=1000)
        self._script = _played(script or (says("ok"),))
        self._texts: list[tuple[bytes, Iterator[Behaviour]]] = []
        self._paths: dict[str, Iterator[Behaviour]] = {}
        self._port = port
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self.serve()), daemon=True)

    @property
    def url(self) -> str:
        """What to give as `--base-url`."""
        return f"http://127.0.0.1:{self._port}/v1"

    def plays(self, *script: Behaviour) -> None:
        """Play this script from the next request on."""
        self._script = _played(script)

    def when(self, text: str, *script: Behaviour) -> None:
        """Play another script to requests whose body has this text."""
        self._texts.append((text.encode(), _played(script)))

    def at(self, path: str, *script: Behaviour) -> str:
        """The base URL under which another script is played."""
        self._paths[path] = _played(script)
        return f"http://127.0.0.1:{self._port}/{path}/v1"

    def __enter__(self) -> "StubServer":
        self._thread.start()
        assert self._ready.wait(10), "the stub server did not start"
        return self

    def __exit__(self, *exc: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Go away, with all connections; once is enough."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stop.set)
            self._thread.join()

    async def serve(self) -> None:
        """Answer until it is told to stop."""
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        app = web.Application(client_max_size=2**30)
        app.router.add_route("*", "/{path:.*}", self._answer)
        runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", self._port).start()
        self._port = runner.addresses[0][1]
        self._ready.set()
        await self._stop.wait()
        await runner.cleanup()

    async def answers(self, request: web.Request) -> web.StreamResponse | None:
        """What a path says that no script is for."""
        return None if request.method == "POST" else web.Response(status=405)

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        if (said := await self.answers(request)) is not None:
            return said
        self.requests += 1
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            asked = Asked(request, await request.read(), self.at_once, time.monotonic())
            self.asked.append(asked)
            return await self._script_for(request.path, asked.body)(asked)
        finally:
            self.at_once -= 1

    def _script_for(self, path: str, body: bytes) -> Behaviour:
        for text, script in self._texts:
            if text in body:
                return next(script)
        return next(self._paths.get(path.split("/")[1], self._script))


def _played(script: Iterable[Behaviour]) -> Iterator[Behaviour]:
    """Each behaviour once, and the last one for ever."""
    *first, last = script
    return itertools.chain(first, itertools.repeat(last))


# What a server answers when all is well.


def raw(body: bytes | str, status: int = 200, kind: str = "application/json", **headers: str) -> Behaviour:
    """These bytes."""
    data = body.encode() if isinstance(body, str) else body
    told = {name.replace("_", "-"): value for name, value in headers.items()}

    async def answer(asked: Asked) -> web.StreamResponse:
        return web.Response(body=data, status=status, content_type=kind, headers=told)

    return answer


def whole(answer: Any) -> Behaviour:
    """Any JSON."""
    return raw(json.dumps(answer))


def choice(message: Any, finish: str = "stop", **more: Any) -> Behaviour:
    """A choice with this message; `more` goes beside it, such as `token_ids`."""
    told = {"index": 0, "finish_reason": finish, "message": message, **more}
    usage = {"prompt_tokens": 20, "completion_tokens": 10, "total_tokens": 30}
    return whole(
        {"id": "x", "object": "chat.completion", "created": 1, "model": "x", "choices": [told], "usage": usage}
    )


def says(content: str | None, finish: str = "stop", **message: Any) -> Behaviour:
    """A text; `message` has the rest of the message, such as `reasoning_content`."""
    return choice({"role": "assistant", "content": content, **message}, finish)


def calls(*wanted: tuple[str, Any], finish: str = "tool_calls") -> Behaviour:
    """Tool calls as OpenAI sends them: the arguments of each are JSON text; a str is sent as it stands."""
    texts = [(name, given if isinstance(given, str) else json.dumps(given)) for name, given in wanted]
    return says(None, finish, tool_calls=[_call(i, name, text) for i, (name, text) in enumerate(texts)])


def calls_with_dicts(*wanted: tuple[str, Any]) -> Behaviour:
    """Tool calls with their arguments as objects, as some servers send them."""
    return says("", "tool_calls", tool_calls=[_call(i, name, given) for i, (name, given) in enumerate(wanted)])


def _call(index: int, name: str, arguments: Any) -> dict[str, Any]:
    return {"id": f"call_{index}", "type": "function", "function": {"name": name, "arguments": arguments}}


async def echoes(asked: Asked) -> web.StreamResponse:
    """What the last message said."""
    return await says(asked.json["messages"][-1]["content"])(asked)


def by_results(*behaviours: Behaviour) -> Behaviour:
    """The first where no tool has answered yet, the second after one answer, ...; the last for all that follow."""

    async def answer(asked: Asked) -> web.StreamResponse:
        results = asked.body.count(b'"role": "tool"') + asked.body.count(b'"role":"tool"')
        return await behaviours[min(results, len(behaviours) - 1)](asked)

    return answer


# What it may do wrong.


def error(status: int, message: str = "no", retry_after: str | None = None, **more: Any) -> Behaviour:
    """An error in OpenAI's form."""
    headers = {} if retry_after is None else {"Retry_After": retry_after}
    return raw(json.dumps({"error": {"message": message, "type": "stub", **more}}), status, **headers)


def later(seconds: float) -> Behaviour:
    """A 429 that says when to come back, as a date."""

    async def answer(asked: Asked) -> web.StreamResponse:
        return await error(429, "slow down", formatdate(time.time() + seconds, usegmt=True))(asked)

    return answer


def at_most(many: int, behaviour: Behaviour, seconds: float = 0.01) -> Behaviour:
    """A 429 for all beyond so many at once; the others are answered after a while."""

    async def answer(asked: Asked) -> web.StreamResponse:
        if asked.at_once > many:
            return await error(429, "too many at once")(asked)
        await asyncio.sleep(seconds)
        return await behaviour(asked)

    return answer


async def never(asked: Asked) -> web.StreamResponse:
    """Accepts, and never answers."""
    await asyncio.Event().wait()
    raise AssertionError("this never comes")


def byte_by_byte(seconds: float = 0.05, body: bytes = b'{"choices": []}' + b" " * 10**6) -> Behaviour:
    """One byte, and a while later the next."""

    async def answer(asked: Asked) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Length": str(len(body))})
        await response.prepare(asked.request)
        for i in range(len(body)):
            await response.write(body[i : i + 1])
            await asyncio.sleep(seconds)
        return response

    return answer


async def hangs_up(asked: Asked) -> web.StreamResponse:
    """Closes the connection without a word."""
    assert asked.request.transport
    asked.request.transport.abort()
    return web.Response()


async def closes_in_the_middle(asked: Asked) -> web.StreamResponse:
    """Half of an answer, and the end of the connection."""
    response = web.StreamResponse(headers={"Content-Length": "1000"})
    await response.prepare(asked.request)
    await response.write(b'{"choices": [{"mess')
    assert asked.request.transport
    asked.request.transport.close()
    return response


def huge(size: int) -> Behaviour:
    """An answer of so many bytes."""

    async def answer(asked: Asked) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(asked.request)
        for _ in range(0, size, 2**20):
            await response.write(b" " * 2**20)
        return response

    return answer


def tells_the_key(status: int, before: str = "") -> Behaviour:
    """An error that repeats the Authorization header, as some proxies do."""

    async def answer(asked: Asked) -> web.StreamResponse:
        sent = asked.request.headers.get("Authorization", "nothing")
        return await error(status, f"{before}Incorrect API key provided: {sent}")(asked)

    return answer


OPENAI_OVERFLOW = error(
    400,
    "This model's maximum context length is 4097 tokens. However, your messages resulted in 5017 tokens. "
    "Please reduce the length of the messages.",
    code="context_length_exceeded",
)
VLLM_OVERFLOW = error(
    400,
    "This model's maximum context length is 256 tokens. However, your prompt contains at least 257 input tokens, which "
    "exceeds this limit even without any output tokens. Please reduce the length of the input prompt. "
    "(parameter=input_tokens, value=257)",
    code=400,
)
NAMED: dict[str, Behaviour] = {
    "ok": says("ok"),
    "echo": echoes,
    "reasoning": says("4", reasoning_content="2 and 2 make 4."),
    "refusal": says(None, refusal="I will not say that."),
    "content-filter": says("", "content_filter"),
    "cut-off": says("one two", "length"),
    "no-choices": whole({"choices": []}),
    "no-message": whole({"choices": [{"index": 0, "finish_reason": "stop"}]}),
    "too-many": error(429, "slow down"),
    "later": error(429, "slow down", "1"),
    "later-date": later(2),
    "server-error": error(500, "broken"),
    "request-timeout": error(408),
    "conflict": error(409),
    "no-key": error(401, "Missing bearer authentication."),
    "forbidden": error(403, "You are not allowed to sample from this model."),
    "wrong-model": error(404, "The model `x` does not exist."),
    "openai-overflow": OPENAI_OVERFLOW,
    "vllm-overflow": VLLM_OVERFLOW,
    "bad-request": error(400, "Unrecognized request argument supplied: top_q"),
    "unprocessable": raw('{"detail": [{"loc": ["body", "seed"], "msg": "Extra inputs are not permitted"}]}', 422),
    "never": never,
    "slow": byte_by_byte(),
    "wrong-json": raw("{choices: none}"),
    "truncated-json": raw('{"choices": [{"message": {"role": "assist'),
    "html": raw("<!DOCTYPE html><html><h1>Welcome</h1></html>", kind="text/html"),
    "empty": raw(""),
    "hangs-up": hangs_up,
    "closes-in-the-middle": closes_in_the_middle,
    "huge": huge(64 * 2**20),
    "tells-the-key": tells_the_key(500),
}


def main() -> None:
    """Serve until stopped, every named behaviour at a path of its name."""
    parser = argparse.ArgumentParser(prog="python -m tests.stub_server")
    parser.add_argument("--port", type=int, default=0, help="where to listen (any free port)")
    parser.add_argument("--script", nargs="+", default=["ok"], choices=NAMED, metavar="NAME", help=", ".join(NAMED))
    args = parser.parse_args()
    with StubServer(*(NAMED[name] for name in args.script), port=args.port) as server:
        for name, behaviour in NAMED.items():
            server.at(name, behaviour)
        print(server.url, flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main()
