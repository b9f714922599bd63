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
"""How long the author's `solve` may take over one message."""


def _turn(message: Any, turn: int) -> Turn:
    made = assistant_message(message, turn)
    return Turn(made, "tool_calls" if made.get("tool_calls") else "stop")


class GoldPolicy:
    """Plays what the environment's `solve(row)` gives: a text, messages, or a generator of them."""

    name = "gold"

    def __init__(self) -> None:
        self._pool = ThreadPool()  # solve() is the author's code, and may hang

    async def respond(self, request: Request) -> Turn:
        """The next message of the solution; an empty one once it has said everything."""
        message = await self._pool.call(SOLVE_SECONDS, "solve", self._next, request)
        return _turn(message, request.turn)

    async def close(self) -> None:
        """Let the threads end; another run, in another event loop, gets others."""
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
                f"{name_of(request.instance)} has no solve(row), so there is no gold answer to play.",
                "Add one, or take another --model.",
            )
        solution = solve(request.row)
        if inspect.isgenerator(solution):
            return _Conversation(solution)
        if not isinstance(solution, Iterable):
            raise ContractError(
                f"{name_of(request.instance)}.solve returned {short_repr(solution)}.",
                "Return a text, an assistant's message, a list of them, or yield them.",
            )
        return _Script(iter([solution] if isinstance(solution, str | Mapping) else solution))


class _Script:
    """Messages that are known beforehand."""

    def __init__(self, messages: Iterator[Any]) -> None:
        self._messages = messages

    def __call__(self, transcript: list[Message]) -> Any:
        return next(self._messages, "")


class _Conversation:
    """A generator that yields messages and is sent what they were answered."""

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
    """Answers with the last thing it was told."""

    name = "echo"

    async def respond(self, request: Request) -> Turn:
        """The content of the last message."""
        content = request.messages[-1].get("content")
        return _turn(content if isinstance(content, str) else json.dumps(content), request.turn)


class ScriptedPolicy:
    """Plays the lines of a file: row i takes line i, from the top again after the last."""

    def __init__(self, path: str) -> None:
        self.name = f"scripted:{path}"
        self._episodes = [_turns(value, path, number) for number, value in _json_lines(path)]
        if not self._episodes:
            raise UsageError(f"{path} has no lines.", "Write a JSON text, message or list of them a line.")

    async def respond(self, request: Request) -> Turn:
        """The message of this turn; an empty one where the line has no more."""
        turns = self._episodes[request.row_index % len(self._episodes)]
        return turns[request.turn] if request.turn < len(turns) else _turn("", request.turn)


def _turns(value: Any, path: str, number: int) -> list[Turn]:
    messages = value if isinstance(value, list) else [value]
    try:
        return [_turn(message, turn) for turn, message in enumerate(messages)]
    except ContractError as exc:
        raise UsageError(f"{path}:{number}: {exc.message}", "Each turn is a text or an assistant's message.") from exc


def _json_lines(path: str) -> Iterator[tuple[int, Any]]:
    try:
        lines = Path(path).read_text(encoding="utf-8").split("\n")  # JSON may hold what else ends a line
    except (OSError, UnicodeDecodeError) as exc:
        reason = exc.strerror if isinstance(exc, OSError) else exc
        raise UsageError(f"{path} cannot be read: {reason}.", "scripted:FILE takes a file of JSON lines.") from exc
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                yield number, json.loads(line)
            except (ValueError, RecursionError) as exc:
                raise UsageError(f"{path}:{number} is not JSON: {exc}.", "Write one JSON value a line.") from exc


class ReplayPolicy:
    """Says again what a run recorded, row by row and sample by sample."""

    def __init__(self, name: str, recorded: Iterable[Episode]) -> None:
        self.name = name
        self._recorded = {(episode.row_index, episode.sample): _said(episode) for episode in recorded}

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
        # A record has its tokens counted together: earlier than here they would reach a limit too soon.
        turn = replace(turn, prompt_tokens=usage.get("prompt_tokens"), completion_tokens=usage.get("completion_tokens"))
        return replace(turn, finish_reason="length") if was_cut else turn


def _said(episode: Episode) -> tuple[list[Message], bool, dict[str, int]]:
    """The assistant's messages of a record, whether the last was cut off, and the tokens of all."""
    messages = [message for message in episode.completion if message.get("role") == "assistant"]
    return messages, episode.stop_reason == "length", episode.usage
