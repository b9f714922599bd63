"""`EpisodeBooks`: what the SDK knows of a multi-turn instance and its episode, apart from the author's attributes."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from grpo_env_sdk.data.messages import content_text, tool_calls_of
from grpo_env_sdk.data.rows import Rows
from grpo_env_sdk.envs.shared_resource import pass_on
from grpo_env_sdk.tools.toolbox import Toolbox
from grpo_env_sdk.types import Episode, Message, Row, StopReason, ToolOutcome, row_seed


@dataclass
class EpisodeBooks:
    """The SDK's own record of one instance, kept as its `_grpo`; every other name belongs to the author."""

    env: str
    arguments: tuple[tuple[Any, ...], dict[str, Any]]
    """What the constructor was called with, so that another instance can be constructed."""
    is_async: bool = False
    """Whether `reset` and `step` of the class are coroutines."""
    collect_tools: Callable[[Any], Toolbox] | None = None
    """How a `ToolEnv` collects its tools; None where the author's `step` answers."""
    toolbox: Toolbox | None = None
    tokenizer: Any = None
    """What builds the rows that `reset` draws from."""
    rows: Rows | None = None
    user: Callable[[list[Message]], str | None] | None = None
    """Who answers where the user is a model and no driver asks it: a transcript that is played again, or a check."""
    scored_by_caller: bool = False
    """Whether the caller computes the rewards, as concurrent drivers do."""
    in_author_code: bool = False
    """Whether the author's `reset` or `step` is running, which may call `super()`."""
    running: bool = False
    row: Row = field(default_factory=dict)
    messages: list[Message] = field(default_factory=list)
    opening: int = 0
    turns: int = 0
    step_rewards: list[float] = field(default_factory=list)
    tool_calls: list[dict[str, Any]] = field(default_factory=list)

    def begin(self, row: Row) -> None:
        """Forget the last episode; the one of this row runs once its opening messages are known."""
        self.row, self.running, self.opening, self.turns = row, False, 0, 0
        self.messages, self.step_rewards, self.tool_calls = [], [], []
        self.toolbox = None  # the next row may have other tools

    def open(self, messages: list[Message]) -> None:
        """Start the episode with these messages."""
        self.messages, self.opening, self.running = messages, len(messages), True
        self.toolbox = None  # `reset` may have given the tools

    def follow(self, messages: list[Message], turns: int) -> None:
        """Take over the transcript of a driver that runs this instance's tools itself."""
        self.messages, self.turns = messages, turns

    def note_outcome(self, outcome: ToolOutcome) -> None:
        """Record the outcome of a tool call."""
        self.tool_calls.append(outcome.as_json())

    def note_answers(self, action: Message, observed: list[Message], noted: int) -> None:
        """Record the calls of a message that an author's `step` answered itself, without the toolbox."""
        known = {call["id"] for call in self.tool_calls[noted:]}
        answers = [message for message in observed if message["role"] == "tool"]
        for call in tool_calls_of(action):
            answer = next((one for one in answers if one.get("tool_call_id", call.id) == call.id), None)
            if answer is not None:
                answers.remove(answer)
                if call.id not in known:
                    self.note_outcome(ToolOutcome(call, content_text(answer.get("content"))))

    def episode(self, stop_reason: StopReason = "terminated") -> Episode:
        """The episode so far, as scorers receive it."""
        return Episode(
            env=self.env, row=self.row, seed=row_seed(self.row), messages=self.messages, opening=self.opening,
            stop_reason=stop_reason, turns=self.turns, step_rewards=self.step_rewards, tool_calls=self.tool_calls,
        )  # fmt: skip

    def toolbox_for(self, env: Any) -> Toolbox:
        """The tools of a `ToolEnv`, which these books belong to; collected when they are first needed."""
        if self.toolbox is None:
            assert self.collect_tools is not None
            self.toolbox = self.collect_tools(env)
        return self.toolbox

    def __getstate__(self) -> dict[str, Any]:
        own = {name: value.copy() for name, value in vars(self).items() if isinstance(value, list)}
        return vars(self) | own | {"toolbox": None}  # which calls the methods of this instance, not those of a copy


class Readable:
    """An attribute that an author may read, or hide by assigning the same name: the SDK never reads it."""

    def __init__(self, read: Callable[[Any], Any]) -> None:
        self._read = read

    def __get__(self, env: Any, owner: type | None = None) -> Any:
        return self if env is None else self._read(env)


def readable(read: Callable[[Any], Any]) -> Any:
    """A `Readable` where a class annotates the type of the value."""
    return Readable(read)


def books_of(env: Any) -> EpisodeBooks | None:
    """The books of a `MultiTurnEnv` or `ToolEnv`; None for any other environment."""
    books = getattr(env, "__dict__", {}).get("_grpo")
    return books if isinstance(books, EpisodeBooks) else None


def construct_again(env: Any) -> Any:
    """Another instance of a `MultiTurnEnv`, constructed with the same arguments and with the same rewards."""
    arguments, keywords = env._grpo.arguments
    again = type(env)(*arguments, **keywords)
    again._grpo.user = env._grpo.user
    if "rewards" in vars(env):
        again.rewards = env.rewards
    pass_on(env, again)
    return again
