"""The keys that docs/cli.md names for the JSON of a command."""

import json
import re
from pathlib import Path

PAGE = Path(__file__).parents[1] / "docs" / "cli.md"


def documented_keys(command):
    """The names in the row of a command: what is in backticks, but for flags and other commands."""
    section = PAGE.read_text(encoding="utf-8").partition("\n## What --json prints\n")[2]
    (cell,) = re.findall(rf"^\| `{re.escape(command)}` \| (.*) \|$", section, re.MULTILINE)
    return set(re.findall(r"`([a-z_]+)`", cell)) - {"eval", "diff"}


def keys_in(data):
    """Every key of an object and of those in it."""
    if isinstance(data, dict):
        return {*data}.union(*map(keys_in, data.values()))
    return set().union(*map(keys_in, data)) if isinstance(data, list) else set()


def keys_of(printed):
    """Every key of the one line of JSON that a command printed."""
    return keys_in(json.loads(printed))
