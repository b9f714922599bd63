"""The words of a command line in the one spelling that the parser knows."""

import re
from collections import deque
from collections.abc import Container, Sequence

from grpo_env_trl.settings.values import SWITCH_WORDS

_NEGATIVE = re.compile(r"-\.?\d")


def spelled(words: Sequence[str], switches: Container[str]) -> list[str]:
    """Hyphens in every flag, and a value at every switch: `--bf16`, `--bf16 true` and `--no-bf16` are one thing."""
    rest, found = deque(words), []
    while rest:
        word = rest.popleft()
        if not word.startswith("--"):
            found.append(word)
            continue
        written, equals, value = word.partition("=")
        flag = written.replace("_", "-")
        positive = f"--{flag.removeprefix('--no-')}"
        if flag in switches and not equals:
            given = bool(rest) and rest[0].lower() in SWITCH_WORDS
            found.append(f"{flag}={rest.popleft() if given else 'true'}")
        elif flag.startswith("--no-") and positive in switches and not equals:
            found.append(f"{positive}=false")
        elif not equals and rest and _NEGATIVE.match(rest[0]):  # argparse takes -1e-5 for a flag
            found.append(f"{flag}={rest.popleft()}")
        else:
            found.append(f"{flag}{equals}{value}")
    return found


def names_of(words: Sequence[str]) -> list[str]:
    """The settings that the long flags among the words name, in Python's spelling."""
    flags = [word.partition("=")[0].replace("-", "_").removeprefix("__") for word in words if word.startswith("--")]
    return list(dict.fromkeys(flags))
