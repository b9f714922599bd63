"""What of a tool's answer its caller knew already."""

import re
from typing import Any

FOR_READERS = re.compile(
    r"reason|thought|think|note|comment|message|explanation|justification|summary|rationale|scratch|memo|plan"
)
"""Tools and parameters that are meant to be read, and to change nothing."""
_ECHO = "\N{HORIZONTAL ELLIPSIS}"


def without_echo(content: str, arguments: Any) -> str:
    """What a tool answered, with a mark wherever it only repeats what it was asked."""
    told = [str(value) for value in arguments.values()] if isinstance(arguments, dict) else []
    for text in sorted(filter(None, told), key=len, reverse=True):
        content = re.sub(rf"(?<!\w){re.escape(text)}(?!\w)", _ECHO, content)
    return content
