"""A real HTTP server on loopback that adds numbers in sessions, and two asynchronous environments that use it."""

import asyncio
import threading
from contextlib import asynccontextmanager

import aiohttp
from aiohttp import web

from grpo_env_sdk import MultiTurnEnv, ToolEnv, call_message, reward, tool

SESSIONS = 64
"""How many sessions the server keeps at once; one more is refused, so that forgotten ones are noticed."""


class AdderServer:
    """Serves in a thread between `with` and the end of it; counts sessions and clients."""

    def __init__(self):
        self.open, self.opened, self.clients = {}, 0, set()
        self._ready, self._loop = threading.Event(), asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self):
        self._thread.start()
        assert self._ready.wait(20)
        return self

    def __exit__(self, *_):
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(20)

    def _serve(self):
        self._loop.run_until_complete(self._start())
        self._ready.set()
        self._loop.run_forever()
        self._loop.run_until_complete(self._runner.cleanup())
        self._loop.close()

    async def _start(self):
        app = web.Application()
        app.router.add_post("/sessions", self._begin)
        app.router.add_post("/sessions/{id}/add", self._add)
        app.router.add_delete("/sessions/{id}", self._end)
        self._runner = web.AppRunner(app)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"

    async def _begin(self, request):
        self.clients.add(request.headers["client"])
        if len(self.open) >= SESSIONS:
            return web.Response(status=503, text="at capacity")
        self.opened += 1
        self.open[str(self.opened)] = 0
        return web.json_response({"id": str(self.opened)})

    async def _add(self, request):
        given, session = await request.json(), request.match_info["id"]
        self.open[session] += given["number"]
        return web.json_response({"sum": self.open[session]})

    async def _end(self, request):
        del self.open[request.match_info["id"]]
        return web.Response()


class Client:
    """What all episodes of a run share: one HTTP session, on one event loop."""

    names = iter(range(1_000_000))

    def __init__(self, http):
        self.http = http

    async def ask(self, method, path, **given):
        async with self.http.request(method, path, json=given) as response:
            if response.status != 200:
                raise ConnectionError(f"the server said {response.status}: {await response.text()}")
            return await response.json() if response.content_type == "application/json" else None


class _OnTheServer:
    """One session on the server for each instance, from the first `setup` to `close`."""

    def __init__(self, url=""):
        self.url = url
        self.session = None

    @asynccontextmanager
    async def open_shared(self):
        headers = {"client": str(next(Client.names))}
        async with aiohttp.ClientSession(self.url, headers=headers) as http:
            yield Client(http)

    async def setup(self, row):
        await self.close()
        self.session = (await self.shared.ask("POST", "/sessions"))["id"]
        self.sums = []

    async def close(self):
        session, self.session = self.session, None
        if session is not None:
            await self.shared.ask("DELETE", f"/sessions/{session}")

    async def add_up(self, number):
        self.sums.append((await self.shared.ask("POST", f"/sessions/{self.session}/add", number=number))["sum"])
        return self.sums[-1]


class RemoteTools(_OnTheServer, ToolEnv):
    """Add two numbers with the tool, and say the sum."""

    max_turns = 4

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Add {a} and {b}.", "a": a, "b": b} for a in range(5, 11) for b in range(11, 15)]

    @tool
    async def add(self, number: int) -> int:
        """Add a number to the sum.

        Args:
            number: What to add.
        """
        return await self.add_up(number)

    @tool
    def total(self) -> int:
        """The sum so far."""
        return self.sums[-1] if self.sums else 0

    @reward
    async def right(self, messages, a, b):
        await asyncio.sleep(0)
        return self.sums[-1:] == [a + b] and messages[-1]["content"] == f"It is {a + b}."

    async def solve(self, row):
        yield call_message("add", number=row["a"])
        answered = yield call_message("add", number=row["b"])
        yield f"It is {answered[-1]['content']}."


class RemoteGuess(_OnTheServer, MultiTurnEnv):
    """Find the number that is missing; the server adds what is said."""

    max_turns = 3
    reward_range = (0.0, 1.0)

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Reach {n} with one number.", "goal": n} for n in range(10, 34)]

    async def step(self, action):
        text = action["content"].strip()
        if not text.isdecimal() or len(text) > 2:
            return "Say a number.", 0.0, False, False, {}
        total = await self.add_up(int(text))
        if total == self.row["goal"]:
            return "Reached.", 1.0, True, False, {}
        return ("Too little." if total < self.row["goal"] else "Too much."), 0.0, False, False, {}

    async def solve(self, row):
        return str(row["goal"])
