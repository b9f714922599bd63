"""What the tools of a row show to somebody who opens everything that they list, without any goal."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice, product
from typing import Any

from grpo_env_sdk.checking.evidence.golds import golds, play_answers
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of, properties_of, required_of
from grpo_env_sdk.checking.evidence.prompts.tool_names import CHANGES, only_looks
from grpo_env_sdk.checking.evidence.secret_words import says_wrong
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import called_together
from grpo_env_sdk.checking.evidence.tool_use.calls import known_values
from grpo_env_sdk.data.messages import call_message
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Message, canonical_json

ROUNDS, MOST_CALLS, MOST_NUMBERS = 4, 40, 24
"""How often what was listed is opened, how many calls are made each time, and up to which number pages are read."""
KEPT_FOR_THE_SCORER = regex(
    r"(?<![^\W_])(answers?|solutions?|gold|expected|ground[ _]?truth|targets?|correct|labels?|secrets?|hidden|"
    r"grad(?:er|ing)|rubrics?|(?:task|env|eval|question|episode|scor\w+)_(?:meta\w*|info|data|config)|meta)(?![^\W_])",
    re.IGNORECASE,
)
"""The names of what scorers compare with."""
_NAME = regex(r"[\w./-]*[^\W\d][\w./-]*")
_QUERY = regex(r"\s*select\b", re.IGNORECASE)
_OF_SQL = {"create", "table", "select", "from", "integer", "text", "real", "primary", "key", "null", "not", "name"}
_DESCRIBED = regex(r"(?:\w[\w'-]*(?: \w[\w'-]*)?, )+\w[\w'-]*(?: [\w'-]+)?,? (?:or|and) \w[\w'-]*")
_BETWEEN = regex(r",? (?:or|and) |, ")
_TABLES = "SELECT name FROM sqlite_master"


@dataclass(frozen=True, slots=True)
class Opened:
    """One call of an exploration, and what it showed."""

    tool: str
    arguments: dict[str, Any]
    reply: str
    refused: bool

    @property
    def is_query(self) -> bool:
        """Whether it selects from a database."""
        return any(isinstance(value, str) and _QUERY.match(value) for value in self.arguments.values())


@dataclass(frozen=True, slots=True)
class Exploration:
    """What was opened in a row, and whether nothing that was listed was left out."""

    opened: list[Opened]
    whole: bool


def explore(subject: Subject, rows: Sequence[int]) -> dict[int, Exploration]:
    """By row, everything that its looking tools list and show; shared by the checks."""
    found: dict[int, Exploration] = {}
    for row in rows:
        if not subject.time_left and found:
            break
        found[row] = subject.once(("explored", row), partial(_explored, subject, row))
    return found


def _explored(subject: Subject, row: int) -> Exploration:
    tools = [tool for tool in subject.tools_of(row) if _looks(subject, tool)]
    made: list[list[Message]] = []
    opened: list[Opened] = []
    tried: set[str] = set()
    for _ in range(ROUNDS):
        new = _unlike(tried, _calls(subject, tools, row, opened))
        if not new:
            return Exploration(opened, _ended(opened))
        made.append(new[:MOST_CALLS])
        opened = _played(subject, row, made)
        if len(new) > MOST_CALLS:
            break
    return Exploration(opened, False)


def _looks(subject: Subject, tool: dict[str, Any]) -> bool:
    """Whether a tool shows something and changes nothing, by its name or as it takes queries."""
    return not CHANGES.match(name_of(tool)) and (only_looks(tool) or any(_takes_queries(subject, tool).values()))


def _takes_queries(subject: Subject, tool: dict[str, Any]) -> dict[str, bool]:
    """By parameter, whether gold gives it queries."""
    known = known_values(subject)
    return {
        key: any(isinstance(value, str) and _QUERY.match(value) for value in known.get((name_of(tool), key), ()))
        for key in properties_of(tool)
    }


def _calls(subject: Subject, tools: Sequence[dict[str, Any]], row: int, opened: Sequence[Opened]) -> Iterator[Message]:
    """Each tool with all values of its parameters that the schema, gold or what was opened so far give."""
    of_gold = golds(subject)[row].calls if row in golds(subject) else []
    for tool in tools:
        usual = next((given for name, given in of_gold if name == name_of(tool)), {})
        queries = _takes_queries(subject, tool)
        values = {key: list(_values(tool, key, usual, queries[key], opened)) for key in required_of(tool)}
        for chosen in islice(product(*values.values()), 4 * MOST_CALLS):
            yield call_message(name_of(tool), **dict(zip(values, chosen, strict=True)))
        if not values:
            yield from (call_message(name_of(tool), **{key: True}) for key in _switches(tool))


def _switches(tool: dict[str, Any]) -> list[str]:
    """The parameters of a tool that may be left out, and show more where they are true."""
    return [key for key, schema in properties_of(tool).items() if schema.get("type") == "boolean"]


def _values(
    tool: dict[str, Any], key: str, usual: dict[str, Any], query: bool, opened: Sequence[Opened]
) -> Iterator[Any]:
    schema = properties_of(tool).get(key, {})
    if isinstance(schema.get("enum"), list):
        yield from schema["enum"]
        return
    if key in usual:
        yield usual[key]
    kind = schema.get("type")
    if kind == "boolean":
        yield from (True, False)
    elif kind == "integer" and len(required_of(tool)) == 1:
        yield from range(MOST_NUMBERS + 1)
    elif kind == "string":
        names = _listed(opened)
        if query:
            yield from [_TABLES, *(f"SELECT * FROM {name}" for name in names if _is_table(name))]
        elif len(required_of(tool)) == 1:
            yield from dict.fromkeys([*described_values(schema), *names])


def described_values(schema: dict[str, Any]) -> list[str]:
    """The values that the description of a parameter lists, such as `red, green or blue`."""
    found = _DESCRIBED.search(str(schema.get("description") or ""))
    return [value for value in _BETWEEN.split(found[0]) if value] if found else []


def _listed(opened: Sequence[Opened]) -> list[str]:
    """The names in what was shown, those of what scorers compare with first."""
    shown = " ".join(one.reply for one in opened if not one.refused)
    found = list(dict.fromkeys(name.rstrip(".") for name in _NAME.findall(shown)))
    return sorted(filter(None, found), key=lambda name: not KEPT_FOR_THE_SCORER.search(name))


def _is_table(name: str) -> bool:
    return name.isidentifier() and name.casefold() not in _OF_SQL


def _unlike(tried: set[str], calls: Iterator[Message]) -> list[Message]:
    """The calls that were not made before, which are noted."""
    found = []
    for call in calls:
        key = canonical_json([(one["function"]["name"], one["function"]["arguments"]) for one in call["tool_calls"]])
        if key not in tried:
            tried.add(key)
            found.append(call)
    return found


def _played(subject: Subject, row: int, made: Sequence[Sequence[Message]]) -> list[Opened]:
    """The replies to the calls of each round, which are in one message where the SDK runs them."""
    if subject.traits.kind == "tools":
        turns = [called_together(calls) for calls in made]
    else:
        turns = [call for calls in made for call in calls][: subject.traits.max_turns - 1]
    return [
        Opened(call["name"], call["arguments"], str(call["content"]), bool(call["error"]) or _is_refusal(call))
        for episode in play_answers(subject, [(row, [*turns, ""])])
        for call in episode.tool_calls
        if isinstance(call["arguments"], dict)
    ]


def _is_refusal(call: Any) -> bool:
    """Whether a short reply refuses something; a list does not, nor does the name of a file such as errors.log."""
    content = str(call["content"])
    if len(content) >= 200 or content.startswith("["):
        return False
    return says_wrong(content)


def _ended(opened: Sequence[Opened]) -> bool:
    """Whether the last number that was tried has no page of its own, for each tool that takes numbers."""
    last = [one for one in opened if MOST_NUMBERS in one.arguments.values()]
    return all(one.refused or any(two.reply == one.reply for two in opened if two is not one) for one in last)
