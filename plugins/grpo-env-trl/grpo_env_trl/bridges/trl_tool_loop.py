"""TRL's own tool loop, on request: `tools` and `environment_factory`, with every schema exactly as it is."""

import json
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

from grpo_env_sdk import Message, Toolbox, ToolCall, Turn
from grpo_env_sdk.ext import (
    EnvPool,
    Failed,
    HostCommand,
    HostEvent,
    HostFactory,
    Job,
    LoadedEnv,
    Opened,
    Reset,
    RunTools,
    ScoreEpisode,
    ThreadHost,
    ThreadHosts,
    ToolOutcome,
    ToolsRan,
    UsageError,
    opening_messages,
    prompt_messages,
    row_seed,
    tool_calls_of,
    toolbox_of,
)
from grpo_env_trl.bridges.batch_player import BatchPlayer
from grpo_env_trl.bridges.dataset import ROW
from grpo_env_trl.bridges.native import NativeBridge

LOOPS = ("tools", "environment_factory")


class CallableSchema(dict[str, Any]):
    """A tool's schema, which templates render verbatim, that TRL can call as a function."""

    def __init__(self, schema: dict[str, Any], run: Callable[[ToolCall], str]) -> None:
        super().__init__(schema)
        self.__name__ = str(schema["function"]["name"])
        self._run = run

    def __call__(self, /, **arguments: Any) -> str:
        """What the tool answers, also where the arguments are wrong."""
        return self._run(ToolCall("call", self.__name__, arguments))

    __hash__ = object.__hash__  # type: ignore[assignment]  # as a function has one


class ToolAttribute:
    """A plain function on the class, where TRL looks for tools, and the callable schema on an instance."""

    def __init__(self, schema: dict[str, Any]) -> None:
        self.schema = schema

    def __get__(self, instance: "Adapter | None", owner: type) -> Any:
        return (
            (lambda: None) if instance is None else CallableSchema(self.schema, lambda call: instance._played.run(call))
        )


class Played:
    """One episode that TRL plays: its environment, and the results of its tools."""

    def __init__(self, player: BatchPlayer, index: int) -> None:
        row = player.row(index)
        player.begin()
        self.host = player.threads.open(Job(index))
        self.opened: HostEvent = player.loop.run(self.host.perform(Reset(row, row_seed(row))))
        self.outcomes: deque[ToolOutcome] = deque()
        self.messages: list[Message] = []
        if isinstance(self.opened, Opened):
            prompt, shown = prompt_messages(row["prompt"]), self.opened.observation
            self.messages = prompt if shown is None else opening_messages(prompt, shown)

    def run(self, call: ToolCall) -> str:
        """The result of a tool; an error if the environment has failed."""
        if isinstance(self.opened, Failed):
            return f"The environment failed: {self.opened.fault.message}"
        self.host.follow(self.messages, len(self.outcomes) + 1)
        outcome = self.host.run_tool_here(call)
        if isinstance(outcome, Failed):
            self.opened = outcome
            return self.run(call)
        self.outcomes.append(outcome)
        self.messages.append(outcome.as_message())
        return outcome.content

    def added(self, prompt: Sequence[Message]) -> str | None:
        """What `reset` adds to the prompt; TRL appends it to the last message."""
        if len(self.messages) <= len(prompt):
            last, said = prompt[-1]["content"], self.messages[-1]["content"] if self.messages else ""
            return said.removeprefix(last) or None if isinstance(said, str) else None
        raise UsageError("The environment opens with messages of its own, which TRL's loop cannot show.", _TAKE)


class Adapter:
    """The environment class for TRL: `reset`, and one attribute for each tool; nothing else is public."""

    _bridge: ClassVar["TrlToolLoopBridge"]
    _played: Played

    def reset(self, /, **row: Any) -> str | None:
        """Begin the episode of a row, on an environment instance of its own."""
        self._played = Played(self._bridge.player, row[ROW])
        return self._played.added(row["prompt"])


@dataclass
class ReplayingHost:
    """The host of an episode that TRL has played: tool results are those that it saw, and only the score is new."""

    host: ThreadHost
    contents: Iterator[str]
    played: Played | None = None

    async def perform(self, command: HostCommand) -> HostEvent:
        """The event that says how it went."""
        if isinstance(command, Reset) and self.played is not None:
            return self.played.opened
        if isinstance(command, RunTools):
            return ToolsRan([self._outcome(call, next(self.contents)) for call in command.calls])
        if isinstance(command, ScoreEpisode):
            self.host.follow(command.episode.messages, command.episode.turns)
        return await self.host.perform(command)

    async def close(self) -> None:
        """Close the instance."""
        await self.host.close()

    def _outcome(self, call: ToolCall, content: str) -> ToolOutcome:
        kept = self.played.outcomes if self.played is not None else deque()
        if kept and kept[0].content == content:
            return replace(kept.popleft(), call=call)
        return ToolOutcome(call, content, _error_in(content))  # the result is TRL's own, or was not kept


