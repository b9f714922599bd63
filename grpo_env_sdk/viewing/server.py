"""The viewer's server on loopback: a random token in the address, no other origin, episodes read on demand."""

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress

from aiohttp import web

from grpo_env_sdk.images.run_images import RunImageError
from grpo_env_sdk.runs.reading import RunError
from grpo_env_sdk.viewing.index import RunIndex
from grpo_env_sdk.viewing.page import as_json, render

HOST = "127.0.0.1"
_Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def make_app(indexes: Sequence[RunIndex], token: str) -> web.Application:
    """The web application; every address without the token is a 404."""
    page, policy = render(indexes, whole=False)

    def index_of(request: web.Request) -> RunIndex:
        run = request.query.get("run", "0")
        if not run.isdecimal() or int(run) >= len(indexes):
            raise web.HTTPNotFound
        return indexes[int(run)]

    async def show_page(request: web.Request) -> web.Response:
        return web.Response(text=page, content_type="text/html", headers={"Content-Security-Policy": policy})

    async def episode(request: web.Request) -> web.Response:
        index, i = index_of(request), request.query.get("i", "")
        if not i.isdecimal() or int(i) >= len(index.table):
            raise web.HTTPNotFound
        return web.Response(text=as_json(index.record(int(i))), content_type="application/json")

    async def image(request: web.Request) -> web.Response:
        for index in indexes:
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
    except RunError as exc:  # somebody has changed the run meanwhile
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
