"""Commands and events as JSON and blobs, for hosts in other processes and on other machines; never pickle.

    packet = CommandEncoder().encode(command)      # on the driver's side, one encoder an episode
    command = CommandDecoder().decode(packet)      # on the host's side, one decoder an episode
    packet = encode_event(event)                   # and back

A transcript only grows, so a command carries the messages that its host has not seen. Pictures, arrays, bytes and long
texts travel beside the JSON, as blobs.
"""

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, cast

from grpo_env_sdk.envs.model_user import UserPrompt
from grpo_env_sdk.envs.own_limits import OwnLimits
from grpo_env_sdk.envs.state import EnvState
from grpo_env_sdk.envs.traits import Traits
from grpo_env_sdk.errors import ContractError
from grpo_env_sdk.images.image import MOST_PIXELS, PNG_MODES, image_in, image_of_png, is_image, png_of
from grpo_env_sdk.isolation.values.json_values import short_repr
from grpo_env_sdk.isolation.values.state_values import RawArray
from grpo_env_sdk.rewards.score_rule import MovingWeight, RewardPart, ScoreRule
from grpo_env_sdk.rollout import commands
from grpo_env_sdk.rollout.commands import AskUser, HostCommand, HostEvent, Reset, RunTools, ScoreEpisode, Solve, View
from grpo_env_sdk.rollout.sent_rows import SentRows
from grpo_env_sdk.types import Episode, Fault, Message, Row, ToolCall, ToolOutcome

TAG = "$"
"""The key of what JSON has no form for; its value says what it is."""
_RECORDS: dict[str, Any] = {
    record.__name__: record
    for record in (
        commands.Reset, commands.RunTools, commands.Step, commands.Solve, commands.ScoreEpisode, commands.Opened,
        commands.AskUser, commands.UserSaid, UserPrompt, commands.ToolsRan, commands.Stepped, commands.Solved,
        commands.Scored, commands.Failed, ToolCall, ToolOutcome, Fault, Episode, ScoreRule, RewardPart, MovingWeight,
        commands.View, commands.Viewed, Traits, OwnLimits, SentRows, EnvState, RawArray,
    )
}  # fmt: skip
_FIELDS = {record: tuple(item.name for item in fields(record)) for record in _RECORDS.values()}
_SCALARS = (bool, int, float, str)
_AS_IT_IS = (int, bool, type(None))
_MOST_JSON = 1 << 22
"""The longest JSON of an event, beside texts, images and arrays: its values take many times that."""
_MOST_PIXELS = 2 * MOST_PIXELS
"""Those of all images of an event."""
_LONG_TEXT = 1024
"""A text from so many characters on is a blob, as JSON looks at each character twice."""
_write = json.JSONEncoder(allow_nan=False).encode
_TEXTS: dict[type, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    datetime: (datetime.fromisoformat, datetime.isoformat),  # before `date`, whose subclass it is
    date: (date.fromisoformat, date.isoformat),
    time: (time.fromisoformat, time.isoformat),
    timedelta: (lambda parts: timedelta(*parts), lambda value: [value.days, value.seconds, value.microseconds]),
    Decimal: (Decimal, str),
}
"""Values that have a form as text: how each is read and written."""


@dataclass(frozen=True, slots=True)
class Packet:
    """One command or event: JSON text, and the bytes that it refers to by number."""

    text: str
    blobs: list[bytes] = field(default_factory=list)


class CommandEncoder:
    """Encodes the commands of one episode, each message of its transcript once."""

    def __init__(self) -> None:
        self._sent = 0

    def encode(self, command: HostCommand) -> Packet:
        """The command, with the messages that came since the one before."""
        new = _messages_of(command)[self._sent :]
        packet = encode({"command": _with_messages(command, [], {}), "new": new})
        self._sent += len(new)
        return packet


