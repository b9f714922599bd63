"""The settings of this process that an environment should not change."""

import os
import signal
import socket
import sys
from typing import Any

_OF_TORCH = "TORCHINDUCTOR_"
"""Variables that torch sets when a model first generates."""


def process_state() -> dict[str, Any]:
    """Each setting by its name in findings."""
    return {
        "the working directory": os.getcwd(),
        "the environment variables": {k: v for k, v in os.environ.items() if not k.startswith(_OF_TORCH)},
        "the recursion limit": sys.getrecursionlimit(),
        "the default timeout of sockets": socket.getdefaulttimeout(),
        "the handler of SIGALRM": signal.getsignal(signal.SIGALRM),
        "the handler of SIGINT": signal.getsignal(signal.SIGINT),
    }