class ReplayingHosts:
    """A replaying host for each episode of a batch that TRL has played."""

    def __init__(self, hosts: ThreadHosts, jobs: Sequence[Job], given: Mapping[str, Any]) -> None:
        self.env = hosts.env
        self._hosts = hosts
        adapters = given.get("environments") or [None] * len(jobs)
        self._played = {
            job: (adapter._played if adapter else None, [one["content"] for one in completion if one["role"] == "tool"])
            for job, completion, adapter in zip(jobs, given["completions"], adapters, strict=True)
        }

    def open(self, job: Job) -> ReplayingHost:
        """The host of one episode."""
        played, contents = self._played[job]
        return ReplayingHost(played.host if played else self._hosts.open(job), iter(contents), played)

    def close(self) -> None:
        """The threads go on to serve the next batch."""


@dataclass
class TrlToolLoopBridge(NativeBridge):
    """Scores what TRL's tool loop has played."""

    def hooks(self, loop: str) -> dict[str, Any]:
        """What `GRPOTrainer` takes to run the tools itself."""
        loaded = self.player.loaded
        if loop == "tools":
            box = toolbox_of(loaded.env)
            box.timeout = box.timeout or self.player.threads.call_seconds
            return {"tools": [CallableSchema(schema, partial(self._run, box)) for schema in loaded.tools]}
        attributes = {f"tool_{place:03}": ToolAttribute(schema) for place, schema in enumerate(loaded.tools)}
        return {"environment_factory": type("Environment", (Adapter,), {"_bridge": self, **attributes})}

    def _run(self, box: Toolbox, call: ToolCall) -> str:
        self.player.begin()
        return self.player.threads.calling(box.run, call).content

    def _hosts(self, jobs: Sequence[Job], given: Mapping[str, Any]) -> HostFactory:
        return ReplayingHosts(self.player.threads, jobs, given)

    def _turns(self, completion: Any, ids: list[int]) -> Iterable[Turn]:
        """Every turn of the assistant; calls that TRL left unanswered are where its loop ended."""
        answered = sum(message["role"] == "tool" for message in completion)
        said = [message for message in completion if message["role"] == "assistant"]
        for message in said[:-1]:
            answered -= len(tool_calls_of(message))
            yield Turn(message)
        last = self._turn(said, ids)
        yield replace(last, finish_reason="length") if answered < len(tool_calls_of(said[-1])) else last


def check_loop_pool(loop: str, pool: EnvPool) -> None:
    """Raise where environment code runs elsewhere, and TRL's own loop would call it here."""
    if loop in LOOPS and pool.kind != "thread":
        raise UsageError(
            f"The bridge {loop!r} runs tools in TRL's own loop, in this process, and not with --env-pool {pool.kind}.",
            "Leave the bridge out (--bridge auto), or the pool (--env-pool thread).",
        )


def check_loop(loop: str, loaded: LoadedEnv) -> None:
    """Raise for an environment that TRL's own tool loop does not support."""
    check_loop_pool(loop, loaded.pool)
    name, traits = loaded.spec.id, loaded.traits
    if traits.kind != "tools":
        why = "has no tools that run" if traits.kind == "single-turn" else "answers by `step`, which TRL never calls"
        raise UsageError(f"{name} {why}, so TRL's tool loop has nothing to do.", _TAKE)
    if traits.user != "none":
        raise UsageError(f"{name} has a user who answers, and TRL's tool loop asks nobody.", _TAKE)
    if loop == "environment_factory" and (traits.instances == "shared" or traits.max_live):
        why = f"plays at most {traits.max_live} episodes at once" if traits.max_live else "cannot be copied"
        raise UsageError(f"{name} {why}, and TRL plays those of a batch together.", _TAKE)
    if loop == "tools" and _keeps_state(loaded, toolbox_of(loaded.env)):
        raise UsageError(
            f"{name} has tools that belong to an episode, and TRL's `tools` know of none.",
            "Use 'auto' or 'environment_factory', or set parallel = True if the tools keep no state.",
        )


_TAKE = "Use 'auto'."


def _keeps_state(loaded: LoadedEnv, box: Toolbox) -> bool:
    """Whether its tools may depend on the episode, as those of methods do unless the class sets `parallel`."""
    env = loaded.env
    if loaded.traits.instances != "constructed" and getattr(env, "parallel", None) is True:
        return False
    return any(
        tool.injected or tool.function is None or getattr(tool.function, "__self__", None) is env
        for tool in box.tools.values()
    )


def _error_in(content: str) -> str | None:
    """The error type in a tool result, ours or TRL's; None for a result that is not an error."""
    if content.startswith("{'error': "):
        return "tool_failed"
    try:
        return str(json.loads(content)["error"]["type"])
    except (ValueError, TypeError, KeyError):
        return None