class CommandDecoder:
    """Decodes the commands of one episode, and keeps its row and its transcript."""

    def __init__(self) -> None:
        self._row: Row = {}
        self._messages: list[Message] = []

    def decode(self, packet: Packet) -> HostCommand:
        """The command as it was encoded, with the whole transcript."""
        found = decode(packet)
        command: HostCommand = found["command"]
        self._messages += found["new"]
        if isinstance(command, Reset):
            self._row = command.row
        return _with_messages(command, self._messages, self._row)


def encode_event(event: HostEvent) -> Packet:
    """An event as JSON and blobs; a `ContractError` where it holds what cannot leave its process."""
    packet = encode(event)
    _check_length(packet)
    return packet


def decode_event(packet: Packet) -> HostEvent:
    """The event that `encode_event` wrote; a `ContractError` where it would take more memory than an event may."""
    _check_length(packet)
    return cast(HostEvent, _restored(json.loads(packet.text), _Blobs(packet.blobs, _MOST_PIXELS)))


def _check_length(packet: Packet) -> None:
    if len(packet.text) > _MOST_JSON:
        size = f"{len(packet.text) >> 20} MiB of JSON beside its texts"
        raise ContractError(f"An answer has {size}; at most {_MOST_JSON >> 20} are allowed.", "Return less.")


class _Blobs:
    """The bytes beside the JSON of a packet: each belongs to one value, as who writes them sees to it."""

    def __init__(self, blobs: list[bytes], most_pixels: float = math.inf) -> None:
        self._left: list[bytes | None] = [*blobs]
        self._pixels = most_pixels

    def take(self, number: int) -> bytes:
        """Those of one value."""
        blob, self._left[number] = self._left[number], None
        if blob is None:
            raise ContractError(f"Its bytes {number} belong to several values.")
        return blob

    def image(self, value: dict[str, Any]) -> Any:
        """The image of a value."""
        blob = self.take(value["blob"])
        image = image_in(blob, value["mode"], value["size"]) if "mode" in value else image_of_png(blob)
        self._pixels -= math.prod(image.size)
        if self._pixels < 0:
            raise ContractError(f"The images of an answer have more than {_MOST_PIXELS} pixels.", "Show smaller ones.")
        return image


def encode(value: Any) -> Packet:
    """Any value of commands, events and rows as JSON and blobs; tuples become lists."""
    blobs: list[bytes] = []
    plain = _plain(value, blobs)
    try:
        return Packet(_write(plain), blobs)
    except ValueError as exc:  # Python writes no number of more than 4,300 digits
        raise ContractError(f"{short_repr(value)} cannot be written as JSON: {exc}.", "Give shorter numbers.") from exc


def decode(packet: Packet) -> Any:
    """What `encode` was given."""
    return _restored(json.loads(packet.text), _Blobs(packet.blobs))


def _messages_of(command: HostCommand) -> list[Message]:
    if isinstance(command, ScoreEpisode):
        return command.episode.messages
    return command.messages if isinstance(command, RunTools | AskUser | Solve | View) else []


def _with_messages(command: HostCommand, messages: list[Message], row: Row) -> HostCommand:
    """The command with this transcript and, where it has a record, this row."""
    if isinstance(command, ScoreEpisode):
        return ScoreEpisode(replace(command.episode, messages=messages, row=row))
    return replace(command, messages=messages) if isinstance(command, RunTools | AskUser | Solve | View) else command


def _plain(value: Any, blobs: list[bytes]) -> Any:
    """The value as JSON takes it; raises a `ContractError` for what has no form."""
    if type(value) in _AS_IT_IS or (type(value) is str and len(value) < _LONG_TEXT):
        return value
    if (names := _FIELDS.get(type(value))) is not None:
        named = {name: _plain(getattr(value, name), blobs) for name in names}
        return {TAG: type(value).__name__, "fields": named}
    if isinstance(value, str):
        return (
            value if len(value) < _LONG_TEXT else _tagged({TAG: "text"}, value.encode("utf-8", "surrogatepass"), blobs)
        )
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {TAG: "float", "value": repr(value)}
    if isinstance(value, list | tuple):
        return [_plain(item, blobs) for item in value]
    if isinstance(value, Mapping):
        if TAG not in value and all(isinstance(key, str) for key in value):
            return {key: _plain(item, blobs) for key, item in value.items()}
        if not all(key is None or isinstance(key, str | bool | int | float) for key in value):
            raise _unsendable(value)
        return {TAG: "dict", "items": [[_plain(key, blobs), _plain(item, blobs)] for key, item in value.items()]}
    return _with_blob(value, blobs)


