import itertools
import sys
from contextlib import asynccontextmanager

from mcp import Client, StdioServerParameters
from theirs import city_server

from grpo_env_sdk import Toolbox, ToolEnv, answer_text, call_message, reward


class Cities(ToolEnv):
    """Add the inhabitants of two cities, with the tools of an MCP server."""

    runs_tools = True

    @asynccontextmanager
    async def open_shared(self):
        server = StdioServerParameters(command=sys.executable, args=[city_server.__file__])
        async with Client(server) as client:
            yield client

    async def setup(self, row):
        self.toolbox = await Toolbox.from_mcp(self.shared)

    def build_dataset(self, tokenizer):
        pairs = itertools.permutations(city_server.POPULATION, 2)
        return [{"prompt": f"How many thousands of people live in {a} and {b}?", "a": a, "b": b} for a, b in pairs]

    @reward
    def right(self, completion, a, b):
        return answer_text(completion).strip() == str(city_server.POPULATION[a] + city_server.POPULATION[b])

    def solve(self, row):
        first = yield call_message("population", city=row["a"])
        second = yield call_message("population", city=row["b"])
        answered = yield call_message("add", a=int(first[-1]["content"]), b=int(second[-1]["content"]))
        yield answered[-1]["content"]
