"""`ToolEnv`: a task that a model solves by calling tools."""

from collections.abc import Callable, Generator
from functools import partial
from typing import Any, Self

from grpo_env_sdk.data.messages import tool_calls_of
from grpo_env_sdk.envs.episode_books import readable
from grpo_env_sdk.envs.multi_turn import MultiTurnEnv
from grpo_env_sdk.envs.protocol import tools_with_methods
from grpo_env_sdk.envs.reset_and_step import Step
from grpo_env_sdk.envs.row_tools import toolbox_from_setup
from grpo_env_sdk.envs.user_turns import said_by_hand, user_kind
from grpo_env_sdk.isolation.calls.async_calls import through
from grpo_env_sdk.tools.tool import bound_tools
from grpo_env_sdk.tools.toolbox import Toolbox
from grpo_env_sdk.types import Message, ToolCall, ToolOutcome


class ToolEnv(MultiTurnEnv):
    """Methods marked `@tool` are what the model may call; an answer without a call ends the episode.

    Where the class has a method `user(messages)`, or a `ModelUser` of that name, such an answer goes to the user, whose
    words the model reads next; None ends the episode.

    Schemas from `get_tools` work as well, each with a method of its name, or with `call_tool(self, name, arguments)`.

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

    toolbox: Toolbox = readable(lambda env: env._grpo.toolbox_for(env))
    """The tools of this instance."""

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        """An instance with the books of an episode, and a toolbox in them once it is needed."""
        env = super().__new__(cls, *args, **kwargs)
        env._grpo.collect_tools = _collected
        return env

    def get_tools(self) -> list[dict[str, Any]]:
        """The schemas of the tools: those of the `@tool` methods, unless a subclass gives its own."""
        return [tool.schema for tool in bound_tools(self)]

    def step(self, action: Message) -> Step:
        """Run the calls of one message, in order; one without any goes to the user, or ends the episode."""
        return through(_answered(self, tool_calls_of(action)))  # type: ignore[return-value]  # a coroutine where async


def _answered(env: ToolEnv, calls: list[ToolCall]) -> Generator[Any, Any, Step]:
    books = env._grpo
    if not calls and user_kind(env) != "none":
        said = yield from said_by_hand(env, books.messages)
        return said or "", 0.0, said is None, False, {}
    box, outcomes = books.toolbox_for(env), []
    for call in calls:
        outcomes.append((yield box.run_async(call) if books.is_async else box.run(call)))
    return [outcome.as_message() for outcome in outcomes], 0.0, not calls, False, {}


class _NotingToolbox(Toolbox):
    """A toolbox that records each call that it runs, also where an author's own `step` runs it."""

    note: Callable[[ToolOutcome], None]

    def run(self, call: ToolCall) -> ToolOutcome:
        """Run one call, and record its outcome."""
        outcome = super().run(call)
        self.note(outcome)
        return outcome

    async def run_async(self, call: ToolCall) -> ToolOutcome:
        """Run one call, and record its outcome."""
        outcome = await super().run_async(call)
        self.note(outcome)
        return outcome


def _collected(env: ToolEnv) -> Toolbox:
    """The tools of an instance and its episode, with the values for their `Injected` parameters."""
    given, inject = toolbox_from_setup(env), partial(_injected, env)
    box = given.as_kind(_NotingToolbox, inject, env.tool_timeout) if given else _NotingToolbox(
        tools_with_methods(env, env._grpo.row), fallback=getattr(env, "call_tool", None), inject=inject,
        timeout=env.tool_timeout, whose=type(env).__name__,
    )  # fmt: skip
    box.note = env._grpo.note_outcome
    return box


def _injected(env: ToolEnv, name: str) -> Any:
    """What an `Injected[...]` parameter receives: the row, the episode, or an attribute of that name."""
    if name == "row":
        return env._grpo.row
    return env._grpo.episode() if name == "episode" else getattr(env, name)
