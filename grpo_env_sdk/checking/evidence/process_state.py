"""The settings of this process that an environment should not change."""

import os
import signal
import socket
import sys
from typing import Any


def process_state() -> dict[str, Any]:
    """Each setting by its name in findings."""
    return {
        "the working directory": os.getcwd(),
        "the environment variables": dict(os.environ),
        "the recursion limit": sys.getrecursionlimit(),
        "the default timeout of sockets": socket.getdefaulttimeout(),
        "the handler of SIGALRM": signal.getsignal(signal.SIGALRM),
        "the handler of SIGINT": signal.getsignal(signal.SIGINT),
    }
