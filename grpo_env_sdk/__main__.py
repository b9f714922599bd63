"""`python -m grpo_env_sdk` is `grpo-env`."""

import os
import signal
import sys
import threading

from grpo_env_sdk.cli import INTERRUPTED, main


def command() -> None:
    """Run the command and exit, even if environment code left a thread that never ends."""
    code = main()
    if code == INTERRUPTED:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # one more Ctrl-C would be a traceback out of an exit handler
    held = [thread for thread in threading.enumerate() if not thread.daemon and thread is not threading.main_thread()]
    if held:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


if __name__ == "__main__":
    command()
