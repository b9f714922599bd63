"""Policies without a model: the gold solution, an echo, a script, a replay of a run."""

import inspect
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from grpo_env_sdk.data.messages import assistant_message
from grpo_env_sdk.errors import ContractError, UsageError
from grpo_env_sdk.isolation.json_values import short_repr
from grpo_env_sdk.isolation.thread_pool import ThreadPool
from grpo_env_sdk.isolation.tracebacks import name_of
from grpo_env_sdk.policies.policy import PolicyError, Request, UnusablePolicyError
from grpo_env_sdk.types import Episode, Message, Turn

SOLVE_SECONDS = 60.0
"""The time limit of the author's `solve` for one message."""


def _turn(message: Any, turn: int) -> Turn:
    answer = assistant_message(message, turn)
    return Turn(answer, "tool_calls" if answer.get("tool_calls") else "stop")


class GoldPolicy:
    """Plays the environment's `solve(row)`: a text, messages, or a generator of them."""

    name = "gold"

    def __init__(self) -> None:
        self._pool = ThreadPool()  # solve() is the author's code and may hang

    async def respond(self, request: Request) -> Turn:
        """The next message of the solution; an empty one after the last."""
        message = await self._pool.call(SOLVE_SECONDS, "solve", self._next, request)
        return _turn(message, request.turn)

    async def close(self) -> None:
        """End the threads; another run, in another event loop, gets new ones."""
        self._pool.close()
        self._pool = ThreadPool()

    def _next(self, request: Request) -> Any:
        if request.turn == 0:
            request.memory["solution"] = self._begin(request)
        return request.memory["solution"](request.messages)

    def _begin(self, request: Request) -> Any:
        solve = getattr(request.instance, "solve", None)
        if not callable(solve):
            raise UnusablePolicyError(
                f"{name_of(request.instance)} has no solve(row), so there is no gold solution.",
                "Add one, or use another policy.",
            )
        solution = solve(request.row)
        if inspect.isgenerator(solution):
            return _Conversation(solution)
        if not isinstance(solution, Iterable):
            raise ContractError(
                f"{name_of(request.instance)}.solve returned {short_repr(solution)}.",
                "Return a text, an assistant message or a list of them, or yield them.",
            )
        return _Script(iter([solution] if isinstance(solution, str | Mapping) else solution))


class _Script:
    """A solution that is a list of messages."""

    def __init__(self, messages: Iterator[Any]) -> None:
        self._messages = messages

    def __call__(self, transcript: list[Message]) -> Any:
        return next(self._messages, "")


class _Conversation:
    """A solution that is a generator: it yields messages, and is sent the answers to them."""

    def __init__(self, solution: Any) -> None:
        self._solution = solution
        self._seen = -1

    def __call__(self, transcript: list[Message]) -> Any:
        answered = None if self._seen < 0 else transcript[self._seen :]
        self._seen = len(transcript) + 1
        try:
            return next(self._solution) if answered is None else self._solution.send(answered)
        except StopIteration as end:
            return end.value or ""


class EchoPolicy:
    """Repeats the last message."""

    name = "echo"

    async def respond(self, request: Request) -> Turn:
        """The content of the last message."""
        content = request.messages[-1].get("content")
        return _turn(content if isinstance(content, str) else json.dumps(content), request.turn)


class ScriptedPolicy:
    """Plays the lines of a file: line i for row i, and from the top again after the last line."""

    def __init__(self, path: str) -> None:
        self.name = f"scripted:{path}"
        self._episodes = [_turns(value, path, number) for number, value in _json_lines(path)]
        if not self._episodes:
            raise UsageError(f"{path} has no lines.", "Write one JSON string, message or list of them per line.")

    async def respond(self, request: Request) -> Turn:
        """The message of this turn; an empty one if the line has no more."""
        turns = self._episodes[request.row_index % len(self._episodes)]
        return turns[request.turn] if request.turn < len(turns) else _turn("", request.turn)


def _turns(value: Any, path: str, number: int) -> list[Turn]:
    messages = value if isinstance(value, list) else [value]
    try:
        return [_turn(message, turn) for turn, message in enumerate(messages)]
    except ContractError as exc:
        raise UsageError(
            f"{path}:{number}: {exc.message}", "Each turn must be a text or an assistant message."
        ) from exc


def _json_lines(path: str) -> Iterator[tuple[int, Any]]:
    try:
        lines = Path(path).read_text(encoding="utf-8").split("\n")  # JSON may contain other line separators
    except (OSError, UnicodeDecodeError) as exc:
        reason = exc.strerror if isinstance(exc, OSError) else exc
        raise UsageError(f"{path} cannot be read: {reason}.", "scripted:FILE needs a file of JSON lines.") from exc
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                yield number, json.loads(line)
            except (ValueError, RecursionError) as exc:
                raise UsageError(f"{path}:{number} is not JSON: {exc}.", "Write one JSON value per line.") from exc


class ReplayPolicy:
    """Repeats what a run recorded, row by row and sample by sample."""

    def __init__(self, name: str, recorded: Iterable[Episode]) -> None:
        self.name = name
        self._recorded = {(episode.row_index, episode.sample): _recorded_turns(episode) for episode in recorded}

    async def respond(self, request: Request) -> Turn:
        """The recorded message of this turn."""
        messages, was_cut, usage = self._recorded.get((request.row_index, request.sample), ([], False, {}))
        if request.turn >= len(messages):
            raise PolicyError(
                f"The run has no turn {request.turn} of row {request.row_index}, sample {request.sample}.",
                "Replay the rows and samples that it recorded.",
                "not_recorded",
            )
        turn = _turn(messages[request.turn], request.turn)
        if request.turn < len(messages) - 1:
            return turn
        # A record has only the total of its tokens: added before the last turn, it would reach a limit too early.
        turn = replace(turn, prompt_tokens=usage.get("prompt_tokens"), completion_tokens=usage.get("completion_tokens"))
        return replace(turn, finish_reason="length") if was_cut else turn


def _recorded_turns(episode: Episode) -> tuple[list[Message], bool, dict[str, int]]:
    """The assistant messages of a record, whether the last was truncated, and the total of tokens."""
    messages = [message for message in episode.completion if message.get("role") == "assistant"]
    return messages, episode.stop_reason == "length", episode.usage
