"""Which part of a tool's result repeats its arguments."""

import re
from typing import Any

from grpo_env_sdk.late_patterns import regex

FOR_READERS = regex(
    r"reason|thought|think|note|comment|message|explanation|justification|summary|rationale|scratch|memo|plan"
)
"""Tools and parameters that exist to be read and change nothing."""
_ECHO = "\N{HORIZONTAL ELLIPSIS}"


def without_echo(content: str, arguments: Any) -> str:
    """The result of a tool, with a mark wherever it only repeats an argument."""
    values = [str(value) for value in arguments.values()] if isinstance(arguments, dict) else []
    for text in sorted(filter(None, values), key=len, reverse=True):
        content = re.sub(rf"(?<!\w){re.escape(text)}(?!\w)", _ECHO, content)
    return content
