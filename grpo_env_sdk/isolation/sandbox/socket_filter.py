"""A seccomp filter for a sandbox: no sockets of families that a network namespace does not keep in, such as vsock."""

import errno
import os
import platform
import socket
import struct
from functools import cache

_ARCHITECTURES = {"x86_64": (0xC000003E, 41), "aarch64": (0xC00000B7, 198)}
"""How the kernel names each, and the number of the call `socket` there."""
_FAMILIES = (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6, 16)
"""The last is AF_NETLINK, with which libraries list the network's devices."""
_X32, _IO_URING_SETUP = 0x40000000, 425
"""Other ways to the same calls: numbers of the x32 ABI, and a queue of calls that no filter sees."""
_CALL, _ARCHITECTURE, _ARGUMENT = 0, 4, 16
_LOAD, _EQUAL, _LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000


def filtered(command: list[str]) -> list[str]:
    """A command of bubblewrap with the filter, which a shell opens in this process; as it is on other machines."""
    if platform.machine() not in _ARCHITECTURES:
        return command
    free = "for n in 3 4 5 6 7 8 9; do [ -e /proc/$$/fd/$n ] || break; done"
    opened = f'{free}; eval "exec $n</proc/$PPID/fd/{_file()}"; exec "$0" --seccomp $n "$@"'
    return ["/bin/sh", "-c", opened, *command]


@cache
def _file() -> int:
    """A file in memory with the program."""
    descriptor = os.memfd_create("socket-filter")
    os.write(descriptor, _program(*_ARCHITECTURES[platform.machine()]))
    return descriptor


def _program(architecture: int, of_socket: int) -> bytes:
    families = [(_EQUAL, family, "allow", "") for family in _FAMILIES]
    steps = [
        (_LOAD, _ARCHITECTURE, "", ""), (_EQUAL, architecture, "", "unknown"),
        (_LOAD, _CALL, "", ""), (_LEAST, _X32, "unknown", ""), (_EQUAL, _IO_URING_SETUP, "unknown", ""),
        (_EQUAL, of_socket, "", "allow"), (_LOAD, _ARGUMENT, "", ""), *families,
        (_RETURN, _REFUSE | errno.EAFNOSUPPORT, "", ""),
    ]  # fmt: skip
    ends = {"allow": _ALLOW, "unknown": _REFUSE | errno.ENOSYS}
    place = {name: len(steps) + at for at, name in enumerate(ends)}
    steps += [(_RETURN, value, "", "") for value in ends.values()]
    return b"".join(
        struct.pack("HBBI", code, *(place.get(to, at + 1) - at - 1 for to in (yes, no)), value)
        for at, (code, value, yes, no) in enumerate(steps)
    )
