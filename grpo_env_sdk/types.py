"""Data that modules exchange: messages, tool calls, turns, scores, specs, and the record of an episode."""

import hashlib
import html
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, Literal, get_args

Message = dict[str, Any]
"""A chat message as chat templates and servers expect it: role, content, perhaps tool_calls."""

Row = dict[str, Any]
"""One line of a dataset: the prompt, the author's columns, and `case_idx`."""

Schemas = list[dict[str, Any]]
"""OpenAI function schemas, one for each tool."""

Range = tuple[float, float]
"""The lowest and the highest value of a score or a reward."""

Kind = Literal["single-turn", "tools", "multi-turn"]

StopReason = Literal[
    "terminated", "truncated", "max_turns", "max_tool_calls", "max_tokens", "length",
    "timeout", "env_error", "policy_error", "user_error", "cancelled",
]  # fmt: skip
STOP_REASONS: tuple[StopReason, ...] = get_args(StopReason)
SCORED: frozenset[StopReason] = frozenset(STOP_REASONS[:6])
"""How a scored episode may end; after any other stop reason the reward is None."""

STAND_IN = "stand-in"
"""What manifests call the tokenizer of environments that need one where there is no model."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool call of the model; `arguments` is the raw string if it is not a JSON object."""

    id: str
    name: str
    arguments: dict[str, Any] | str


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """The result of a tool call: the text that the model reads, and the type of the error if it failed."""

    call: ToolCall
    content: str
    error: str | None = None
    seconds: float = 0.0
    detail: str | None = None

    def as_message(self) -> Message:
        """The result as a chat message with the role `tool`."""
        return {"role": "tool", "tool_call_id": self.call.id, "name": self.call.name, "content": self.content}

    def as_json(self) -> dict[str, Any]:
        """The result as an episode's record keeps it."""
        return {
            "id": self.call.id, "name": self.call.name, "arguments": self.call.arguments,
            "content": self.content, "error": self.error, "seconds": self.seconds, "detail": self.detail,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Turn:
    """One answer of a policy: the assistant's message, why it stopped, tokens and time."""

    message: Message
    finish_reason: str = "stop"
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    token_ids: list[int] | None = None
    logprobs: list[float] | None = None
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Score:
    """A reward and its named parts; None means no reward. Metrics are logged and do not count."""

    value: float | None
    parts: dict[str, float | None] = field(default_factory=dict)
    metrics: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Fault:
    """Why an episode has no score: whose code failed, in which stage, with which error."""

    whose: Literal["environment", "policy", "user", "sdk"]
    stage: str
    type: str
    message: str
    traceback: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """The record of a finished episode; `as_json` is its line in a run's `episodes.jsonl`."""

    env: str
    version: str | None = None
    row_index: int = 0
    sample: int = 0
    row: Row
    seed: int
    messages: list[Message]
    opening: int
    stop_reason: StopReason
    reward: float | None = None
    rewards: dict[str, float | None] = field(default_factory=dict)
    step_rewards: list[float] = field(default_factory=list)
    turns: int = 0
    tool_calls: list[dict[str, Any]] = field(default_factory=list)
    timings: dict[str, float] = field(default_factory=dict)
    usage: dict[str, int] = field(default_factory=dict)
    token_ids: list[list[int]] | None = None
    logprobs: list[list[float]] | None = None
    metrics: dict[str, float] = field(default_factory=dict)
    error: Fault | None = None
    env_retries: int = 0
    """How often the environment began again after a failed reset or step."""
    tools: Schemas | None = None
    """The schemas of its tools, where they belong to the row; None for those of the run."""
    format: str = "episode-v1"
    views: list[list[Any]] | None = None
    """What the model read at each turn, where it was not always the whole transcript; `messages_read` restores it."""

    @property
    def completion(self) -> list[Message]:
        """The messages after the opening: the assistant's turns, tool results and observations."""
        return self.messages[self.opening :]

    @property
    def scored(self) -> bool:
        """Whether it ended with one of the stop reasons that get a score."""
        return self.stop_reason in SCORED

    def as_json(self) -> dict[str, Any]:
        """The episode as `docs/schemas/episode-v1.json` describes it; images of Pillow stay what they are."""
        data = {item.name: getattr(self, item.name) for item in fields(self)}
        data["error"] = asdict(self.error) if self.error else None
        return data

    def __repr__(self) -> str:
        ended = f"failed: {self.error.message:.100}" if self.error else self.stop_reason
        place = f"row {self.row_index}, sample {self.sample}"
        return f"<Episode of {self.env}, {place}: reward {self.reward}, {ended}, {self.turns} turns>"

    def _repr_html_(self) -> str:
        """The transcript, for notebooks."""
        style = "text-align: left; white-space: pre-wrap"
        rows = ((html.escape(message["role"]), html.escape(_shown(message))) for message in self.messages)
        cells = "".join(f'<tr><td>{role}</td><td style="{style}">{text}</td></tr>' for role, text in rows)
        return f"<table><caption>{html.escape(repr(self))}</caption>{cells}</table>"

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Episode":
        """The episode that `as_json` wrote; unknown keys of a later version are ignored."""
        known = {item.name for item in fields(cls)}
        kept = {key: value for key, value in data.items() if key in known}
        error = kept.pop("error", None)
        return cls(**kept, error=Fault(**error) if error else None)


@dataclass(frozen=True, slots=True)
class EnvSpec:
    """An installed or registered environment: its id, where it comes from, and how to import it."""

    id: str
    entry_point: str
    distribution: str | None = None
    version: str | None = None
    summary: str = ""
    kind: Kind | None = None
    config: dict[str, Any] = field(default_factory=dict)
    needs: str | None = None
    error: str | None = None
    source_hash: str | None = None

    @property
    def status(self) -> Literal["ok", "broken", "needs"]:
        """`needs` if a package is missing, `broken` if the metadata is invalid; an `ok` one was not imported."""
        if self.needs:
            return "needs"
        return "broken" if self.error else "ok"

    def as_json(self) -> dict[str, Any]:
        """The spec as plain data; `EnvSpec.from_json` reads it back."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "EnvSpec":
        """The spec that `as_json` wrote; unknown keys of a later version are ignored."""
        known = {item.name for item in fields(cls)}
        return cls(**{key: value for key, value in data.items() if key in known})

    def with_config(self, config: Mapping[str, Any]) -> "EnvSpec":
        """The same environment, with this config on top of its own."""
        return replace(self, config={**self.config, **config})


def _shown(message: Message) -> str:
    """What a message says, and its calls, each in a line."""
    content = message.get("content") or ""
    parts = [content] if isinstance(content, str) else [part.get("text") or f"[{part.get('type')}]" for part in content]
    calls = [call["function"] for call in message.get("tool_calls") or ()]
    return "\n".join(
        [*filter(None, parts), *(f"{call['name']}({canonical_json(call['arguments'])})" for call in calls)]
    )


def canonical_json(value: Any) -> str:
    """JSON text that is equal for equal data, in every process and for any order of keys."""
    return _canonical(value)


def _content(value: Any) -> str:
    """Text for a value that JSON has no type for: a hash of an image's or array's bytes, else its `repr`."""
    if hasattr(value, "tobytes"):
        return hashlib.blake2b(value.tobytes(), digest_size=16).hexdigest()
    return repr(value)


_canonical = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=_content).encode
"""As `json.dumps`, which would create an encoder for each call."""


def without_none(value: Any) -> Any:
    """The value without keys that are None: Arrow adds to each row the keys that other rows have."""
    if type(value) is dict or isinstance(value, Mapping):  # which takes longer to find out
        return {
            key: item if type(item) in _PLAIN else without_none(item) for key, item in value.items() if item is not None
        }
    if isinstance(value, list):
        return [without_none(item) for item in value]
    return value


_PLAIN = frozenset({str, int, float, bool})


def row_hash(row: Mapping[str, Any]) -> int:
    """A 64-bit hash of the row's content only: not of its index, nor of columns that other rows have."""
    content = canonical_json(without_none({key: value for key, value in row.items() if key != "case_idx"}))
    digest = hashlib.blake2b(content.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest)


def row_seed(row: Mapping[str, Any]) -> int:
    """A seed from the row's content, so that all episodes of a group get the same task."""
    return row_hash(row) >> 33
