"""`python -m grpo_env_sdk` is `grpo-env`."""

import os
import signal
import sys
import threading

INTERRUPTED = 128 + signal.SIGINT


def command() -> None:
    """Run the command and exit, even if environment code left a thread that never ends."""
    try:
        from grpo_env_sdk.cli import main  # takes a moment, in which Ctrl-C may come too
        from grpo_env_sdk.isolation.calls.command_process import end_process

        code = main()
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        print("Interrupted.", file=sys.stderr)
        code, end_process = INTERRUPTED, os._exit
    if code == INTERRUPTED:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # one more Ctrl-C would be a traceback out of an exit handler
    held = [thread for thread in threading.enumerate() if not thread.daemon and thread is not threading.main_thread()]
    if held:
        sys.stdout.flush()
        sys.stderr.flush()
        end_process(code)
    raise SystemExit(code)  # `sys.exit` may be another function by now


if __name__ == "__main__":
    command()
