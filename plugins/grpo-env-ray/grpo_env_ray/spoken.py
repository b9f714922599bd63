"""What Ray says while a run goes on: all of it on stderr, and of a node that is lost one line."""

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from grpo_env_sdk.ext import say

_LOST = re.compile(r"and address: (\S+) .*has been marked dead")
_LOG = "Raylet is terminated."
"""How a message begins that has the last lines of a lost node's log; another one says that the node is lost."""
_LONGEST = 300


def speak_on_stderr(worker: Any) -> None:
    """Have `ray._private.worker` write nothing to stdout, which may be one JSON object; no setting of Ray does that."""
    shown = getattr(worker, "print_to_stdstream", None)
    if shown is None:  # another release of Ray
        return

    def show(data: Mapping[str, Any], ignore_prefix: bool = False) -> None:
        if data.get("pid") != "raylet":  # what environments print
            shown({**data, "is_err": True}, ignore_prefix)
            return
        for note in notes(data.get("lines") or ()):
            say(note, file=sys.stderr)

    worker.print_to_stdstream = show


def notes(messages: Sequence[str]) -> Iterator[str]:
    """One line for each message of a node that says something to the user."""
    for message in messages:
        first = message.partition("\n")[0].strip()
        if lost := _LOST.search(message):
            yield f"note: the Ray node {lost[1]} is lost. Its episodes go on where there is room."
        elif first and not first.startswith(_LOG):
            yield f"note: Ray says: {first:.{_LONGEST}}"
