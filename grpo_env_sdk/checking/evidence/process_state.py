"""The settings of this process that an environment should leave as they are."""

import os
import signal
import socket
import sys
from typing import Any


def process_state() -> dict[str, Any]:
    """Each setting by what a finding calls it."""
    return {
        "the working directory": os.getcwd(),
        "the environment variables": dict(os.environ),
        "the recursion limit": sys.getrecursionlimit(),
        "the default timeout of sockets": socket.getdefaulttimeout(),
        "what SIGALRM does": signal.getsignal(signal.SIGALRM),
        "what SIGINT does": signal.getsignal(signal.SIGINT),
    }
