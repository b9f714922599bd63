"""The tools of an MCP server, through a session of the official `mcp` package, or of one with the same methods."""

import importlib
import inspect
import json
import re
from collections.abc import Awaitable, Callable
from typing import Any

from grpo_env_sdk.tools.tool import Tool


class ToolFailedError(RuntimeError):
    """The server says that a call failed; the text is what it answered."""


async def tools_of_session(session: Any) -> list[Tool]:
    """Every tool of the session's server, each with an async function that calls it."""
    tools, cursor = [], None
    while True:
        listed = await _listed(session, cursor)
        tools += [_tool(session, found) for found in getattr(listed, "tools", listed)]
        cursor = _either(listed, "next_cursor", "nextCursor")
        if cursor is None:
            return tools


async def _listed(session: Any, cursor: str | None) -> Any:
    """One page of the list."""
    if cursor is None:
        return await session.list_tools()
    if "params" in inspect.signature(session.list_tools).parameters:  # a ClientSession since mcp 2
        types = importlib.import_module("mcp.types")
        return await session.list_tools(params=types.PaginatedRequestParams(cursor=cursor))
    return await session.list_tools(cursor=cursor)


def _tool(session: Any, found: Any) -> Tool:
    """A tool under a name that models may use: `files/read` becomes `files_read`."""
    function = {
        "name": re.sub(r"[^a-zA-Z0-9_-]", "_", found.name)[:64],
        "description": found.description or "",
        "parameters": _either(found, "input_schema", "inputSchema") or {"type": "object", "properties": {}},
    }
    return Tool({"type": "function", "function": function}, _caller(session, found.name))


def _caller(session: Any, name: str) -> Callable[..., Awaitable[str]]:
    async def call(**arguments: Any) -> str:
        return _answer(await session.call_tool(name, arguments))

    return call


def _answer(result: Any) -> str:
    """What the model reads of a result: the texts of its blocks, and what the others are."""
    text = "\n".join(_block_text(block) for block in result.content)
    structured = _either(result, "structured_content", "structuredContent")
    if not text and structured is not None:
        text = json.dumps(structured, ensure_ascii=False)
    if _either(result, "is_error", "isError"):
        raise ToolFailedError(text or "no reason given")
    return text


def _block_text(block: Any) -> str:
    resource = getattr(block, "resource", block)
    if isinstance(text := getattr(resource, "text", None), str):
        return text
    facts = (getattr(resource, "uri", None), _either(resource, "mime_type", "mimeType"))
    return f"[{' '.join([block.type, *(str(fact) for fact in facts if fact)])}]"


def _either(value: Any, name: str, older: str) -> Any:
    """An attribute that mcp 1 spelt in another way."""
    return getattr(value, name, getattr(value, older, None))
