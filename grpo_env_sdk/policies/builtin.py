"""Policies without a model: the gold solution, an echo, a script, a replay of a run."""

import hashlib
import json
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from grpo_env_sdk.data.messages import assistant_message, content_text
from grpo_env_sdk.data.named_file import text_of_named
from grpo_env_sdk.errors import ContractError, GrpoEnvWarning, UsageError
from grpo_env_sdk.plain_text import counted
from grpo_env_sdk.policies.policy import PolicyError, Request, UnusablePolicyError
from grpo_env_sdk.runs.reading import Run
from grpo_env_sdk.types import Episode, Turn

MOST_SCRIPTED = 512 * 2**20
"""The bytes of a file of answers that are read."""


def _turn(message: Any, turn: int) -> Turn:
    answer = assistant_message(message, turn)
    return Turn(answer, "tool_calls" if answer.get("tool_calls") else "stop")


class GoldPolicy:
    """Plays the environment's `solve(row)`: a text, messages, or a generator of them."""

    name = "gold"

    async def respond(self, request: Request) -> Turn:
        """The next message of the solution; an empty one once it has said everything."""
        if request.env is not None and not request.env.traits.solvable:
            raise UnusablePolicyError(
                f"{request.env.name} has no solve(row), so there is no gold solution.",
                "Add one, or use another policy.",
            )
        return _turn(await request.solve(request.transcript), request.turn)


class EchoPolicy:
    """Repeats the last message."""

    name = "echo"

    async def respond(self, request: Request) -> Turn:
        """The content of the last message."""
        content = request.messages[-1].get("content")
        return _turn(content if isinstance(content, str) else json.dumps(content, default=str), request.turn)


class ScriptedPolicy:
    """Plays the lines of a file: line i for row i, and from the top again after the last line, with a warning.

    A file with one line has it for every row.
    """

    def __init__(self, path: str) -> None:
        self.name = f"scripted:{path}"
        text = text_of_named(path, path, "scripted:FILE needs a file of JSON lines.", MOST_SCRIPTED)
        self.version = f"content {hashlib.blake2b(text.encode(), digest_size=8).hexdigest()}"
        lines = list(_json_lines(path, text))
        self._numbers = [number for number, _ in lines]
        self._episodes = [_turns(value, path, number) for number, value in lines]
        self._warned: set[str] = set()
        if not self._episodes:
            raise UsageError(f"{path} has no lines.", "Write one JSON string, message or list of them per line.")

    async def respond(self, request: Request) -> Turn:
        """The message of this turn; an empty one, with a warning, if the line has no more."""
        row, lines = request.row_index, len(self._episodes)
        if 1 < lines <= row:
            again = (
                f"and starts again from the top: row {row} of the whole dataset gets line {self._numbers[row % lines]}."
            )
            self._warn_once("lines", f"{self.name} has {lines} lines, {again}")
        turns = self._episodes[row % lines]
        if request.turn < len(turns):
            return turns[request.turn]
        number, has = self._numbers[row % lines], counted(len(turns), "message")
        after = f"so the answers of row {row} are empty from turn {request.turn + 1} on."
        self._warn_once("turns", f"{self.name}: line {number} has {has}, {after}")
        return _turn("", request.turn)

    def _warn_once(self, what: str, told: str) -> None:
        if what not in self._warned:
            self._warned.add(what)
            warnings.warn(told, GrpoEnvWarning, stacklevel=3)


def _turns(value: Any, path: str, number: int) -> list[Turn]:
    messages = value if isinstance(value, list) else [value]
    for message in messages:
        if isinstance(message, dict) and not message.keys() & {"content", "tool_calls"}:
            has = ", ".join(message) or "nothing"
            raise UsageError(
                f"{path}:{number} has a message with neither content nor tool_calls, only {has}.",
                'Write {"role": "assistant", "content": "...", "tool_calls": [...]}.',
            )
    try:
        return [_turn(message, turn) for turn, message in enumerate(messages)]
    except ContractError as exc:
        raise UsageError(
            f"{path}:{number}: {exc.message}", "Each turn must be a text or an assistant message."
        ) from exc


def _json_lines(path: str, text: str) -> Iterator[tuple[int, Any]]:
    lines = text.split("\n")  # JSON may contain other line separators
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                yield number, json.loads(line)
            except (ValueError, RecursionError) as exc:
                raise UsageError(f"{path}:{number} is not JSON: {exc}.", "Write one JSON value per line.") from exc


class ReplayPolicy:
    """Repeats what a run recorded, row by row and sample by sample."""

    def __init__(self, name: str, recorded: Iterable[Episode], run: Run | None = None) -> None:
        self.name = name
        self.run = run
        """The run on disk that is replayed, where the episodes are all of one."""
        recorded = list(recorded)
        self.user_said = {(episode.row_index, episode.sample): _user_turns(episode) for episode in recorded}
        """What a model said for the user of each episode after so many turns, and whether that ended it."""
        self._recorded = {(episode.row_index, episode.sample): _Recorded(episode) for episode in recorded}

    async def respond(self, request: Request) -> Turn:
        """The recorded message of this turn."""
        recorded = self._recorded.get((request.row_index, request.sample))
        if recorded is None or request.turn >= len(recorded.messages):
            raise PolicyError(
                f"The run has no turn {request.turn} of row {request.row_index}, sample {request.sample}.",
                "Replay the rows and samples that it recorded.",
                "not_recorded",
            )
        return recorded.turn(request.turn)


def _user_turns(episode: Episode) -> dict[int, tuple[str, bool]]:
    """The user's messages in a record, by how many turns of the assistant came before."""
    found, turns = {}, 0
    for place, message in enumerate(episode.messages):
        if message["role"] == "assistant" and place >= episode.opening:
            turns += 1
        elif message["role"] == "user":
            ended = place == len(episode.messages) - 1 and episode.stop_reason == "terminated"
            found[turns] = (content_text(message.get("content")), ended)
    return found


class _Recorded:
    """What the assistant said in a record, and the tokens of it."""

    def __init__(self, episode: Episode) -> None:
        self.messages = [message for message in episode.completion if message.get("role") == "assistant"]
        self._was_cut, self._usage = episode.stop_reason == "length", episode.usage
        kept = {"token_ids": episode.token_ids, "logprobs": episode.logprobs}
        self._tokens = {name: each for name, each in kept.items() if each and len(each) == len(self.messages)}

    def turn(self, number: int) -> Turn:
        """The turn as it was answered."""
        tokens: dict[str, Any] = {name: each[number] for name, each in self._tokens.items()}
        turn = replace(_turn(self.messages[number], number), **tokens)
        if number < len(self.messages) - 1:
            return turn
        # A record has only the total of its tokens: added before the last turn, it would reach a limit too early.
        usage: dict[str, Any] = {name: self._usage.get(name) for name in ("prompt_tokens", "completion_tokens")}
        return replace(turn, finish_reason="length" if self._was_cut else turn.finish_reason, **usage)
