"""What a player can learn from the docstring of a Gymnasium environment: rules, names of actions and observations."""

import inspect
import re
from dataclasses import dataclass

MOST_CHARS = 3_000
_RULES = ("", "description", "observation space", "reward", "rewards", "episode end", "episode truncation")
_TITLE = re.compile(r"^[ ]*##+\s*(.*?):?\s*$", re.MULTILINE)
_ITEM = re.compile(r"^\s*(?:[-*]|\|)\s*(\d+)\s*[:|]\s*([^|\n]+)", re.MULTILINE)
_MARKUP = re.compile(r"!\[[^]]*\]\([^)]*\)\n*|```\w*\n?|</?(?:a|sub|sup|br)\b[^>]*>")
_LINK = re.compile(r"\[([^]]*)\]\((?:https?:)?[^)]*\)")


@dataclass(frozen=True, slots=True)
class Manual:
    """The rules as text, and the names that the docstring numbers from 0; empty if it has none."""

    rules: str
    actions: tuple[str, ...]
    observations: tuple[str, ...]


def manual_of(cls: type, with_observations: bool) -> Manual:
    """The manual of an environment's class; with the section on the observation space if `with_observations`."""
    sections = _sections(inspect.getdoc(cls) or "")
    wanted = [name for name in _RULES if with_observations or name != "observation space"]
    told = "\n\n".join(sections[name] for name in wanted if sections.get(name))
    return Manual(_cut(told), _names(sections.get("action space", "")), _names(sections.get("observation space", "")))


def _sections(text: str) -> dict[str, str]:
    """The text under each title, by the title in lower case; the text before the first title is under ""."""
    parts = _TITLE.split(_LINK.sub(r"\1", _MARKUP.sub("", text)))
    names = ["", *(name.casefold() for name in parts[1::2])]
    return {name: inspect.cleandoc(body).strip() for name, body in zip(names, parts[::2], strict=True)}


def _names(section: str) -> tuple[str, ...]:
    """The names of the first list or table that is numbered from 0."""
    names: list[str] = []
    for number, name in _ITEM.findall(section):
        if int(number) != len(names):
            break
        names.append(name.replace("`", "").strip("*. "))
    return tuple(names)


def _cut(text: str) -> str:
    """The text up to the last paragraph that fits."""
    if len(text) <= MOST_CHARS:
        return text
    return text[:MOST_CHARS].rpartition("\n\n")[0] or text[:MOST_CHARS]
