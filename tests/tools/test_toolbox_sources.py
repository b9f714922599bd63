"""A toolbox from functions, from schemas, and from an MCP server."""

import asyncio
import gc
import weakref
from types import SimpleNamespace

import pytest

from grpo_env_sdk import Toolbox
from grpo_env_sdk.errors import ToolSchemaError
from grpo_env_sdk.types import ToolCall

LOOK = {
    "type": "function",
    "function": {
        "name": "look",
        "description": "Look.",
        "parameters": {"type": "object", "properties": {"at": {"type": "string"}}, "required": ["at"]},
    },
}


def answer(box, name, **arguments):
    """The error and the text of one call."""
    outcome = box.run(ToolCall("1", name, arguments))
    return outcome.error, outcome.content


def test_functions_and_methods_become_tools_plain_or_async():
    class Shelf:
        async def count(self, kind: str) -> int:
            """Count."""
            return len(kind)

    def double(number: int) -> int:
        """Double."""
        return 2 * number

    box = Toolbox.from_functions([double, Shelf().count], timeout=5)
    assert [tool["function"]["name"] for tool in box.schemas] == ["double", "count"]
    assert [answer(box, "double", number=4), answer(box, "count", kind="nuts")] == [(None, "8"), (None, "4")]
    assert answer(box, "double", number="x")[0] == "invalid_arguments"
    assert box.timeout == 5


def test_a_function_of_an_episode_is_forgotten_with_it():
    class Episode:
        def tools(self):
            def look(at: str) -> str:
                """Look."""
                return f"{at} of {type(self).__name__}"

            return Toolbox.from_functions([look])

    episode = Episode()
    assert answer(episode.tools(), "look", at="this") == (None, "this of Episode")
    kept = weakref.ref(episode)
    del episode
    gc.collect()
    assert kept() is None


def test_one_function_runs_the_calls_of_all_schemas_plain_or_async():
    async def later(name, arguments):
        await asyncio.sleep(0)
        return {name: arguments}

    for call in (lambda name, arguments: {name: arguments}, later):
        box = Toolbox.from_schemas([LOOK], call=call)
        assert answer(box, "look", at="it") == (None, '{"look": {"at": "it"}}')
        assert answer(box, "look", at=3)[0] == "invalid_arguments"


def test_two_tools_of_a_name_are_refused():
    with pytest.raises(ToolSchemaError, match="also the name of tool 0"):
        Toolbox.from_schemas([LOOK, LOOK], call=print)


class Session:
    """What a `ClientSession` of mcp 1 has: a list in pages, and calls."""

    def __init__(self, *pages):
        self.pages = pages
        self.called = []

    async def list_tools(self, cursor=None):
        place = int(cursor or 0)
        listed = [
            SimpleNamespace(name=name, description=None, inputSchema=LOOK["function"]["parameters"])
            for name in self.pages[place]
        ]
        return SimpleNamespace(tools=listed, nextCursor=str(place + 1) if place + 1 < len(self.pages) else None)

    async def call_tool(self, name, arguments):
        self.called.append((name, arguments))
        blocks = [
            SimpleNamespace(type="text", text="A cup."),
            SimpleNamespace(type="image", data="AAAA", mimeType="image/png"),
            SimpleNamespace(type="resource", resource=SimpleNamespace(uri="file:///cup", text="Blue.")),
            SimpleNamespace(type="resource_link", uri="file:///more"),
        ]
        at = arguments["at"]
        shown = {"all": blocks, "none": []}.get(at, blocks[:1])
        return SimpleNamespace(
            content=shown, isError=at == "wrong", structuredContent={"seen": 1} if not shown else None
        )


def test_every_page_of_the_tools_of_an_mcp_server_is_read():
    session = Session(["look"], ["files/read"], ["smell"])
    box = asyncio.run(Toolbox.from_mcp(session))
    assert list(box.tools) == ["look", "files_read", "smell"]
    assert answer(box, "files_read", at="it") == (None, "A cup.")
    assert session.called == [("files/read", {"at": "it"})]


def test_the_result_of_an_mcp_server_becomes_text_and_its_failures_are_answers():
    box = asyncio.run(Toolbox.from_mcp(Session(["look"])))
    assert answer(box, "look", at="all") == (
        None, "A cup.\n[image image/png]\nBlue.\n[resource_link file:///more]",
    )  # fmt: skip
    assert answer(box, "look", at="none") == (None, '{"seen": 1}')
    error, text = answer(box, "look", at="wrong")
    assert error == "tool_failed"
    assert "A cup." in text


def test_names_of_an_mcp_server_that_become_equal_are_refused():
    with pytest.raises(ToolSchemaError, match="also the name of tool 0"):
        asyncio.run(Toolbox.from_mcp(Session(["a/b", "a.b"])))


def test_a_session_of_the_mcp_package_gives_its_tools():
    pytest.importorskip("mcp")
    from mcp import ClientSession
    from mcp.server import MCPServer
    from mcp.shared.memory import create_client_server_memory_streams

    server = MCPServer("desk")

    @server.tool()
    def add(a: int, b: int) -> int:
        """Add two numbers."""
        return a + b

    @server.tool()
    def fail() -> str:
        """Fail."""
        raise ValueError("no paper")

    async def play():
        async with create_client_server_memory_streams() as (here, there):
            inner = server._lowlevel_server
            running = asyncio.create_task(inner.run(*there, inner.create_initialization_options()))
            async with ClientSession(*here) as session:
                await session.initialize()
                box = await Toolbox.from_mcp(session)
                found = await box.tools["add"].function(a=2, b=3)
                with pytest.raises(RuntimeError, match="fail"):
                    await box.tools["fail"].function()
            running.cancel()
            return box.schemas[0]["function"], found

    described, found = asyncio.run(play())
    assert (described["name"], described["description"]) == ("add", "Add two numbers.")
    assert described["parameters"]["required"] == ["a", "b"]
    assert found == "5"
