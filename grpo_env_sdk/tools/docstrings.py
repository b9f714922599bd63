"""Google docstrings, parsed as transformers does wherever that is correct."""

import inspect
import json
import re
from dataclasses import dataclass, field
from typing import Any

from grpo_env_sdk.errors import ToolSchemaError

_HEADERS = {
    "Args:": "arguments",
    "Arguments:": "arguments",
    "Attributes:": "arguments",
    "Returns:": "returns",
    "Raises:": "raises",
}
_ENTRY = re.compile(r"\s*\*{0,2}(\w+)(?:\s*\(.*?\))?:\s*(.*)$")
_CHOICES = re.compile(r"\(choices:\s*(.*?)\)\s*$", re.IGNORECASE)


@dataclass(frozen=True)
class Docstring:
    """The parts of a docstring, without its `Raises:` section."""

    description: str = ""
    arguments: dict[str, str] = field(default_factory=dict)
    returns: str = ""


def parse_docstring(text: str) -> Docstring:
    """The description, the described arguments and the returned value, from a cleaned docstring."""
    lines = text.split("\n")
    starts = [at for at, line in enumerate(lines) if line.strip() in _HEADERS]
    sections: dict[str, list[str]] = {}
    for at in starts:
        sections.setdefault(_HEADERS[lines[at].strip()], _body(lines, at))
    return Docstring(
        description="\n".join(lines[: starts[0]] if starts else lines).strip(),
        arguments=_entries(sections.get("arguments", [])),
        returns="\n".join(sections.get("returns", [])).strip(),
    )


def class_docstring(cls: type) -> Docstring:
    """A class's own docstring, not that of a base class nor the one that `@dataclass` generates."""
    text = vars(cls).get("__doc__") or ""
    return Docstring() if text.startswith(f"{cls.__name__}(") else parse_docstring(inspect.cleandoc(text))


def split_choices(description: str, whose: str) -> tuple[str, list[Any] | None]:
    """The description without `(choices: [...])` at its end, and the choices; an error if they are not a list."""
    found = _CHOICES.search(description)
    if found is None:
        return description, None
    try:
        choices = json.loads(found[1], parse_constant=_no_constant)
        if not isinstance(choices, list) or not choices:
            raise ValueError("not a list, or an empty one")
    except ValueError as exc:
        raise ToolSchemaError(
            f"{whose} has invalid choices: {exc}.",
            'Write them as a JSON list: (choices: ["tea", "coffee"]).',
        ) from exc
    choices = [choice.strip() if isinstance(choice, str) else choice for choice in choices]
    return description[: found.start()].strip(), choices


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _body(lines: list[str], header: int) -> list[str]:
    """The lines under a header, up to the next header or to a line with the header's indent."""
    floor = _indent(lines[header])
    body: list[str] = []
    indented = None
    for line in lines[header + 1 :]:
        outside = bool(line.strip()) and _indent(line) <= floor
        if indented is None and line.strip():
            indented = not outside  # without any indent, only a header ends the section
        if outside and (indented or line.strip() in _HEADERS):
            break
        body.append(line)
    return body


def _entries(body: list[str]) -> dict[str, str]:
    """Each argument's description on one line; arguments without one are left out."""
    parts: dict[str, list[str]] = {}
    name, indent = "", 0
    for line in filter(str.strip, body):
        entry = _ENTRY.match(line)
        if entry and (not parts or _indent(line) <= indent):
            name, indent = entry[1], _indent(line)
            parts[name] = [entry[2]]
        elif parts:
            parts[name].append(line)
    joined = {name: " ".join(part.strip() for part in text).strip() for name, text in parts.items()}
    return {name: text for name, text in joined.items() if text}


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
