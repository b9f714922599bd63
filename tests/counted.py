"""An environment that notes each instance that was begun, and each that was closed, in a file that processes share."""

import asyncio
import os
from contextlib import asynccontextmanager

from grpo_env_sdk import ToolEnv, call_message, reward, tool

FILE = "COUNTED_FILE"
"""The environment variable that names the file."""


def note(what, instance):
    """Add one line in one write, which no other process can tear."""
    with open(os.environ[FILE], "ab", buffering=0) as file:
        file.write(f"{what} {os.getpid()} {id(instance)}\n".encode())


class Counted(ToolEnv):
    """Add two numbers; an episode holds something that has to be let go."""

    max_turns = 3

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Add {a} and 2.", "a": a} for a in range(30)]

    open = False

    def setup(self, row):
        if not self.open:
            self.open = True
            note("begun", self)
        self.sums = []

    def close(self):
        if self.open:
            note("closed", self)
        self.open = False

    @tool
    def add(self, a: int, b: int) -> int:
        """Add two numbers.

        Args:
            a: One.
            b: The other.
        """
        self.sums.append(a + b)
        return self.sums[-1]

    @reward
    def right(self, a):
        return self.sums == [a + 2]

    def solve(self, row):
        return [call_message("add", a=row["a"], b=2), "Done."]


class CountedAsync(Counted):
    """As the other, asynchronously; what all its episodes share is counted too."""

    @asynccontextmanager
    async def open_shared(self):
        shared = object()
        note("begun", shared)
        try:
            yield shared
        finally:
            await asyncio.sleep(0)
            note("closed", shared)

    async def setup(self, row):
        await asyncio.sleep(0)
        super().setup(row)

    async def close(self):
        await asyncio.sleep(0)
        super().close()
