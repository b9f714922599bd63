"""`CodeEnv`: the reward and the gold answer of `code-v1`."""

from typing import Any

from grpo_env_sdk import SingleTurnEnv
from grpo_env_sdk.rewards import python_tests

from grpo_env_code.rows import Split, make_rows


class CodeEnv(SingleTurnEnv):
    """Write a Python function that passes hidden tests, which run in a sandbox.

    Args:
        seed: In which order the tasks are, and which numbers the tests use.
    """

    rewards = (python_tests("tests"),)

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    def build_dataset(self, tokenizer: Any, split: Split = "train") -> list[dict[str, Any]]:
        """Training tasks, and held-out ones that differ from all of them in a step."""
        return make_rows(split, self.seed)

    def solve(self, row: dict[str, Any]) -> str:
        """The gold answer."""
        return f"```python\n{row['code']}```"
