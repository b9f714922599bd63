"""What a run and the worker of an episode say to each other: frames on a socket, each a packet with its kind."""

import socket
import struct
from dataclasses import dataclass
from typing import Literal, get_args

from grpo_env_sdk.rollout.encoding import Packet

Kind = Literal["begin", "perform", "close", "quit", "clock", "event", "stuck", "describe", "rows", "state", "restore"]
_KINDS: tuple[Kind, ...] = get_args(Kind)
_HEAD = struct.Struct("!BIII")
_SIZE = struct.Struct("!I")
MOST_BYTES = 1 << 28
"""The longest frame: a worker that sends more is ended."""
_MOST_TEXT = 1 << 24
"""The longest JSON in it: reading more would keep the event loop of all episodes busy for seconds."""
_MOST_BLOBS = 1 << 16


class BadFrameError(Exception):
    """Bytes that are no frame, or too many of them."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One message: what it is, which episode it is about, and what it carries."""

    kind: Kind
    episode: int
    packet: Packet

    def packed(self) -> bytes:
        """The frame as bytes."""
        text, blobs = self.packet.text.encode("utf-8", "surrogatepass"), self.packet.blobs
        head = _HEAD.pack(_KINDS.index(self.kind), self.episode, len(text), len(blobs))
        sizes = [_SIZE.pack(len(blob)) for blob in blobs]
        found = b"".join([head, *sizes, text, *blobs])
        if len(blobs) > _MOST_BLOBS:
            raise BadFrameError(f"a message of {len(blobs)} pictures or arrays has more than {_MOST_BLOBS}")
        if len(found) > MOST_BYTES or len(text) > _MOST_TEXT:
            most = MOST_BYTES if len(text) <= _MOST_TEXT else _MOST_TEXT
            raise BadFrameError(f"a message of {len(found) >> 20} MiB is longer than {most >> 20} MiB")
        return found

    @classmethod
    def unpacked(cls, data: bytes) -> "Frame":
        """The frame that these bytes are, all of them."""
        unpacker = Unpacker()
        unpacker.feed(data)
        if (found := unpacker.next()) is None:
            raise BadFrameError("it sent a part of a message")
        return found


class Unpacker:
    """Bytes in, frames out."""

    def __init__(self) -> None:
        self._bytes = bytearray()

    def feed(self, data: bytes) -> None:
        """Take what has arrived."""
        self._bytes += data

    def next(self) -> Frame | None:
        """The next frame, if it is complete."""
        have = len(self._bytes)
        if have < _HEAD.size:
            return None
        kind, episode, length, count = _HEAD.unpack_from(self._bytes)
        begins = _HEAD.size + count * _SIZE.size
        if kind >= len(_KINDS) or count > _MOST_BLOBS or begins > MOST_BYTES:
            raise BadFrameError("it sent what is no message")
        if length > _MOST_TEXT:
            raise BadFrameError(f"it sent a message of more than {_MOST_TEXT >> 20} MiB")
        if have < begins:
            return None
        sizes = [_SIZE.unpack_from(self._bytes, _HEAD.size + at * _SIZE.size)[0] for at in range(count)]
        ends = begins + length + sum(sizes)
        if ends > MOST_BYTES:
            raise BadFrameError(f"it sent a message of more than {MOST_BYTES >> 20} MiB")
        if have < ends:
            return None
        text = self._bytes[begins : begins + length].decode("utf-8", "surrogatepass")
        blobs, at = [], begins + length
        for size in sizes:
            blobs.append(bytes(self._bytes[at : at + size]))
            at += size
        del self._bytes[:ends]
        return Frame(_KINDS[kind], episode, Packet(text, blobs))


def received(talk: socket.socket, unpacker: Unpacker) -> Frame | None:
    """The next frame from a socket that blocks; None once nobody is at its other end."""
    while (frame := unpacker.next()) is None:
        data = talk.recv(1 << 16)
        if not data:
            return None
        unpacker.feed(data)
    return frame
