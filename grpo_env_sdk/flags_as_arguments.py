"""Errors that name the flags of a command, with the arguments of a Python function instead."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from grpo_env_sdk.errors import GrpoEnvError

_COMMAND = re.compile(r"(`[^`]*`|(?:grpo-env|grpo_env_sdk) [^`\n]*)")
_FLAG = re.compile(r"(?<![\w-])--(?P<name>[a-z][a-z-]*)(?:[ =](?P<value>[^\s,;()]+?)(?=(?P<after>[.,;:)]*)(?:\s|$)))?")
_VALUE = re.compile(r"process|thread|sandbox|train|test|all|async|true|false|.*[\d/A-Z].*")
_ADVERBS = ("out", "too", "alone", "instead")
"""What may follow a flag at the end of a clause, as in `leave --by out.`, and is no value."""


@contextmanager
def naming_arguments(argument_of: Callable[[str], str | None]) -> Iterator[None]:
    """Errors from within say `rows=5` where they said `--rows 5`; `argument_of` has the argument for a flag, if any."""
    try:
        yield
    except GrpoEnvError as exc:
        exc.message, exc.hint = (with_arguments(text, argument_of) for text in (exc.message, exc.hint))
        raise


def with_arguments(text: str, argument_of: Callable[[str], str | None]) -> str:
    """The text with arguments for flags, outside of commands; a flag without an argument stays."""

    def argument(found: re.Match[str]) -> str:
        flag, value = found["name"], found["value"]
        name = argument_of(flag.replace("-", "_"))
        if name is None:
            return found[0]
        if value is None or not _is_value(found):
            return f"{name} {value}" if value else name
        if "=" in name:
            return name
        plain = value.isupper() or re.fullmatch(r"-?[\d.,_]+", value) or value[0] in "'\""
        return f"{name}={value if plain else repr(value)}"

    parts = _COMMAND.split(text)
    return "".join(part if place % 2 else _FLAG.sub(argument, part) for place, part in enumerate(parts))


def _is_value(found: re.Match[str]) -> bool:
    return bool(_VALUE.fullmatch(found["value"]) or (found["after"] and found["value"] not in _ADVERBS))
