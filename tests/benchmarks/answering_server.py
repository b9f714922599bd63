"""A chat completions server that answers at once: a look-up until four results are there, then `done`."""

import asyncio
import json

from aiohttp import web


def _answer(message: dict[str, object], finish: str) -> bytes:
    usage = {"prompt_tokens": 20, "completion_tokens": 10, "total_tokens": 30}
    choice = {"index": 0, "finish_reason": finish, "message": {"role": "assistant", **message}}
    told = {"id": "x", "object": "chat.completion", "created": 1, "model": "x", "choices": [choice], "usage": usage}
    return json.dumps(told).encode()


def _call(page: int) -> bytes:
    function = {"name": "look_up", "arguments": json.dumps({"name": "x", "page": page})}
    call = {"id": f"call_{page}", "type": "function", "function": function}
    return _answer({"content": "", "tool_calls": [call]}, "tool_calls")


CALLS = [_call(page) for page in range(4)]
DONE = _answer({"content": "done"}, "stop")


async def complete(request: web.Request) -> web.Response:
    """The next call, where tools are offered and fewer than four results are there."""
    body = await request.read()
    results = body.count(b'"role": "tool"') + body.count(b'"role":"tool"')
    answer = CALLS[results] if b'"tools"' in body and results < 4 else DONE
    return web.Response(body=answer, content_type="application/json")


async def serve() -> None:
    """Print the port, then answer until the process ends."""
    app = web.Application()
    app.router.add_post("/v1/chat/completions", complete)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    print(runner.addresses[0][1], flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(serve())
