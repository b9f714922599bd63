"""The viewer's server on loopback: a random token in the address, no other origin, episodes read on demand."""

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Any

from aiohttp import web

from grpo_env_sdk.errors import GrpoEnvError
from grpo_env_sdk.images.run_images import RunImageError
from grpo_env_sdk.runs.reading import RunError
from grpo_env_sdk.viewing.index import RunIndex
from grpo_env_sdk.viewing.page import as_json, render

HOST = "127.0.0.1"
_Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class _Newest:
    """The runs as they were when a page was loaded last, which reads what was added meanwhile."""

    def __init__(self, indexes: Sequence[RunIndex]) -> None:
        self.indexes = list(indexes)
        self.version = 0
        """Another one once an earlier page does not belong to these runs."""
        self._one_at_a_time = asyncio.Lock()
        self._page = ("", "")
        self._shows: list[Any] = []

    async def page(self) -> tuple[str, str]:
        """The page of now, and its policy."""
        async with self._one_at_a_time:
            return await asyncio.to_thread(self._rendered)

    def _rendered(self) -> tuple[str, str]:
        found = [index.newest() for index in self.indexes]
        if any(now is not before for now, before in zip(found, self.indexes, strict=True)):
            self.indexes, self.version = found, self.version + 1
        shows = [self.version, *(index.about() for index in found)]
        if shows != self._shows:
            self._page, self._shows = render(found, whole=False, version=self.version), shows
        return self._page


def make_app(indexes: Sequence[RunIndex], token: str) -> web.Application:
    """The web application; every address without the token is a 404."""
    newest = _Newest(indexes)

    def index_of(request: web.Request) -> RunIndex:
        run = request.query.get("run", "0")
        if not run.isdecimal() or int(run) >= len(newest.indexes):
            raise web.HTTPNotFound
        index = newest.indexes[int(run)]
        if request.query.get("version", version := str(newest.version)) != version:
            raise RunError(f"{index.run.path} has another run or other episodes by now.", "Load it again.")
        return index

    async def show_page(request: web.Request) -> web.Response:
        page, policy = await newest.page()
        return web.Response(text=page, content_type="text/html", headers={"Content-Security-Policy": policy})

    async def episode(request: web.Request) -> web.Response:
        index, i = index_of(request), request.query.get("i", "")
        if not i.isdecimal() or int(i) >= len(index.table):
            raise web.HTTPNotFound
        return web.Response(text=as_json(index.record(int(i))), content_type="application/json")

    async def image(request: web.Request) -> web.Response:
        for index in newest.indexes:
            with suppress(RunImageError):
                return web.Response(body=index.kept.png(request.match_info["sha256"]), content_type="image/png")
        raise web.HTTPNotFound

    async def search(request: web.Request) -> web.Response:
        found = await asyncio.to_thread(index_of(request).search, request.query.get("q", ""))
        return web.json_response(found)

    app = web.Application(middlewares=[_only_from_here])
    app.add_routes([
        web.get(f"/{token}/", show_page), web.get(f"/{token}/episode", episode), web.get(f"/{token}/search", search),
        web.get(f"/{token}/image/{{sha256}}", image),
    ])  # fmt: skip
    return app


@web.middleware
async def _only_from_here(request: web.Request, handler: _Handler) -> web.StreamResponse:
    """Reject requests from other sites or for other host names, and forbid caching and framing."""
    host = request.host.rpartition(":")[0] or request.host
    site = request.headers.get("Sec-Fetch-Site", "none")
    if host not in (HOST, "localhost") or site not in ("none", "same-origin"):
        raise web.HTTPForbidden
    try:
        response = await handler(request)
    except GrpoEnvError as exc:  # somebody has changed the run meanwhile
        response = web.Response(status=409, text=str(exc))
    response.headers.update({
        "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY",
        "Referrer-Policy": "no-referrer",
    })  # fmt: skip
    return response


async def start_server(indexes: Sequence[RunIndex], port: int = 0) -> tuple[web.AppRunner, str]:
    """A running server and the address to open."""
    token = secrets.token_urlsafe(16)
    runner = web.AppRunner(make_app(indexes, token), access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, HOST, port)
    await site.start()
    bound = runner.addresses[0][1]
    return runner, f"http://{HOST}:{bound}/{token}/"
