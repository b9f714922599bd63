"""`ToolEnv`: a task that a model solves by calling tools."""

from functools import cached_property
from typing import Any

from grpo_env_sdk.data.messages import tool_calls_of
from grpo_env_sdk.envs.multi_turn import MultiTurnEnv, Step
from grpo_env_sdk.tools.tool import bound_tools
from grpo_env_sdk.tools.toolbox import Toolbox
from grpo_env_sdk.types import Message


class ToolEnv(MultiTurnEnv):
    """Methods marked `@tool` are what the model may call; an answer without a call ends the episode.

    ```python
    class Phonebook(ToolEnv):
        def build_dataset(self, tokenizer):
            return [{"prompt": "What is Ada's number?", "numbers": {"Ada": "12"}, "answer": "12"}]

        @tool
        def look_up(self, name: str) -> str:
            '''The number of a person.'''
            return self.row["numbers"].get(name, "unknown")

        @reward
        def right(self, messages, answer):
            return answer in messages[-1]["content"]
    ```
    """

    tool_timeout: float | None = None

    @cached_property
    def toolbox(self) -> Toolbox:
        """The tools of this instance."""
        return Toolbox(bound_tools(self), inject=self._injected, timeout=self.tool_timeout, whose=type(self).__name__)

    def get_tools(self) -> list[dict[str, Any]]:
        """The schemas of the `@tool` methods."""
        return self.toolbox.schemas

    def step(self, action: Message) -> Step:
        """Run the calls of one message, in order; a message without any ends the episode."""
        calls = tool_calls_of(action)
        outcomes = []
        for call in calls:
            outcomes.append(self.toolbox.run(call))
            self.note_outcome(outcomes[-1])
        return [outcome.as_message() for outcome in outcomes], 0.0, not calls, False, {}

    step.__grpo_runs_tools__ = True  # type: ignore[attr-defined]  # tells it from an author's own step

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "toolbox"}  # its validators do not pickle

    def _injected(self, name: str) -> Any:
        """What an `Injected[...]` parameter receives: the row, the episode, or an attribute of that name."""
        if name == "row":
            return self.row
        return self.episode_so_far() if name == "episode" else getattr(self, name)