def _with_blob(value: Any, blobs: list[bytes]) -> Any:
    library = type(value).__module__.partition(".")[0]
    if library == "pandas":  # a timestamp or a missing one, from an Arrow column; nanoseconds are lost
        if value != value:
            return None
        as_python = "to_pydatetime" if isinstance(value, datetime) else "to_pytimedelta"
        return _plain(getattr(value, as_python)(), blobs)
    for kind, (_, write) in _TEXTS.items():
        if isinstance(value, kind):
            return {TAG: kind.__name__, "value": write(value)}
    tagged: dict[str, Any]
    if isinstance(value, bytes | bytearray):
        tagged, blob = {TAG: "bytes"}, bytes(value)
    elif is_image(value) and value.mode in (*PNG_MODES, "PA"):
        tagged, blob = {TAG: "image"}, png_of(value)
    elif is_image(value):  # a mode that PNG does not keep travels as it is in memory
        tagged, blob = {TAG: "image", "mode": value.mode, "size": list(value.size)}, value.tobytes()
    elif library == "numpy" and value.dtype.kind == "O":
        return _plain(value.tolist(), blobs)
    elif library == "numpy" and not value.shape and value.dtype.kind in "biufU" and type(value.item()) in _SCALARS:
        return _plain(value.item(), blobs)
    elif library == "numpy" and value.dtype.kind in "biufcmMUS":
        tagged, blob = {TAG: "array", "dtype": str(value.dtype), "shape": list(value.shape)}, value.tobytes()
    else:
        raise _unsendable(value)
    return _tagged(tagged, blob, blobs)


def _tagged(tagged: dict[str, Any], blob: bytes, blobs: list[bytes]) -> dict[str, Any]:
    blobs.append(blob)
    return {**tagged, "blob": len(blobs) - 1}


def _unsendable(value: Any) -> ContractError:
    return ContractError(
        f"{short_repr(value)} ({type(value).__name__}) cannot be sent to another process.",
        "Give text, numbers, lists, dicts, dates, bytes, images or arrays.",
    )


def _restored(value: Any, blobs: _Blobs) -> Any:
    if isinstance(value, list):
        return [_restored(item, blobs) for item in value]
    if not isinstance(value, dict):
        return value
    if TAG not in value:
        return {key: _restored(item, blobs) for key, item in value.items()}
    record = _RECORDS.get(value[TAG])
    if record is not None:
        return record(**{name: _restored(item, blobs) for name, item in value["fields"].items()})
    match value[TAG]:
        case "float":
            return float(value["value"])
        case "dict":
            return {_restored(key, blobs): _restored(item, blobs) for key, item in value["items"]}
        case "text":
            return blobs.take(value["blob"]).decode("utf-8", "surrogatepass")
        case "bytes":
            return blobs.take(value["blob"])
        case "image":
            return blobs.image(value)
        case "array":
            import numpy

            if numpy.dtype(value["dtype"]).hasobject:  # its bytes would be taken for addresses
                raise ContractError(f"An array of {value['dtype']} cannot come from another process.")
            return numpy.ndarray(value["shape"], value["dtype"], bytearray(blobs.take(value["blob"])))[()]
    for kind, (read, _) in _TEXTS.items():
        if value[TAG] == kind.__name__:
            return read(value["value"])
    raise KeyError(value[TAG])
