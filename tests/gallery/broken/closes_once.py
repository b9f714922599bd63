"""Look up the price of a spare part; what was looked up is logged until the environment is closed."""

import io

from grpo_env_sdk import ToolEnv, call_message, reward, tool

PARTS = {"belt": "14", "bolt": "2", "fan": "37", "fuse": "5", "hinge": "8", "hose": "21", "lamp": "29", "pump": "83"}


class SpareParts(ToolEnv):
    max_turns = 3

    def __init__(self):
        self.log = io.StringIO()

    def build_dataset(self, tokenizer):
        return [{"prompt": f"What does a {part} cost? Only the number.", "part": part} for part in PARTS]

    @tool
    def price(self, part: str) -> str:
        """The price of a spare part.

        Args:
            part: The name of the part.
        """
        self.log.write(f"{part}\n")
        return PARTS.get(part, f"no part called {part}")

    @reward
    def right(self, messages, part):
        return messages[-1]["content"] == PARTS[part]

    def close(self):
        self.log.close()
        self.log = None

    def solve(self, row):
        answered = yield call_message("price", part=row["part"])
        yield answered[-1]["content"]
